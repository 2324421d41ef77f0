with source_files as (
    select * from {{ ref('stg_lake__source_files') }}
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
    from source_files
)

select * from final
