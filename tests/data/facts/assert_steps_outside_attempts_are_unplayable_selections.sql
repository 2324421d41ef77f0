-- Only a SELECT_PUZZLE may belong to no attempt; and it has then no puzzle index, attempt or role.
select step_id, action, puzzle_index, attempt, error_origin, propagation_role
from {{ ref('steps') }}
where
    (
        attempt_id is null
        and (
            action is distinct from 'SELECT_PUZZLE'
            or puzzle_index is not null
            or attempt is not null
            or propagation_role is not null
        )
    )
    or (attempt_id is not null and (puzzle_index is null or attempt is null))
    or (attempt_id is not null and status = 'wrong' and propagation_role is null)
    or (status is not distinct from 'wrong') <> (error_origin is not null)
    or (status is distinct from 'wrong' and propagation_role is not null)
