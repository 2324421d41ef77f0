with source as (
    select * from {{ source('mad', 'taxonomy_modes') }}
),

final as (
    select
        taxonomy || ':' || code as mode_id,
        dataset,
        source_path,
        taxonomy,
        mode_index,
        code,
        nullif(trim(name), '') as name,
        nullif(trim(description), '') as description,
        n_records,
    from source
)

select * from final
