{#- The published audit's thresholds. A shared beginning of 500 characters that is also a fifth of
    the shorter text is no boilerplate; a ratio of 0.9 is a near-duplicate. -#}
{%- set min_prefix_chars = 500 -%}
{%- set min_prefix_share = 0.20 -%}
{%- set min_similarity_ratio = 0.90 -%}

with pairs as (
    select * from {{ ref('stg_mad__record_pairs') }}
),

records as (
    select record_id, mas_name, llm_name, benchmark_name, trace_id, trace_key
    from {{ ref('stg_mad__full_records') }}
),

final as (
    select
        pairs.dataset,
        pairs.record_id,
        pairs.other_record_id,
        records.mas_name,
        records.llm_name,
        records.trace_id,
        records.trace_key,
        other_records.trace_key as other_trace_key,
        (records.trace_key is distinct from other_records.trace_key) as has_other_trace_key,
        -- the first that holds
        case
            when pairs.is_identical then 'identical'
            when pairs.is_identical_after_whitespace then 'identical after whitespace'
            when
                pairs.prefix_chars >= {{ min_prefix_chars }}
                and pairs.prefix_chars >= {{ min_prefix_share }} * pairs.shorter_chars
                then 'shared prefix'
            when pairs.similarity_ratio >= {{ min_similarity_ratio }} then 'similar'
            else 'different'
        end as tier,
        pairs.prefix_chars,
        pairs.shorter_chars,
        pairs.similarity_ratio,
    from pairs
    inner join records on pairs.record_id = records.record_id
    inner join records as other_records on pairs.other_record_id = other_records.record_id
)

select * from final
