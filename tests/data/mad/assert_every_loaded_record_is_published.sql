-- Counted again from the lake: no record, vote, label or text is lost or doubled on the way.
with loaded as (
    select 'mad_human_records' as name, count(*) as n_rows
    from {{ source('mad', 'mad_human_records') }}
    union all by name
    select 'mad_human_annotations' as name, count(*) as n_rows
    from {{ source('mad', 'mad_human_annotations') }}
    union all by name
    select 'mad_full_records' as name, count(*) as n_rows
    from {{ source('mad', 'mad_full_records') }}
    union all by name
    select 'mad_full_annotations' as name, count(*) as n_rows
    from {{ source('mad', 'mad_full_annotations') }}
    union all by name
    select 'trace_bodies' as name, count(*) as n_rows
    from {{ source('mad', 'trace_bodies') }}
    union all by name
    select 'key_collision_pairs' as name, count(*) as n_rows
    from {{ source('mad', 'record_pairs') }}
),

published as (
    select 'mad_human_records' as name, count(*) as n_rows
    from {{ ref('mad_human_records') }}
    union all by name
    select 'mad_human_annotations' as name, count(*) as n_rows
    from {{ ref('mad_human_annotations') }}
    union all by name
    select 'mad_full_records' as name, count(*) as n_rows
    from {{ ref('mad_full_records') }}
    union all by name
    select 'mad_full_annotations' as name, count(*) as n_rows
    from {{ ref('mad_full_annotations') }}
    union all by name
    select 'trace_bodies' as name, count(*) as n_rows
    from {{ ref('trace_bodies') }}
    union all by name
    select 'key_collision_pairs' as name, count(*) as n_rows
    from {{ ref('key_collision_pairs') }}
)

select
    loaded.name,
    loaded.n_rows as n_loaded,
    published.n_rows as n_published,
from loaded
full join published on loaded.name = published.name
where loaded.n_rows is distinct from published.n_rows
