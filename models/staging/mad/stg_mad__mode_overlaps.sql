with source as (
    select * from {{ source('mad', 'mode_overlaps') }}
),

final as (
    select
        taxonomy || ':' || code as mode_id,
        other_taxonomy || ':' || other_code as other_mode_id,
        dataset,
        source_path,
        taxonomy,
        other_taxonomy,
        overlap_chars,
    from source
)

select * from final
