with source as (
    select * from {{ source('madbench', 'distractors') }}
),

final as (
    select
        dataset,
        run_id,
        trace_id,
        room_puzzle_index,
        puzzle_id,
        kind,
        distractor_index,
        item_id,
        item_type,
        description,
        domain,
        state,
        state_json,
        unit,
        trap,
        clock_json,
        is_fake,
    from source
)

select * from final
