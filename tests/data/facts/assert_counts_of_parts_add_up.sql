-- What runs and data sets count is what their rooms hold.
with rooms_of_runs as (
    select
        run_id,
        count(*) as n_traces,
        count(*) filter (where is_latest) as n_rooms,
        cast(sum(n_steps) as bigint) as n_steps,
    from {{ ref('rooms') }}
    group by run_id
),

runs_of_datasets as (
    select
        dataset,
        count(*) as n_runs,
        cast(sum(n_traces) as bigint) as n_traces,
        cast(sum(n_steps) as bigint) as n_steps,
    from {{ ref('runs') }}
    group by dataset
)

select
    coalesce(runs.run_id, rooms_of_runs.run_id) as id,
    runs.n_traces,
    rooms_of_runs.n_traces as n_traces_found,
from {{ ref('runs') }} as runs
full join rooms_of_runs on runs.run_id = rooms_of_runs.run_id
where
    runs.n_traces is distinct from rooms_of_runs.n_traces
    or runs.n_rooms is distinct from rooms_of_runs.n_rooms
    or runs.n_steps is distinct from rooms_of_runs.n_steps
union all by name
select
    coalesce(datasets.dataset, runs_of_datasets.dataset) as id,
    datasets.n_traces,
    runs_of_datasets.n_traces as n_traces_found,
from {{ ref('datasets') }} as datasets
full join runs_of_datasets on datasets.dataset = runs_of_datasets.dataset
where
    -- A data set of room files alone has no run.
    datasets.n_runs is distinct from coalesce(runs_of_datasets.n_runs, 0)
    or datasets.n_traces is distinct from coalesce(runs_of_datasets.n_traces, 0)
    or datasets.n_steps is distinct from coalesce(runs_of_datasets.n_steps, 0)
    or datasets.n_files
    is distinct from datasets.n_loaded + datasets.n_ignored + datasets.n_rejected
