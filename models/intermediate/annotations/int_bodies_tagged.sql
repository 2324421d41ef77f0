with human_records as (
    select record_id, dataset, mas_name from {{ ref('stg_mad__human_records') }}
    where mas_name = 'AppWorld'
),

full_records as (
    select record_id, dataset, mas_name from {{ ref('stg_mad__full_records') }}
    where mas_name = 'AppWorld'
),

bodies as (
    select body_id, dataset, source_path, record_index, body_sha256, body
    from {{ ref('stg_mad__trace_bodies') }}
),

-- AppWorld names its tasks `692c77d_1`. No other framework's traces carry a tag that tells a task.
task_texts as (
    select
        bodies.body_id,
        bodies.dataset,
        'human record' as kind,
        bodies.body_sha256,
        bodies.body as text_with_tag,
    from bodies
    inner join human_records on bodies.body_id = human_records.record_id
    union all by name
    select
        bodies.body_id,
        bodies.dataset,
        'full record' as kind,
        bodies.body_sha256,
        bodies.body as text_with_tag,
    from bodies
    inner join full_records on bodies.body_id = full_records.record_id
    union all by name
    -- a trace file of the repository carries the tag in its name
    select
        body_id,
        dataset,
        'repository file' as kind,
        body_sha256,
        regexp_extract(split_part(source_path, '/', -1), '[0-9a-f]{7}_[0-9]+') as text_with_tag,
    from bodies
    where record_index is null and source_path like '%AppWorld/%'
),

tagged as (
    select
        body_id,
        dataset,
        kind,
        body_sha256,
        list_distinct(regexp_extract_all(text_with_tag, '\b[0-9a-f]{7}_[0-9]+\b')) as task_tags,
    from task_texts
),

-- a text that speaks of several tasks, or of none, tells no task
final as (
    select
        body_id,
        dataset,
        kind,
        body_sha256,
        task_tags[1] as task_tag,
    from tagged
    where len(task_tags) = 1
)

select * from final
