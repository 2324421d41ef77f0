with room_definitions as (
    select
        *,
        lower(trim(difficulty)) as difficulty_lower,
    from {{ ref('stg_madbench__room_definitions') }}
),

pooled as (
    select
        *,
        nullif(difficulty_lower, '') as pool_difficulty,
        case
            when difficulty_lower = 'nightmare' then 'nightmare'
            when difficulty_lower <> '' then 'regular'
        end as split,
    from room_definitions
),

copies as (
    select
        dataset,
        split,
        room_id,
        count(*) as n_copies,
        count(distinct definition_sha256) as n_versions,
    from pooled
    group by dataset, split, room_id
),

-- A room may stand in several files of a data set: the first by path and line is the one shown.
shown as (
    select *
    from pooled
    qualify
        row_number() over (
            partition by dataset, split, room_id order by source_path, line_number
        ) = 1
),

final as (
    select
        shown.dataset,
        shown.split,
        shown.room_id,
        shown.source_path,
        shown.line_number,

        shown.pool_difficulty as difficulty,
        shown.room_type,
        shown.clue_domain,

        shown.n_puzzles,
        copies.n_copies,
        copies.n_versions,

        shown.definition_sha256,
        shown.room_json,
    from shown
    inner join copies
        on
            shown.dataset = copies.dataset
            and shown.split is not distinct from copies.split
            and shown.room_id is not distinct from copies.room_id
)

select * from final
