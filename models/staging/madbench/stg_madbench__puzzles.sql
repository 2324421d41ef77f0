with source as (
    select * from {{ source('madbench', 'puzzles') }}
),

final as (
    select
        dataset,
        run_id,
        trace_id,
        room_puzzle_index,
        puzzle_id,
        clue_item_id,
        clue_hint,
        clue_domain,
        clue_item_type,
        clue_problem,
        clue_answer,
        clue_answer_json,
        clue_delta_unit as delta_unit,
        clue_problem_id,
        clue_problem_metadata_json,
        item_id,
        item_type,
        item_desc,
        item_state,
        item_state_json,
        item_unit,
        item_trap,
        item_clock_json,
        ground_truth,
        ground_truth_json,
        level,
        is_solved_at_start,
        has_trap_item_desc,
        traps_json,
        all_items_order_json,
        all_clues_order_json,
    from source
)

select * from final
