with source as (
    select * from {{ source('mad', 'record_pairs') }}
),

final as (
    select
        {{ record_id() }} as record_id,
        {{ record_id('other_record_index') }} as other_record_id,
        dataset,
        is_identical,
        is_identical_after_whitespace,
        prefix_chars,
        shorter_chars,
        similarity_ratio,
    from source
)

select * from final
