-- Each record's text is there, and is the one its SHA-256 was taken of.
with records as (
    select record_id, body_sha256 from {{ ref('mad_human_records') }}
    union all by name
    select record_id, body_sha256 from {{ ref('mad_full_records') }}
)

select
    records.record_id,
    records.body_sha256,
    bodies.body_sha256 as body_sha256_of_text,
from records
left join {{ ref('trace_bodies') }} as bodies on records.record_id = bodies.body_id
where records.body_sha256 is distinct from bodies.body_sha256
