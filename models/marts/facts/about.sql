with datasets as (
    select dataset, revision, fingerprint, n_loaded, n_traces, n_steps from {{ ref('datasets') }}
),

-- dbt writes the time it started with its offset.
facts_of_build as (
    select
        'built_at' as fact,
        strftime(
            cast('{{ run_started_at }}' as timestamptz) at time zone 'UTC', '%Y-%m-%d %H:%M:%S'
        ) as value,
    union all by name
    select 'madw_version' as fact, '{{ adapter.config.version }}' as value
    union all by name
    select 'dbt_version' as fact, '{{ dbt_version }}' as value
    union all by name
    select 'duckdb_version' as fact, ltrim(version(), 'v') as value
),

-- A data set that names no revision has no such fact.
facts_of_datasets as (
    select dataset || '/revision' as fact, revision as value
    from datasets
    where revision is not null
    union all by name
    select dataset || '/fingerprint' as fact, fingerprint as value
    from datasets
    where fingerprint is not null
    union all by name
    select dataset || '/n_loaded' as fact, cast(n_loaded as varchar) as value
    from datasets
    union all by name
    select dataset || '/n_traces' as fact, cast(n_traces as varchar) as value
    from datasets
    union all by name
    select dataset || '/n_steps' as fact, cast(n_steps as varchar) as value
    from datasets
),

final as (
    select fact, value from facts_of_build
    union all by name
    select fact, value from facts_of_datasets
)

select * from final
