with attempts as (
    select * from {{ ref('attempts') }} where is_latest
),

steps as (
    select * from {{ ref('steps') }} where is_latest and attempt_id is not null
),

action_dependencies as (
    select * from {{ ref('action_dependencies') }}
),

-- one row per attempt and action it holds: wrong, correct, or null where that is unknown
action_outcomes as (
    select
        attempt_id,
        action,
        case
            when count(*) filter (where status = 'wrong') > 0 then true
            when count(status) = count(*) then false
        end as is_wrong,
    from steps
    group by attempt_id, action
),

-- one row per attempt and direct edge of which it holds both actions
edge_outcomes as (
    select
        attempts.dataset,
        attempts.split,
        attempts.model,
        attempts.temperature,
        attempts.difficulty,
        attempts.clue_domain,
        attempts.unit_tools,
        attempts.injection,
        action_dependencies.upstream_action,
        action_dependencies.downstream_action,
        upstream.is_wrong as is_upstream_wrong,
        downstream.is_wrong as is_downstream_wrong,
    from action_dependencies
    inner join action_outcomes as upstream
        on action_dependencies.upstream_action = upstream.action
    inner join action_outcomes as downstream
        on
            action_dependencies.downstream_action = downstream.action
            and upstream.attempt_id = downstream.attempt_id
    inner join attempts on upstream.attempt_id = attempts.attempt_id
),

edge_counts as (
    select
        dataset,
        split,
        model,
        temperature,
        difficulty,
        clue_domain,
        unit_tools,
        injection,
        upstream_action,
        downstream_action,
        count(*) filter (
            where is_upstream_wrong and is_downstream_wrong is not null
        ) as n_upstream_wrong,
        count(*) filter (where is_upstream_wrong and is_downstream_wrong) as n_both_wrong,
        count(*) filter (
            where not is_upstream_wrong and is_downstream_wrong is not null
        ) as n_upstream_correct,
        count(*) filter (
            where not is_upstream_wrong and is_downstream_wrong
        ) as n_downstream_wrong_only,
        count(*) filter (
            where is_upstream_wrong is null or is_downstream_wrong is null
        ) as n_unlabelled,
    from edge_outcomes
    group by all
),

edge_rates as (
    select
        *,
        n_both_wrong / nullif(n_upstream_wrong, 0) as transmission_rate,
        n_downstream_wrong_only / nullif(n_upstream_correct, 0) as base_rate,
    from edge_counts
),

final as (
    select
        dataset,
        split,
        model,
        temperature,
        difficulty,
        clue_domain,
        unit_tools,
        injection,
        upstream_action,
        downstream_action,

        cast(n_upstream_wrong as bigint) as n_upstream_wrong,
        cast(n_both_wrong as bigint) as n_both_wrong,
        cast(n_upstream_correct as bigint) as n_upstream_correct,
        cast(n_downstream_wrong_only as bigint) as n_downstream_wrong_only,
        cast(n_unlabelled as bigint) as n_unlabelled,
        cast(transmission_rate as double) as transmission_rate,
        cast(base_rate as double) as base_rate,
        cast(transmission_rate / nullif(base_rate, 0) as double) as lift,
    from edge_rates
)

select * from final
