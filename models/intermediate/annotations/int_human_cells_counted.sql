with annotations as (
    select * from {{ ref('stg_mad__human_annotations') }}
),

records as (
    select record_id, dataset, round, taxonomy, mas_name, annotations_sha256
    from {{ ref('stg_mad__human_records') }}
),

crosswalk as (
    select mode_id, mast14_code from {{ ref('int_modes_crosswalked') }}
),

-- one row per record and mode, with its votes; a vote that is not there is neither yes nor no
cells as (
    select
        record_id,
        mode_index,
        any_value(code) as code,  -- one mode has one code
        count(*) filter (where vote) as n_yes,
        count(*) filter (where not vote) as n_no,
        count(*) filter (where vote is null) as n_missing,
    from annotations
    group by record_id, mode_index
),

final as (
    select
        cells.record_id,
        cells.mode_index,

        records.dataset,
        records.round,
        records.taxonomy,
        records.mas_name,
        records.annotations_sha256,
        records.taxonomy || ':' || cells.code as mode_id,
        cells.code,
        crosswalk.mast14_code,

        cells.n_yes,
        cells.n_no,
        cells.n_missing,
        cells.n_yes = cells.n_no and cells.n_yes > 0 as is_tie,
        case
            when cells.n_yes > cells.n_no then true
            when cells.n_yes < cells.n_no then false
        end as majority,
    from cells
    inner join records on cells.record_id = records.record_id
    left join crosswalk on records.taxonomy || ':' || cells.code = crosswalk.mode_id
)

select * from final
