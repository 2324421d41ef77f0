with room_definitions as (
    select * from {{ ref('int_room_definitions_merged') }}
),

puzzles as (
    select dataset, split, room_id, is_inert from {{ ref('int_puzzles_recomputed') }}
    where source_kind = 'room_definition'
),

live_puzzles as (
    select
        dataset,
        split,
        room_id,
        case when count(is_inert) = count(*) then count(*) filter (where not is_inert) end
            as n_live_puzzles,
    from puzzles
    group by dataset, split, room_id
),

final as (
    select
        room_definitions.dataset,
        room_definitions.split,
        room_definitions.room_id,

        room_definitions.difficulty,
        room_definitions.room_type,
        room_definitions.clue_domain,
        room_definitions.n_puzzles,
        live_puzzles.n_live_puzzles,
        room_definitions.n_copies,
        room_definitions.n_versions,

        room_definitions.source_path,
        room_definitions.line_number,
        room_definitions.definition_sha256,
        room_definitions.room_json,
    from room_definitions
    left join live_puzzles
        on
            room_definitions.dataset = live_puzzles.dataset
            and room_definitions.split is not distinct from live_puzzles.split
            and room_definitions.room_id is not distinct from live_puzzles.room_id
)

select * from final
