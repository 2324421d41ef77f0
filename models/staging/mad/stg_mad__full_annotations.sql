with source as (
    select * from {{ source('mad', 'mad_full_annotations') }}
),

final as (
    select
        dataset || '/' || regexp_replace(source_path, '\.json$', '') || '/' || record_index
            as record_id,
        dataset,
        'mast-14:' || code as mode_id,
        code,
        label,
        label_json,
    from source
)

select * from final
