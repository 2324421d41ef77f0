with records as (
    select * from {{ ref('stg_mad__full_records') }}
),

annotations as (
    select record_id, label from {{ ref('stg_mad__full_annotations') }}
),

labels_of_records as (
    select
        record_id,
        count(*) filter (where label) as n_positive,
        count(*) filter (where label is null) as n_unknown,
    from annotations
    group by record_id
),

final as (
    select
        records.record_id,
        records.dataset,
        records.source_path,
        records.record_index,

        records.mas_name,
        records.llm_name,
        records.benchmark_name,
        records.trace_id,
        records.trace_key,
        records.trace_index,

        -- null, not zero, where the record has no annotation at all
        cast(labels_of_records.n_positive as bigint) as n_positive,
        cast(labels_of_records.n_unknown as bigint) as n_unknown,

        records.annotation_json,
        records.body_sha256,
        records.extra_json,
    from records
    left join labels_of_records on records.record_id = labels_of_records.record_id
)

select * from final
