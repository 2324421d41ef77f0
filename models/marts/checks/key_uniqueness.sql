{%- set keys = [
    ('rooms', ['room_id']),
    ('rooms', ['split', 'room_id']),
    ('rooms', ['run_id', 'room_id']),
    ('rooms', ['run_id', 'split', 'room_id']),
    ('rooms', ['model', 'temperature', 'room_id']),
    ('rooms', ['model', 'temperature', 'split', 'room_id']),
    ('rooms', ['trace_id']),
    ('rooms', ['content_sha256']),
    ('attempts', ['attempt_id']),
    ('attempts', ['trace_id', 'puzzle_index', 'attempt']),
    ('attempts', ['trace_id', 'puzzle_id', 'attempt']),
    ('steps', ['step_id']),
    ('steps', ['trace_id', 'step_index']),
    ('steps', ['run_id', 'action_id']),
    ('steps', ['trace_id', 'action_id']),
    ('room_definitions', ['room_id']),
    ('room_definitions', ['dataset', 'room_id']),
    ('room_definitions', ['dataset', 'split', 'room_id']),
    ('puzzle_definitions', ['room_id', 'puzzle_id']),
    ('puzzle_definitions', ['dataset', 'room_id', 'puzzle_id']),
    ('puzzle_definitions', ['dataset', 'split', 'room_id', 'puzzle_id']),
    ('source_files', ['dataset', 'path']),
    ('mad_human_records', ['record_id']),
    ('mad_human_records', ['annotations_sha256']),
    ('mad_full_records', ['record_id']),
    ('mad_full_records', ['body_sha256']),
    ('mad_full_records', ['mas_name', 'llm_name', 'trace_id']),
    ('mad_full_records', ['mas_name', 'llm_name', 'trace_id', 'trace_key']),
    ('mad_full_records', ['mas_name', 'benchmark_name', 'llm_name', 'trace_id']),
    ('mad_full_records', ['trace_key', 'trace_id']),
    ('mad_human_annotations', ['record_id', 'mode_id', 'annotator']),
    ('mad_full_annotations', ['record_id', 'mode_id']),
    ('trace_bodies', ['body_id']),
    ('taxonomy_modes', ['mode_id']),
    ('taxonomy_modes', ['code']),
] -%}

with rooms as (
    select * from {{ ref('rooms') }}
),

attempts as (
    select * from {{ ref('attempts') }}
),

steps as (
    select * from {{ ref('steps') }}
),

room_definitions as (
    select * from {{ ref('room_definitions') }}
),

puzzle_definitions as (
    select * from {{ ref('puzzle_definitions') }}
),

source_files as (
    select * from {{ ref('source_files') }}
),

mad_human_records as (
    select * from {{ ref('mad_human_records') }}
),

mad_human_annotations as (
    select * from {{ ref('mad_human_annotations') }}
),

mad_full_records as (
    select * from {{ ref('mad_full_records') }}
),

mad_full_annotations as (
    select * from {{ ref('mad_full_annotations') }}
),

trace_bodies as (
    select body_id from {{ ref('trace_bodies') }}
),

taxonomy_modes as (
    select mode_id, code from {{ ref('int_modes_merged') }}
),

key_expectations as (
    select * from {{ ref('key_expectations') }}
),

-- one row per candidate key, and always one: over no rows, every count is null or zero
key_counts as (
    {% for source_table, columns in keys %}
        select
            '{{ source_table }}' as source_table,
            '{{ columns | join(" + ") }}' as key_columns,
            sum(n_rows) filter (where not lacks_part) as n_rows,
            count(*) filter (where not lacks_part) as n_distinct,
            count(*) filter (where not lacks_part and n_rows > 1) as n_colliding_keys,
            sum(n_rows) filter (where not lacks_part and n_rows > 1) as n_rows_in_collisions,
            sum(n_rows) filter (where lacks_part) as n_null_keys,
        from (
            select
                {{ columns | join(' is null or ') }} is null as lacks_part,
                count(*) as n_rows,
            from {{ source_table }}
            group by {{ columns | join(', ') }}
        )
        {% if not loop.last %}
            union all
        {% endif %}
    {% endfor %}
),

final as (
    select
        key_counts.source_table,
        key_counts.key_columns,

        key_expectations.expected,

        -- coalesce: the sum over no rows is null, and the count it stands for is zero
        cast(coalesce(key_counts.n_rows, 0) as bigint) as n_rows,
        cast(key_counts.n_distinct as bigint) as n_distinct,
        cast(key_counts.n_colliding_keys as bigint) as n_colliding_keys,
        cast(coalesce(key_counts.n_rows_in_collisions, 0) as bigint) as n_rows_in_collisions,
        cast(coalesce(key_counts.n_null_keys, 0) as bigint) as n_null_keys,

        case when key_counts.n_rows > 0 then key_counts.n_colliding_keys = 0 end as is_unique,
    from key_counts
    left join key_expectations
        on
            key_counts.source_table = key_expectations.source_table
            and key_counts.key_columns = key_expectations.key_columns
)

select * from final
