with rooms as (
    select * from {{ ref('stg_madbench__rooms') }}
),

runs as (
    select * from {{ ref('stg_madbench__runs') }}
),

step_texts as (
    select trace_id, run_id, step_index, injection_json, prompt_injection_json
    from {{ ref('stg_madbench__step_texts') }}
    where injection_json is not null or prompt_injection_json is not null
),

-- `position` is the order of the trace: a step's injection stands before its prompt injection.
injection_texts as (
    select
        trace_id,
        run_id,
        'output' as kind,
        injection_json as injection_text,
        step_index * 2 as position,
    from step_texts
    union all by name
    select
        trace_id,
        run_id,
        'prompt' as kind,
        prompt_injection_json as injection_text,
        step_index * 2 + 1 as position,
    from step_texts
),

injections as (
    select
        trace_id,
        run_id,
        kind,
        position,
        nullif(regexp_extract(injection_text, 'FM-[0-9]+\.[0-9]+'), '') as mode,
    from injection_texts
    where trim(injection_text) not in ('', 'null', 'false', '{}', '""', '[]')
),

injected_traces as (
    select
        trace_id,
        run_id,
        arg_min(mode, position) as mode,
        coalesce(
            arg_min(kind, position) filter (where mode is not null), arg_min(kind, position)
        ) as kind,
    from injections
    group by trace_id, run_id
),

injected_runs as (
    select
        run_id,
        case when min(kind) = max(kind) then min(kind) end as only_kind,
    from injected_traces
    group by run_id
),

resolved as (
    select
        rooms.trace_id,
        rooms.run_id,
        coalesce(nullif(trim(rooms.room_id), ''), rooms.file_room_id) as room_id,
        rooms.dataset,
        rooms.source_path,
        rooms.content_sha256,
        coalesce(rooms.model, nullif(trim(runs.folder_model), '')) as model,
        -- What the trace says but cannot be used is unknown: no name speaks in its place.
        coalesce(
            rooms.temperature,
            case
                when rooms.temperature_json is null
                    then coalesce(rooms.file_temperature, runs.folder_temperature)
            end
        ) as temperature,
        coalesce(
            nullif(lower(trim(rooms.difficulty)), ''),
            nullif(lower(trim(rooms.file_difficulty)), ''),
            case when runs.folder_is_nightmare then 'nightmare' end
        ) as difficulty,
        coalesce(
            nullif(trim(rooms.benchmark_clue_domain), ''),
            nullif(trim(rooms.room_clue_domain), ''),
            nullif(trim(runs.folder_clue_domain), ''),
            'gsm-hard'
        ) as clue_domain,
        coalesce(rooms.benchmark_unit_tools, runs.folder_unit_tools, false) as unit_tools,
        coalesce(
            injected_traces.mode,
            runs.folder_injection_mode,
            case when injected_traces.kind is not null then 'unknown' end
        ) as injection_mode,
        coalesce(injected_traces.kind, injected_runs.only_kind) as injection_kind,
        rooms.provider,
        coalesce(
            rooms.escaped, rooms.file_escaped, case when rooms.n_steps = 0 then false end
        ) as escaped,
        rooms.puzzles_solved,
        rooms.puzzles_total,
        rooms.n_steps,
        rooms.n_steps = 0 as is_crashed,
        rooms.timing_s,
        rooms.started_at,
        rooms.error,
        rooms.n_schema_failures > 0 as has_schema_failures,
        rooms.eval_results_json,
        nullif(trim(rooms.room_id), '') as json_room_id,
        rooms.model as json_model,
        rooms.temperature as json_temperature,
        nullif(lower(trim(rooms.difficulty)), '') as json_difficulty,
        coalesce(
            nullif(trim(rooms.benchmark_clue_domain), ''), nullif(trim(rooms.room_clue_domain), '')
        ) as json_clue_domain,
        rooms.benchmark_unit_tools as json_unit_tools,
        injected_traces.mode as json_injection_mode,
        rooms.escaped as json_escaped,
        rooms.file_room_id,
        nullif(lower(trim(rooms.file_difficulty)), '') as file_difficulty,
        rooms.file_temperature,
        rooms.file_escaped,
        nullif(trim(runs.folder_model), '') as folder_model,
        runs.folder_temperature,
        nullif(trim(runs.folder_clue_domain), '') as folder_clue_domain,
        runs.folder_unit_tools,
        runs.folder_injection_mode,
        runs.folder_is_nightmare,
    from rooms
    left join runs on rooms.run_id = runs.run_id
    left join injected_traces on rooms.trace_id = injected_traces.trace_id
    left join injected_runs on rooms.run_id = injected_runs.run_id
),

conditions as (
    select
        *,
        case
            when difficulty = 'nightmare' then 'nightmare'
            when difficulty is not null then 'regular'
        end as split,
        case
            when injection_mode is null then 'none'
            when injection_kind is null then injection_mode
            else injection_mode || ' ' || injection_kind
        end as injection,
    from resolved
),

final as (
    select
        trace_id,
        run_id,
        room_id,
        source_path,

        dataset,
        split,
        model,
        temperature,
        difficulty,
        clue_domain,
        unit_tools,
        injection,

        provider,
        escaped,
        puzzles_solved,
        puzzles_total,
        n_steps,
        is_crashed,
        timing_s,
        started_at,
        -- A trace that names no room is not known to repeat another: it stands alone.
        row_number() over (
            partition by run_id, split, room_id, case when room_id is null then trace_id end
            order by started_at desc nulls last, source_path desc
        ) = 1 as is_latest,
        content_sha256,
        error,
        has_schema_failures,
        eval_results_json,

        json_room_id,
        json_model,
        json_temperature,
        json_difficulty,
        json_clue_domain,
        json_unit_tools,
        json_injection_mode,
        json_escaped,
        file_room_id,
        file_difficulty,
        file_temperature,
        file_escaped,
        folder_model,
        folder_temperature,
        folder_clue_domain,
        folder_unit_tools,
        folder_injection_mode,
        folder_is_nightmare,
    from conditions
)

select * from final
