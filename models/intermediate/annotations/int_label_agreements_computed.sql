with cells as (
    select * from {{ ref('int_labels_paired') }}
),

-- one row per joined record and method, and one per method over all records of the data set
counts as (
    select
        dataset,
        method,
        case when grouping(human_record_id) = 1 then 'all' else human_record_id end
            as human_record_id,
        case when grouping(human_record_id) = 1 then 'all' else full_record_id end
            as full_record_id,
        case when grouping(human_record_id) = 1 then 'all' else task_tag end as task_tag,
        count(distinct human_record_id) as n_records,
        count(*) as n_cells,
        count(*) filter (where is_tie) as n_ties,
        count(*) filter (where human_label is null or judge_label is null) as n_unknown,
        count(*) filter (where human_label and judge_label is not null) as n_human,
        count(*) filter (where judge_label and human_label is not null) as n_judge,
        count(*) filter (where human_label and judge_label) as n_both,
        count(*) filter (where human_label = judge_label) as n_agree,
    from cells
    group by
        grouping sets (
            (dataset, method), (dataset, method, human_record_id, full_record_id, task_tag)
        )
),

rates as (
    select
        *,
        n_agree / nullif(n_cells - n_unknown, 0) as observed_agreement,
        (
            n_human * n_judge
            + (n_cells - n_unknown - n_human) * (n_cells - n_unknown - n_judge)
        ) / nullif((n_cells - n_unknown) * (n_cells - n_unknown), 0) as expected_agreement,
    from counts
),

final as (
    select
        *,
        (observed_agreement - expected_agreement) / nullif(1 - expected_agreement, 0) as kappa,
    from rates
)

select * from final
