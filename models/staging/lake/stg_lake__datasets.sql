with source as (
    select * from {{ source('lake', 'datasets') }}
),

final as (
    select
        dataset,
        is_synthetic,
        description,
        source,
        licence,
        revision,
        is_bundled,
    from source
)

select * from final
