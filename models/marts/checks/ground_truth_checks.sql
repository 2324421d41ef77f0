with puzzles as (
    select * from {{ ref('int_puzzles_recomputed') }}
),

latest_rooms as (
    select trace_id from {{ ref('rooms') }} where is_latest
),

-- a room definition belongs to no trace; an older trace has no match here, and goes
checked_puzzles as (
    select puzzles.*
    from puzzles
    left join latest_rooms on puzzles.trace_id = latest_rooms.trace_id
    where puzzles.source_kind = 'room_definition' or latest_rooms.trace_id is not null
),

final as (
    select
        case source_kind
            when 'trace' then 'trace/' || trace_id || '/' || room_puzzle_index
            else
                concat_ws(
                    '/',
                    source_kind,
                    dataset,
                    -- coalesce: an id names what is unknown, so that it stays whole
                    coalesce(split, '?'),
                    coalesce(room_id, '?'),
                    room_puzzle_index
                )
        end as check_id,
        source_kind,
        trace_id,
        dataset,
        split,
        room_id,
        puzzle_id,
        cast(room_puzzle_index as integer) as room_puzzle_index,

        item_type,
        item_unit,
        delta_unit,

        cast(item_state as double) as item_state,
        cast(clue_answer as double) as clue_answer,
        cast(published as double) as published,
        cast(recomputed as double) as recomputed,
        agrees,
        is_inert,
    from checked_puzzles
)

select * from final
