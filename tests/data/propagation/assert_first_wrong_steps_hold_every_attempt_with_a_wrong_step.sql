-- Both ways, from the steps themselves: the mart has the attempts in which a step is wrong, and the
-- first of those steps.
with expected as (
    select
        steps.attempt_id,
        min(steps.step_index) as first_wrong_step_index,
        count(*) as n_wrong,
    from {{ ref('steps') }} as steps
    inner join {{ ref('rooms') }} as rooms on steps.trace_id = rooms.trace_id
    where rooms.is_latest and steps.status = 'wrong' and steps.attempt_id is not null
    group by steps.attempt_id
),

observed as (
    select * from {{ ref('first_wrong_steps') }}
)

select
    coalesce(expected.attempt_id, observed.attempt_id) as attempt_id,
    expected.first_wrong_step_index as expected_first_wrong_step_index,
    observed.first_wrong_step_index as observed_first_wrong_step_index,
    expected.n_wrong as expected_n_wrong,
    observed.n_wrong as observed_n_wrong,
from expected
full join observed on expected.attempt_id = observed.attempt_id
where
    expected.first_wrong_step_index is distinct from observed.first_wrong_step_index
    or expected.n_wrong is distinct from observed.n_wrong
