-- Every data set: the mart's sums are the counts of the fact.
with expected as (
    select
        attempts.dataset,
        count(*) as n_attempts,
        count(*) filter (where attempts.is_solved) as n_solved,
        count(*) filter (where attempts.is_solved is null) as n_unknown_outcome,
    from {{ ref('attempts') }} as attempts
    inner join {{ ref('rooms') }} as rooms on attempts.trace_id = rooms.trace_id
    where rooms.is_latest
    group by attempts.dataset
),

observed as (
    select
        dataset,
        sum(n_attempts) as n_attempts,
        sum(n_solved) as n_solved,
        sum(n_unknown_outcome) as n_unknown_outcome,
    from {{ ref('propagation_chains') }}
    group by dataset
)

select
    coalesce(expected.dataset, observed.dataset) as dataset,
    expected.n_attempts as expected_n_attempts,
    observed.n_attempts as observed_n_attempts,
    expected.n_solved as expected_n_solved,
    observed.n_solved as observed_n_solved,
    expected.n_unknown_outcome as expected_n_unknown_outcome,
    observed.n_unknown_outcome as observed_n_unknown_outcome,
from expected
full join observed on expected.dataset = observed.dataset
where
    expected.n_attempts is distinct from observed.n_attempts
    or expected.n_solved is distinct from observed.n_solved
    or expected.n_unknown_outcome is distinct from observed.n_unknown_outcome
