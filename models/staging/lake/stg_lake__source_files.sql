with source as (
    select * from {{ source('lake', 'source_files') }}
),

final as (
    select
        dataset,
        path,
        bytes,
        sha256,
        kind,
        run_id,
        status,
        error_code,
        error,
        error_at,
        n_rooms,
        n_puzzles,
        n_steps,
        unknown_keys_json,
    from source
)

select * from final
