-- Every row of a table either has the key or lacks a part of it, and the four counts agree.
with table_counts as (
    select
        'rooms' as source_table,
        count(*) as n_table_rows,
    from {{ ref('rooms') }}
    union all by name
    select
        'attempts' as source_table,
        count(*) as n_table_rows,
    from {{ ref('attempts') }}
    union all by name
    select
        'steps' as source_table,
        count(*) as n_table_rows,
    from {{ ref('steps') }}
    union all by name
    select
        'room_definitions' as source_table,
        count(*) as n_table_rows,
    from {{ ref('room_definitions') }}
    union all by name
    select
        'puzzle_definitions' as source_table,
        count(*) as n_table_rows,
    from {{ ref('puzzle_definitions') }}
    union all by name
    select
        'source_files' as source_table,
        count(*) as n_table_rows,
    from {{ ref('source_files') }}
    union all by name
    select
        'mad_human_records' as source_table,
        count(*) as n_table_rows,
    from {{ ref('mad_human_records') }}
    union all by name
    select
        'mad_human_annotations' as source_table,
        count(*) as n_table_rows,
    from {{ ref('mad_human_annotations') }}
    union all by name
    select
        'mad_full_records' as source_table,
        count(*) as n_table_rows,
    from {{ ref('mad_full_records') }}
    union all by name
    select
        'mad_full_annotations' as source_table,
        count(*) as n_table_rows,
    from {{ ref('mad_full_annotations') }}
    union all by name
    select
        'trace_bodies' as source_table,
        count(*) as n_table_rows,
    from {{ ref('trace_bodies') }}
    union all by name
    select
        'taxonomy_modes' as source_table,
        count(*) as n_table_rows,
    from {{ ref('taxonomy_modes') }}
)

select
    key_uniqueness.*,
    table_counts.n_table_rows,
from {{ ref('key_uniqueness') }} as key_uniqueness
left join table_counts on key_uniqueness.source_table = table_counts.source_table
where
    key_uniqueness.n_rows + key_uniqueness.n_null_keys is distinct from table_counts.n_table_rows
    or key_uniqueness.n_distinct - key_uniqueness.n_colliding_keys
    <> key_uniqueness.n_rows - key_uniqueness.n_rows_in_collisions
    or key_uniqueness.n_rows_in_collisions < 2 * key_uniqueness.n_colliding_keys
    or key_uniqueness.is_unique
    is distinct from case
        when key_uniqueness.n_rows > 0 then key_uniqueness.n_distinct = key_uniqueness.n_rows
    end
