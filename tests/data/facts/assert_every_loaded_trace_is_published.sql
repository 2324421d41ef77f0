-- Traces and their puzzles, of every data set: as many as its loaded files say they hold. A data
-- set that one side lacks differs too.
with loaded_files as (
    select
        dataset,
        cast(sum(n_rooms) as bigint) as n_rooms,
        cast(sum(n_puzzles) as bigint) as n_puzzles,
    from {{ ref('stg_lake__source_files') }}
    where status = 'loaded' and kind = 'trace'
    group by dataset
),

puzzles_of_traces as (
    select trace_id, count(*) as n_puzzles
    from {{ ref('int_puzzles_recomputed') }}
    where source_kind = 'trace'
    group by trace_id
),

published_rooms as (
    select
        rooms.dataset,
        count(*) as n_rooms,
        cast(sum(coalesce(puzzles_of_traces.n_puzzles, 0)) as bigint) as n_puzzles,
    from {{ ref('rooms') }} as rooms
    left join puzzles_of_traces on rooms.trace_id = puzzles_of_traces.trace_id
    group by rooms.dataset
),

counted_runs as (
    select dataset, cast(sum(n_traces) as bigint) as n_rooms
    from {{ ref('stg_madbench__runs') }}
    group by dataset
)

select
    coalesce(loaded_files.dataset, published_rooms.dataset, counted_runs.dataset) as dataset,
    loaded_files.n_rooms as n_rooms_loaded,
    published_rooms.n_rooms as n_rooms_published,
    counted_runs.n_rooms as n_rooms_of_runs,
    loaded_files.n_puzzles as n_puzzles_loaded,
    published_rooms.n_puzzles as n_puzzles_published,
from loaded_files
full join published_rooms on loaded_files.dataset = published_rooms.dataset
full join counted_runs
    on coalesce(loaded_files.dataset, published_rooms.dataset) = counted_runs.dataset
where
    loaded_files.n_rooms is distinct from published_rooms.n_rooms
    or loaded_files.n_rooms is distinct from counted_runs.n_rooms
    or loaded_files.n_puzzles is distinct from published_rooms.n_puzzles
