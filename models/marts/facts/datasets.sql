with datasets as (
    select * from {{ ref('stg_lake__datasets') }}
),

source_files as (
    select dataset, path, sha256, status from {{ ref('stg_lake__source_files') }}
),

runs as (
    select dataset from {{ ref('stg_madbench__runs') }}
),

traces as (
    select dataset, n_steps from {{ ref('int_traces_identified') }}
),

files_of_datasets as (
    select
        dataset,
        count(*) as n_files,
        count(*) filter (where status = 'loaded') as n_loaded,
        count(*) filter (where status = 'ignored') as n_ignored,
        count(*) filter (where status = 'rejected') as n_rejected,
        sha256(
            coalesce(
                string_agg(path || chr(9) || sha256, chr(10) order by path)
                filter (where status = 'loaded'),
                ''
            )
        ) as fingerprint,
    from source_files
    group by dataset
),

runs_of_datasets as (
    select dataset, count(*) as n_runs
    from runs
    group by dataset
),

traces_of_datasets as (
    select dataset, count(*) as n_traces, cast(sum(n_steps) as bigint) as n_steps
    from traces
    group by dataset
),

final as (
    select
        datasets.dataset,

        datasets.is_synthetic,
        datasets.description,
        datasets.source,
        datasets.licence,
        datasets.revision,
        datasets.is_bundled,

        -- What no file, run or trace belongs to has none of them: here zero is what is known.
        coalesce(files_of_datasets.n_files, 0) as n_files,
        coalesce(files_of_datasets.n_loaded, 0) as n_loaded,
        coalesce(files_of_datasets.n_ignored, 0) as n_ignored,
        coalesce(files_of_datasets.n_rejected, 0) as n_rejected,
        coalesce(runs_of_datasets.n_runs, 0) as n_runs,
        coalesce(traces_of_datasets.n_traces, 0) as n_traces,
        coalesce(traces_of_datasets.n_steps, 0) as n_steps,

        files_of_datasets.fingerprint,
    from datasets
    left join files_of_datasets on datasets.dataset = files_of_datasets.dataset
    left join runs_of_datasets on datasets.dataset = runs_of_datasets.dataset
    left join traces_of_datasets on datasets.dataset = traces_of_datasets.dataset
)

select * from final
