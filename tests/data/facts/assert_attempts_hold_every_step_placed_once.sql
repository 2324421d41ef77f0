-- Attempts count exactly the steps placed in them, one letter each, and one puzzle each; what they
-- say of wrong steps agrees with the steps.
with steps_of_attempts as (
    select
        attempt_id,
        count(*) as n_steps,
        count(*) filter (where status = 'wrong') as n_wrong,
        count(distinct puzzle_id) as n_puzzles,
        count(*) filter (where propagation_role = 'origin') as n_origins,
    from {{ ref('steps') }}
    where attempt_id is not null
    group by attempt_id
)

select
    coalesce(attempts.attempt_id, steps_of_attempts.attempt_id) as attempt_id,
    attempts.n_steps,
    steps_of_attempts.n_steps as n_steps_found,
    attempts.n_wrong,
    steps_of_attempts.n_wrong as n_wrong_found,
from {{ ref('attempts') }} as attempts
full join steps_of_attempts on attempts.attempt_id = steps_of_attempts.attempt_id
where
    attempts.n_steps is distinct from steps_of_attempts.n_steps
    or attempts.n_wrong is distinct from steps_of_attempts.n_wrong
    or attempts.n_steps is distinct from length(attempts.step_pattern)
    or steps_of_attempts.n_puzzles > 1
    or steps_of_attempts.n_origins is distinct from least(attempts.n_wrong, 1)
    or (attempts.n_wrong > 0) is distinct from (attempts.first_wrong_step_index is not null)
