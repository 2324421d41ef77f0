with source as (
    select * from {{ source('mad', 'record_pairs') }}
),

final as (
    select
        dataset || '/' || regexp_replace(source_path, '\.json$', '') || '/' || record_index
            as record_id,
        dataset || '/' || regexp_replace(source_path, '\.json$', '') || '/'
        || other_record_index as other_record_id,
        dataset,
        is_identical,
        is_identical_after_whitespace,
        prefix_chars,
        shorter_chars,
        similarity_ratio,
    from source
)

select * from final
