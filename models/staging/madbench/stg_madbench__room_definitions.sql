with source as (
    select * from {{ source('madbench', 'room_definitions') }}
),

final as (
    select
        dataset,
        source_path,
        line_number,
        room_id,
        difficulty,
        room_type,
        clue_domain,
        cast(n_puzzles as bigint) as n_puzzles,
        definition_sha256,
        room_json,
    from source
)

select * from final
