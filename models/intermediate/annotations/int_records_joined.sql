with tagged as (
    select * from {{ ref('int_bodies_tagged') }}
),

-- a tag that two records of one file carry joins neither of them
single_tags as (
    select *
    from tagged
    where kind in ('human record', 'full record')
    qualify count(*) over (partition by dataset, kind, task_tag) = 1
),

final as (
    select
        human_records.dataset,
        human_records.task_tag,
        human_records.body_id as human_record_id,
        full_records.body_id as full_record_id,
        human_records.body_sha256 = full_records.body_sha256 as is_same_body,
    from single_tags as human_records
    inner join single_tags as full_records
        on
            human_records.dataset = full_records.dataset
            and human_records.task_tag = full_records.task_tag
            and human_records.kind = 'human record'
            and full_records.kind = 'full record'
)

select * from final
