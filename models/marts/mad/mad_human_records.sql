with records as (
    select * from {{ ref('stg_mad__human_records') }}
),

blocks as (
    select dataset, annotations_sha256, n_records from {{ ref('int_blocks_grouped') }}
),

final as (
    select
        records.record_id,
        records.dataset,
        records.source_path,
        records.record_index,

        records.round,
        records.taxonomy,
        records.mas_name,
        records.benchmark_name,
        records.trace_id,

        records.n_modes,
        cast(blocks.n_records as bigint) as n_records_of_block,

        records.source_mas_name,
        records.source_benchmark_name,
        records.is_corrected,
        records.annotations_sha256,
        records.body_sha256,
        records.extra_json,
    from records
    inner join blocks
        on
            records.dataset = blocks.dataset
            and records.annotations_sha256 = blocks.annotations_sha256
)

select * from final
