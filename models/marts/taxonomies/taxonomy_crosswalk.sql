with crosswalk as (
    select * from {{ ref('int_modes_crosswalked') }}
),

final as (
    select
        mode_id,
        taxonomy,
        code,
        name,
        mast14_code,
        mast14_name,
        kind,
        overlap_chars,
        same_code,
        method,
        evidence,
    from crosswalk
)

select * from final
