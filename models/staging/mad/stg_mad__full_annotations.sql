with source as (
    select * from {{ source('mad', 'mad_full_annotations') }}
),

final as (
    select
        {{ record_id() }} as record_id,
        dataset,
        'mast-14:' || code as mode_id,
        code,
        label,
        label_json,
    from source
)

select * from final
