with steps as (
    select step_id, step_index, action, status from {{ ref('int_steps_labelled') }}
),

places as (
    select step_id, trace_id, attempt_id, puzzle_index, puzzle_id, attempt
    from {{ ref('int_steps_placed') }}
    where attempt_id is not null
),

traces as (
    select * from {{ ref('int_traces_identified') }}
),

steps_of_attempts as (
    select
        places.trace_id,
        places.attempt_id,
        places.puzzle_index,
        places.puzzle_id,
        places.attempt,
        steps.step_index,
        steps.action,
        steps.status,
        case steps.status when 'correct' then 'o' when 'wrong' then 'x' else '?' end as letter,
    from places
    inner join steps on places.step_id = steps.step_id
),

-- The puzzle of an attempt is one: `min` only picks it.
attempts as (
    select
        attempt_id,
        trace_id,
        puzzle_index,
        attempt,
        min(puzzle_id) as puzzle_id,
        min(step_index) as first_step_index,
        count(*) as n_steps,
        count(*) filter (where status = 'wrong') as n_wrong,
        count(*) filter (where status is null) as n_unlabelled,
        min(step_index) filter (where status = 'wrong') as first_wrong_step_index,
        arg_min(action, step_index) filter (where status = 'wrong') as wrong_action,
        string_agg(letter, '' order by step_index) as step_pattern,
    from steps_of_attempts
    group by attempt_id, trace_id, puzzle_index, attempt
),

attempts_in_order as (
    select
        *,
        row_number() over (partition by trace_id order by first_step_index) as attempt_number,
        count(*) over (partition by trace_id) as n_attempts,
        attempt = max(attempt) over (partition by trace_id, puzzle_index) as is_last_attempt,
    from attempts
),

eval_results as (
    select
        trace_id,
        try(json_extract_string(eval_results_json, '$[*]')) as eval_results,
    from traces
    where eval_results_json is not null
),

final as (
    select
        attempts_in_order.attempt_id,
        traces.trace_id,
        traces.run_id,
        traces.room_id,

        traces.dataset,
        traces.split,
        traces.model,
        traces.temperature,
        traces.difficulty,
        traces.clue_domain,
        traces.unit_tools,
        traces.injection,

        attempts_in_order.puzzle_index,
        attempts_in_order.puzzle_id,
        attempts_in_order.attempt,
        attempts_in_order.n_steps,
        attempts_in_order.n_wrong,
        case
            when attempts_in_order.n_wrong > 0 then attempts_in_order.wrong_action
            when attempts_in_order.n_unlabelled > 0 then 'unknown'
            else 'none'
        end as first_wrong_action,
        attempts_in_order.first_wrong_step_index,
        attempts_in_order.step_pattern,
        case
            when traces.puzzles_solved is not null
                then
                    attempts_in_order.is_last_attempt
                    and attempts_in_order.puzzle_index < traces.puzzles_solved
        end as is_solved,
        case
            when len(eval_results.eval_results) = attempts_in_order.n_attempts
                then eval_results.eval_results[attempts_in_order.attempt_number]
        end as eval_result,
        traces.is_latest,
    from attempts_in_order
    inner join traces on attempts_in_order.trace_id = traces.trace_id
    left join eval_results on attempts_in_order.trace_id = eval_results.trace_id
)

select * from final
