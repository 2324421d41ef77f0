with source as (
    select * from {{ source('mad', 'mad_human_records') }}
),

-- In two records of the file (17 and 18, of the last round) the framework stands in the place of
-- the benchmark. Only these two pairs of names are known to be swapped.
swapped as (
    select
        *,
        coalesce(
            mas_name = 'GAIA' and benchmark_name in ('Magentic', 'OpenManus'), false
        ) as is_corrected,
    from source
),

final as (
    select
        {{ record_id() }} as record_id,
        dataset,
        source_path,
        record_index,
        round,
        taxonomy,
        case when is_corrected then benchmark_name else mas_name end as mas_name,
        case when is_corrected then mas_name else benchmark_name end as benchmark_name,
        mas_name as source_mas_name,
        benchmark_name as source_benchmark_name,
        is_corrected,
        trace_id,
        cast(n_modes as bigint) as n_modes,
        annotations_sha256,
        body_sha256,
        extra_json,
    from swapped
)

select * from final
