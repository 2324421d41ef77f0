with source as (
    select * from {{ source('madbench', 'rooms') }}
),

final as (
    select
        dataset,
        run_id,
        trace_id,
        source_path,
        content_sha256,
        name_started_at as started_at,
        name_room_id as file_room_id,
        name_difficulty as file_difficulty,
        -- No decimal holds NaN, infinity or 1e9: such a temperature is none.
        try_cast(name_temperature as decimal(4, 2)) as file_temperature,
        name_escaped as file_escaped,
        provider,
        nullif(trim(split_part(llm_model, '/', -1)), '') as model,
        try_cast(temperature as decimal(4, 2)) as temperature,
        temperature_json,
        benchmark_clue_domain,
        benchmark_unit_tools,
        room_id,
        difficulty,
        room_type,
        room_clue_domain,
        cast(n_puzzles as bigint) as n_puzzles,
        cast(n_steps as bigint) as n_steps,
        escaped,
        cast(puzzles_solved as bigint) as puzzles_solved,
        cast(puzzles_total as bigint) as puzzles_total,
        timing_s,
        error,
        eval_results_json,
        cast(n_schema_failures as bigint) as n_schema_failures,
        config_json,
        room_rest_json,
        failure_report_json,
        extra_json,
    from source
)

select * from final
