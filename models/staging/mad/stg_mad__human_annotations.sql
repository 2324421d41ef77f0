with source as (
    select * from {{ source('mad', 'mad_human_annotations') }}
),

final as (
    select
        dataset || '/' || regexp_replace(source_path, '\.json$', '') || '/' || record_index
            as record_id,
        dataset,
        mode_index,
        code,
        name,
        annotator,
        vote,
        vote_json,
    from source
)

select * from final
