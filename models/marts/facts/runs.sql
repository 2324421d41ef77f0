with runs as (
    select * from {{ ref('stg_madbench__runs') }}
),

traces as (
    select * from {{ ref('int_traces_identified') }}
),

-- A condition is the run's when every trace has it and all agree; a mixed one is null.
traces_of_runs as (
    select
        run_id,
        case
            when min(split) = max(split) and count(split) = count(*) then min(split)
        end as split,
        case
            when min(model) = max(model) and count(model) = count(*) then min(model)
        end as model,
        case
            when min(temperature) = max(temperature) and count(temperature) = count(*)
                then min(temperature)
        end as temperature,
        case when min(clue_domain) = max(clue_domain) then min(clue_domain) end as clue_domain,
        case when bool_and(unit_tools) = bool_or(unit_tools) then bool_and(unit_tools) end
            as unit_tools,
        case when min(injection) = max(injection) then min(injection) end as injection,
        count(*) as n_traces,
        count(*) filter (where is_latest) as n_rooms,
        count(*) filter (where is_latest and is_crashed) as n_crashed,
        count(*) filter (where is_latest and escaped) as n_escaped,
        cast(sum(n_steps) as bigint) as n_steps,
    from traces
    group by run_id
),

final as (
    select
        runs.run_id,
        runs.run_path,
        runs.folder_seed as seed,

        runs.dataset,
        traces_of_runs.split,
        traces_of_runs.model,
        traces_of_runs.temperature,
        traces_of_runs.clue_domain,
        traces_of_runs.unit_tools,
        traces_of_runs.injection,

        -- A run without a trace left has none: here zero is what is known.
        coalesce(traces_of_runs.n_traces, 0) as n_traces,
        coalesce(traces_of_runs.n_rooms, 0) as n_rooms,
        coalesce(traces_of_runs.n_crashed, 0) as n_crashed,
        coalesce(traces_of_runs.n_escaped, 0) as n_escaped,
        coalesce(traces_of_runs.n_steps, 0) as n_steps,

        runs.started_at,
    from runs
    left join traces_of_runs on runs.run_id = traces_of_runs.run_id
)

select * from final
