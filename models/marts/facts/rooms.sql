with traces as (
    select * from {{ ref('int_traces_identified') }}
),

puzzles as (
    select trace_id, is_inert from {{ ref('int_puzzles_recomputed') }}
    where source_kind = 'trace'
),

puzzles_of_traces as (
    select
        trace_id,
        count(*) as n_puzzles,
        count(is_inert) as n_known_puzzles,
        count(*) filter (where not is_inert) as n_live_puzzles,
    from puzzles
    group by trace_id
),

final as (
    select
        traces.trace_id,
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

        traces.provider,
        traces.escaped,
        traces.puzzles_solved,
        traces.puzzles_total,
        traces.n_steps,
        traces.is_crashed,
        traces.timing_s,
        traces.started_at,
        traces.is_latest,
        traces.content_sha256,
        traces.error,
        traces.has_schema_failures,
        case
            when puzzles_of_traces.n_known_puzzles = puzzles_of_traces.n_puzzles
                then puzzles_of_traces.n_live_puzzles
        end as n_live_puzzles,
        case
            when puzzles_of_traces.n_live_puzzles > 0 then true
            when puzzles_of_traces.n_known_puzzles = puzzles_of_traces.n_puzzles then false
        end as is_live,
    from traces
    left join puzzles_of_traces on traces.trace_id = puzzles_of_traces.trace_id
)

select * from final
