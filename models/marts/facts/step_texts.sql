with step_texts as (
    select * from {{ ref('stg_madbench__step_texts') }}
),

final as (
    select
        step_id,
        message,
        input,
        structured_json,
        schema_errors_json,
        verification_json,
        tool_execution_json,
        injection_json,
        prompt_injection_json,
        extra_json,
    from step_texts
)

select * from final
