with source as (
    select * from {{ source('madbench', 'runs') }}
),

final as (
    select
        dataset,
        run_id,
        run_path,
        name_started_at as started_at,
        name_model as folder_model,
        -- No decimal holds NaN, infinity or 1e9: such a temperature is none.
        try_cast(name_temperature as decimal(4, 2)) as folder_temperature,
        name_clue_domain as folder_clue_domain,
        name_unit_tools as folder_unit_tools,
        name_injection_mode as folder_injection_mode,
        name_is_nightmare as folder_is_nightmare,
        name_seed as folder_seed,
        n_traces,
    from source
)

select * from final
