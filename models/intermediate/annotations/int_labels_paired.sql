with joined_records as (
    select * from {{ ref('int_records_joined') }}
),

human_cells as (
    select record_id, code, mast14_code, is_tie, majority from {{ ref('int_human_cells_counted') }}
),

judge_labels as (
    select record_id, mode_id, label from {{ ref('stg_mad__full_annotations') }}
),

-- The literal method is the mistake this mart measures: it takes the human code, whatever taxonomy
-- it is of, for a code of MAST-14.
human_labels as (
    select
        record_id,
        'literal' as method,
        'mast-14:' || code as taken_for_mode_id,
        is_tie,
        majority,
    from human_cells
    union all by name
    select
        record_id,
        'remapped' as method,
        'mast-14:' || mast14_code as taken_for_mode_id,
        is_tie,
        majority,
    from human_cells
    where mast14_code is not null
),

-- one row per joined record, method and mode that both of them were asked about
final as (
    select
        joined_records.dataset,
        joined_records.human_record_id,
        joined_records.full_record_id,
        joined_records.task_tag,
        human_labels.method,
        human_labels.taken_for_mode_id as mode_id,
        human_labels.is_tie,
        human_labels.majority as human_label,
        judge_labels.label as judge_label,
    from joined_records
    inner join human_labels on joined_records.human_record_id = human_labels.record_id
    inner join judge_labels
        on
            joined_records.full_record_id = judge_labels.record_id
            and human_labels.taken_for_mode_id = judge_labels.mode_id
)

select * from final
