with source as (
    select * from {{ source('mad', 'mad_full_records') }}
),

final as (
    select
        {{ record_id() }} as record_id,
        dataset,
        source_path,
        record_index,
        mas_name,
        llm_name,
        benchmark_name,
        trace_id,
        trace_key,
        trace_index,
        annotation_json,
        body_sha256,
        extra_json,
    from source
)

select * from final
