with bodies as (
    select * from {{ ref('stg_mad__trace_bodies') }}
),

final as (
    select
        body_id,
        dataset,
        source_path,
        record_index,
        n_chars,
        n_bytes,
        body_sha256,
        body,
    from bodies
)

select * from final
