-- Every data set: the puzzles of its newest traces, and those of the definitions shown.
with puzzle_counts as (
    select
        'trace' as source_kind,
        puzzles.dataset,
        count(*) as n_puzzles,
    from {{ ref('stg_madbench__puzzles') }} as puzzles
    inner join {{ ref('rooms') }} as rooms on puzzles.trace_id = rooms.trace_id
    where rooms.is_latest
    group by puzzles.dataset
    union all by name
    select
        'room_definition' as source_kind,
        dataset,
        sum(n_copies) as n_puzzles,
    from {{ ref('puzzle_definitions') }}
    group by dataset
),

check_counts as (
    select
        source_kind,
        dataset,
        count(*) as n_puzzles,
    from {{ ref('ground_truth_checks') }}
    group by source_kind, dataset
)

select
    coalesce(puzzle_counts.source_kind, check_counts.source_kind) as source_kind,
    coalesce(puzzle_counts.dataset, check_counts.dataset) as dataset,
    puzzle_counts.n_puzzles as expected_n_puzzles,
    check_counts.n_puzzles as observed_n_puzzles,
from puzzle_counts
full join check_counts
    on
        puzzle_counts.source_kind = check_counts.source_kind
        and puzzle_counts.dataset = check_counts.dataset
where puzzle_counts.n_puzzles is distinct from check_counts.n_puzzles
