with records as (
    select dataset, record_id, record_index, round, taxonomy, mas_name, n_modes, annotations_sha256
    from {{ ref('stg_mad__human_records') }}
),

final as (
    select
        dataset,
        annotations_sha256,
        string_agg(record_id, ', ' order by record_index, record_id) as record_ids,
        string_agg(distinct round, ', ' order by round) as rounds,
        string_agg(distinct taxonomy, ', ' order by taxonomy) as taxonomies,
        string_agg(distinct mas_name, ', ' order by mas_name) as frameworks,
        max(n_modes) as n_modes,
        count(*) as n_records,
        count(distinct round) as n_rounds,
        count(distinct mas_name) as n_frameworks,
        count(*) > 1 as is_shared,
    from records
    group by dataset, annotations_sha256
)

select * from final
