with source as (
    select * from {{ source('mad', 'trace_bodies') }}
),

final as (
    select
        -- a trace file of the repository is no record: its path alone is its id
        concat_ws(
            '/', dataset, regexp_replace(source_path, '\.(json|txt)$', ''), record_index
        ) as body_id,
        dataset,
        source_path,
        record_index,
        n_chars,
        n_bytes,
        body_sha256,
        body,
    from source
)

select * from final
