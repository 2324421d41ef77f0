with steps as (
    select * from {{ ref('int_steps_labelled') }}
),

places as (
    select step_id, attempt_id, puzzle_index, puzzle_id, attempt
    from {{ ref('int_steps_placed') }}
),

failure_modes as (
    select step_id, failure_mode, failure_mode_rule from {{ ref('int_failure_modes_assigned') }}
),

judgements as (
    select step_id, error_origin, propagation_role from {{ ref('int_steps_judged') }}
),

traces as (
    select
        trace_id,
        room_id,
        dataset,
        split,
        model,
        temperature,
        difficulty,
        clue_domain,
        unit_tools,
        injection,
        is_latest,
    from {{ ref('int_traces_identified') }}
),

final as (
    select
        steps.step_id,
        places.attempt_id,
        steps.run_id,
        steps.trace_id,
        traces.room_id,

        traces.dataset,
        traces.split,
        traces.model,
        traces.temperature,
        traces.difficulty,
        traces.clue_domain,
        traces.unit_tools,
        traces.injection,

        places.puzzle_index,
        places.puzzle_id,
        places.attempt,
        steps.step_index,

        steps.action,
        steps.agent,
        steps.status,
        steps.error_desc,
        steps.error_type,
        -- the trace's own label goes before a rule
        coalesce(steps.failure_mode, failure_modes.failure_mode) as failure_mode,
        coalesce(steps.failure_mode_rule, failure_modes.failure_mode_rule) as failure_mode_rule,
        steps.has_schema_error,
        steps.timed_out,
        steps.superlong_reasoning,
        steps.is_anomalous,
        steps.confidence,
        steps.duration_s,
        steps.input_tokens,
        steps.output_tokens,
        case
            when steps.status = 'wrong' then coalesce(judgements.error_origin, 'own')
        end as error_origin,
        judgements.propagation_role,
        steps.action_id,
        steps.parent_action_id,
        traces.is_latest,
    from steps
    inner join traces on steps.trace_id = traces.trace_id
    left join places on steps.step_id = places.step_id
    left join failure_modes on steps.step_id = failure_modes.step_id
    left join judgements on steps.step_id = judgements.step_id
)

select * from final
