with annotations as (
    select * from {{ ref('stg_mad__full_annotations') }}
),

crosswalk as (
    select mode_id, mast14_code, mast14_name from {{ ref('int_modes_crosswalked') }}
),

final as (
    select
        annotations.record_id,
        annotations.mode_id,

        annotations.dataset,
        annotations.code,
        crosswalk.mast14_code,
        crosswalk.mast14_name,

        annotations.label,
        annotations.label_json,
    from annotations
    left join crosswalk on annotations.mode_id = crosswalk.mode_id
)

select * from final
