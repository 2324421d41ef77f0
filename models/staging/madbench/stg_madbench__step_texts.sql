with source as (
    select * from {{ source('madbench', 'step_texts') }}
),

final as (
    select
        trace_id || '/' || step_index as step_id,
        dataset,
        run_id,
        trace_id,
        step_index,
        message,
        input,
        structured_json,
        schema_errors_json,
        verification_json,
        tool_execution_json,
        injection_json,
        prompt_injection_json,
        extra_json,
    from source
)

select * from final
