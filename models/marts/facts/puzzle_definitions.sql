with room_definitions as (
    select dataset, split, room_id, difficulty, source_path, line_number
    from {{ ref('int_room_definitions_merged') }}
),

puzzles as (
    select * from {{ ref('stg_madbench__puzzle_definitions') }}
),

recomputed_puzzles as (
    select dataset, split, room_id, room_puzzle_index, is_inert
    from {{ ref('int_puzzles_recomputed') }}
    where source_kind = 'room_definition'
),

puzzles_of_shown_rooms as (
    select
        puzzles.*,
        room_definitions.split,
        room_definitions.room_id,
        room_definitions.difficulty,
        count(*) over (
            partition by
                room_definitions.dataset,
                room_definitions.split,
                room_definitions.room_id,
                puzzles.puzzle_id
        ) as n_copies,
    from puzzles
    inner join room_definitions
        on
            puzzles.dataset = room_definitions.dataset
            and puzzles.source_path = room_definitions.source_path
            and puzzles.line_number = room_definitions.line_number
    -- A room that gives two puzzles one name shows the first; `n_copies` tells of the others.
    qualify
        row_number() over (
            partition by
                room_definitions.dataset,
                room_definitions.split,
                room_definitions.room_id,
                puzzles.puzzle_id
            order by puzzles.room_puzzle_index
        ) = 1
),

final as (
    select
        shown.dataset,
        shown.split,
        shown.room_id,
        shown.puzzle_id,

        shown.room_puzzle_index,
        shown.difficulty,
        shown.level,
        shown.clue_domain,
        shown.clue_problem_id,
        shown.clue_item_id,
        shown.clue_hint,
        shown.clue_problem,
        shown.clue_answer,
        shown.delta_unit,
        shown.item_id,
        shown.item_type,
        shown.item_desc,
        shown.item_state,
        shown.item_unit,
        shown.item_trap,
        shown.ground_truth,
        recomputed_puzzles.is_inert,
        shown.traps_json,
        shown.n_copies,

        shown.source_path,
        shown.line_number,
    from puzzles_of_shown_rooms as shown
    left join recomputed_puzzles
        on
            shown.dataset = recomputed_puzzles.dataset
            and shown.split is not distinct from recomputed_puzzles.split
            and shown.room_id is not distinct from recomputed_puzzles.room_id
            and shown.room_puzzle_index = recomputed_puzzles.room_puzzle_index
)

select * from final
