with blocks as (
    select * from {{ ref('int_blocks_grouped') }}
),

final as (
    select
        dataset,
        annotations_sha256,

        record_ids,
        rounds,
        taxonomies,
        frameworks,

        cast(n_modes as bigint) as n_modes,
        cast(n_records as bigint) as n_records,
        cast(n_rounds as bigint) as n_rounds,
        cast(n_frameworks as bigint) as n_frameworks,
        cast(count(*) over (partition by dataset) as bigint) as n_effective,
        cast(sum(n_records) over (partition by dataset) as bigint) as n_records_of_dataset,
        is_shared,
    from blocks
)

select * from final
