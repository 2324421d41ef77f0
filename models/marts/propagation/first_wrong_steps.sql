with attempts as (
    select * from {{ ref('attempts') }} where is_latest and n_wrong > 0
),

steps as (
    select * from {{ ref('steps') }}
),

final as (
    select
        attempts.attempt_id,
        steps.step_id,
        attempts.trace_id,
        attempts.run_id,
        attempts.room_id,

        attempts.dataset,
        attempts.split,
        attempts.model,
        attempts.temperature,
        attempts.difficulty,
        attempts.clue_domain,
        attempts.unit_tools,
        attempts.injection,

        attempts.puzzle_index,
        attempts.puzzle_id,
        attempts.attempt,

        attempts.first_wrong_step_index,
        steps.action,
        steps.agent,
        steps.error_type,
        steps.error_desc,
        steps.failure_mode,
        attempts.step_pattern,

        steps.confidence,
        attempts.n_steps,
        attempts.n_wrong,
        attempts.is_solved,
    from attempts
    -- (trace_id, step_index) is a key of steps: no attempt is repeated
    left join steps
        on
            attempts.trace_id = steps.trace_id
            and attempts.first_wrong_step_index = steps.step_index
)

select * from final
