with pairs as (
    select * from {{ ref('int_pairs_tiered') }}
),

final as (
    select
        record_id,
        other_record_id,

        dataset,
        mas_name,
        llm_name,
        trace_id,
        trace_key,
        other_trace_key,
        has_other_trace_key,

        tier,
        prefix_chars,
        shorter_chars,
        similarity_ratio,
    from pairs
)

select * from final
