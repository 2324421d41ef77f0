-- Every edge and data set: an attempt that holds both actions is in exactly one of the three counts
-- (upstream wrong, upstream correct, unlabelled), and an attempt that does not is in none.
with attempt_actions as (
    select
        attempts.attempt_id,
        attempts.dataset,
        list(steps.action) as actions,
    from {{ ref('attempts') }} as attempts
    inner join {{ ref('rooms') }} as rooms on attempts.trace_id = rooms.trace_id
    inner join {{ ref('steps') }} as steps on attempts.attempt_id = steps.attempt_id
    where rooms.is_latest
    group by attempts.attempt_id, attempts.dataset
),

expected as (
    select
        attempt_actions.dataset,
        edges.upstream_action,
        edges.downstream_action,
        count(*) as n_attempts,
    from attempt_actions
    cross join {{ ref('action_dependencies') }} as edges
    where
        list_contains(attempt_actions.actions, edges.upstream_action)
        and list_contains(attempt_actions.actions, edges.downstream_action)
    group by attempt_actions.dataset, edges.upstream_action, edges.downstream_action
),

observed as (
    select
        dataset,
        upstream_action,
        downstream_action,
        sum(n_upstream_wrong + n_upstream_correct + n_unlabelled) as n_attempts,
    from {{ ref('error_transmission') }}
    group by dataset, upstream_action, downstream_action
)

select
    coalesce(expected.dataset, observed.dataset) as dataset,
    coalesce(expected.upstream_action, observed.upstream_action) as upstream_action,
    coalesce(expected.downstream_action, observed.downstream_action) as downstream_action,
    expected.n_attempts as expected_n_attempts,
    observed.n_attempts as observed_n_attempts,
from expected
full join observed
    on
        expected.dataset = observed.dataset
        and expected.upstream_action = observed.upstream_action
        and expected.downstream_action = observed.downstream_action
where expected.n_attempts is distinct from observed.n_attempts
