with annotations as (
    select * from {{ ref('stg_mad__human_annotations') }}
),

records as (
    select record_id, round, taxonomy, mas_name from {{ ref('stg_mad__human_records') }}
),

crosswalk as (
    select mode_id, mast14_code, mast14_name from {{ ref('int_modes_crosswalked') }}
),

final as (
    select
        annotations.record_id,
        cast(annotations.mode_index as integer) as mode_index,
        annotations.annotator,

        annotations.dataset,
        records.round,
        records.taxonomy,
        records.mas_name,
        records.taxonomy || ':' || annotations.code as mode_id,
        annotations.code,
        annotations.name,
        crosswalk.mast14_code,
        crosswalk.mast14_name,

        annotations.vote,
        annotations.vote_json,
    from annotations
    inner join records on annotations.record_id = records.record_id
    left join crosswalk on records.taxonomy || ':' || annotations.code = crosswalk.mode_id
)

select * from final
