-- Three kinds counted again by another route, straight from the traces as staged. The other kinds
-- have a unit-test row for each way they can go.
with traces as (
    select * from {{ ref('stg_madbench__rooms') }}
),

evaluated_traces as (
    select
        dataset,
        trace_id,
        puzzles_solved,
        -- unnest drops a trace whose list is empty: the null in front keeps it
        unnest(
            list_prepend(null, json_extract_string(eval_results_json, '$[*]'))
        ) as eval_result,
    from traces
    where eval_results_json is not null
),

evaluation_counts as (
    select
        dataset,
        trace_id,
        puzzles_solved,
        count(*) filter (where eval_result = 'correct') as n_correct,
    from evaluated_traces
    group by dataset, trace_id, puzzles_solved
),

expected as (
    select
        dataset,
        'escaped_vs_file_name' as kind,
        count(*) as n_conflicts,
    from traces
    where (escaped and not file_escaped) or (not escaped and file_escaped)
    group by dataset
    union all by name
    select
        dataset,
        'escaped_vs_puzzles_solved' as kind,
        count(*) as n_conflicts,
    from {{ ref('rooms') }}
    where
        (escaped and puzzles_solved <> puzzles_total)
        or (not escaped and puzzles_solved = puzzles_total)
    group by dataset
    union all by name
    select
        dataset,
        'eval_results_vs_puzzles_solved' as kind,
        count(*) as n_conflicts,
    from evaluation_counts
    where n_correct <> puzzles_solved
    group by dataset
),

observed as (
    select
        dataset,
        kind,
        count(*) as n_conflicts,
    from {{ ref('label_conflicts') }}
    where kind not in ('escaped_vs_step_labels', 'json_vs_folder')
    group by dataset, kind
)

select
    coalesce(expected.dataset, observed.dataset) as dataset,
    coalesce(expected.kind, observed.kind) as kind,
    expected.n_conflicts as expected_n_conflicts,
    observed.n_conflicts as observed_n_conflicts,
from expected
full join observed
    on expected.dataset = observed.dataset and expected.kind = observed.kind
where expected.n_conflicts is distinct from observed.n_conflicts
