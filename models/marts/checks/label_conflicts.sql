with traces as (
    select * from {{ ref('int_traces_identified') }}
),

attempts as (
    select * from {{ ref('attempts') }}
),

applied_deltas as (
    select * from {{ ref('steps') }} where action = 'APPLY_DELTA' and attempt_id is not null
),

-- one row per attempt that applied anything: the label of its last application, null if it has none
last_applications as (
    select
        attempt_id,
        arg_max_null(status, step_index) as status,
    from applied_deltas
    group by attempt_id
),

-- one row per puzzle taken up in a trace
last_attempts as (
    select
        trace_id,
        arg_max(attempt_id, attempt) as attempt_id,
    from attempts
    group by trace_id, puzzle_index
),

-- one row per trace with an attempt in it: how its puzzles ended, as the steps are labelled
labelled_endings as (
    select
        last_attempts.trace_id,
        count(*) filter (where last_applications.status = 'correct') as n_correct,
        count(*) filter (
            where last_applications.attempt_id is not null and last_applications.status is null
        ) as n_unlabelled,
    from last_attempts
    left join last_applications on last_attempts.attempt_id = last_applications.attempt_id
    group by last_attempts.trace_id
),

-- one row per trace that recorded its evaluations
evaluations as (
    select
        trace_id,
        len(
            list_filter(
                json_extract_string(eval_results_json, '$[*]'),
                lambda eval_result: eval_result = 'correct'
            )
        ) as n_correct,
    from traces
    where eval_results_json is not null
),

-- one row per trace and thing that two sources may say of it, null where a source is silent
comparisons as (
    select
        trace_id,
        'escaped_vs_file_name' as kind,
        'escaped' as attribute,
        'file name' as other_source,
        cast(json_escaped as varchar) as json_value,
        cast(file_escaped as varchar) as other_value,
        cast(null as varchar) as detail,
    from traces
    union all by name
    select
        trace_id,
        'escaped_vs_puzzles_solved' as kind,
        'escaped' as attribute,
        'puzzles solved' as other_source,
        cast(escaped as varchar) as json_value,
        cast(puzzles_solved = puzzles_total as varchar) as other_value,
        puzzles_solved || ' of ' || puzzles_total || ' puzzles solved' as detail,
    from traces
    union all by name
    select
        traces.trace_id,
        'eval_results_vs_puzzles_solved' as kind,
        'puzzles_solved' as attribute,
        'puzzles solved' as other_source,
        cast(evaluations.n_correct as varchar) as json_value,
        cast(traces.puzzles_solved as varchar) as other_value,
        traces.eval_results_json as detail,
    from traces
    inner join evaluations on traces.trace_id = evaluations.trace_id
    union all by name
    select
        traces.trace_id,
        'escaped_vs_step_labels' as kind,
        'escaped' as attribute,
        'step labels' as other_source,
        cast(traces.escaped as varchar) as json_value,
        cast(labelled_endings.n_correct = traces.puzzles_total as varchar) as other_value,
        labelled_endings.n_correct || ' of ' || traces.puzzles_total
        || ' puzzles end in a correct APPLY_DELTA' as detail,
    from traces
    inner join labelled_endings on traces.trace_id = labelled_endings.trace_id
    where labelled_endings.n_unlabelled = 0
    union all by name
    select
        trace_id,
        'json_vs_folder' as kind,
        'model' as attribute,
        'folder name' as other_source,
        json_model as json_value,
        folder_model as other_value,
        null as detail,
    from traces
    union all by name
    select
        trace_id,
        'json_vs_folder' as kind,
        'temperature' as attribute,
        'folder name' as other_source,
        cast(json_temperature as varchar) as json_value,
        cast(folder_temperature as varchar) as other_value,
        null as detail,
    from traces
    union all by name
    select
        trace_id,
        'json_vs_folder' as kind,
        'temperature' as attribute,
        'file name' as other_source,
        cast(json_temperature as varchar) as json_value,
        cast(file_temperature as varchar) as other_value,
        null as detail,
    from traces
    union all by name
    select
        trace_id,
        'json_vs_folder' as kind,
        'clue_domain' as attribute,
        'folder name' as other_source,
        json_clue_domain as json_value,
        folder_clue_domain as other_value,
        null as detail,
    from traces
    union all by name
    select
        trace_id,
        'json_vs_folder' as kind,
        'unit_tools' as attribute,
        'folder name' as other_source,
        cast(json_unit_tools as varchar) as json_value,
        cast(folder_unit_tools as varchar) as other_value,
        null as detail,
    from traces
    union all by name
    select
        trace_id,
        'json_vs_folder' as kind,
        'is_nightmare' as attribute,
        'folder name' as other_source,
        cast(json_difficulty = 'nightmare' as varchar) as json_value,
        cast(folder_is_nightmare as varchar) as other_value,
        null as detail,
    from traces
    union all by name
    select
        trace_id,
        'json_vs_folder' as kind,
        'injection_mode' as attribute,
        'folder name' as other_source,
        json_injection_mode as json_value,
        folder_injection_mode as other_value,
        null as detail,
    from traces
    union all by name
    select
        trace_id,
        'json_vs_folder' as kind,
        'room_id' as attribute,
        'file name' as other_source,
        json_room_id as json_value,
        file_room_id as other_value,
        null as detail,
    from traces
    union all by name
    select
        trace_id,
        'json_vs_folder' as kind,
        'difficulty' as attribute,
        'file name' as other_source,
        json_difficulty as json_value,
        file_difficulty as other_value,
        null as detail,
    from traces
),

-- `<>` is null, and the row goes, where either source is silent
conflicts as (
    select * from comparisons where json_value <> other_value
),

final as (
    select
        conflicts.trace_id,
        conflicts.kind,
        conflicts.attribute,
        conflicts.other_source,

        traces.run_id,
        traces.room_id,
        traces.source_path,
        traces.dataset,
        traces.split,
        traces.model,
        traces.temperature,
        traces.difficulty,
        traces.clue_domain,
        traces.unit_tools,
        traces.injection,

        conflicts.json_value,
        conflicts.other_value,
        conflicts.detail,
        traces.is_latest,
    from conflicts
    inner join traces on conflicts.trace_id = traces.trace_id
)

select * from final
