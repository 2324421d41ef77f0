with source as (
    select * from {{ source('madbench', 'steps') }}
),

final as (
    select
        trace_id || '/' || step_index as step_id,
        dataset,
        run_id,
        trace_id,
        step_index,
        action,
        agent,
        puzzle_id,
        action_id,
        parent_action_id,
        call_index,
        -- An attempt past 32 bits is no number of an attempt.
        try_cast(attempt as integer) as attempt,
        clue_domain,
        clue_problem_id,
        confidence,
        duration_s,
        input_tokens,
        output_tokens,
        timed_out,
        superlong_reasoning,
        has_schema_error,
        status,
        error_desc,
        error_type,
        fm_id as failure_mode,
        answer_json,
        chosen_puzzle_id,
    from source
)

select * from final
