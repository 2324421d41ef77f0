with modes as (
    select * from {{ ref('int_modes_merged') }}
),

final as (
    select
        mode_id,
        taxonomy,
        code,
        name,
        description,
        mode_index,
        n_records,
        n_places,
        dataset,
        found_in,
    from modes
)

select * from final
