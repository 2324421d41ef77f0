with agreements as (
    select * from {{ ref('int_label_agreements_computed') }}
),

final as (
    select
        dataset,
        method,
        human_record_id,

        full_record_id,
        task_tag,

        cast(n_records as bigint) as n_records,
        cast(n_cells as bigint) as n_cells,
        cast(n_ties as bigint) as n_ties,
        cast(n_unknown as bigint) as n_unknown,
        cast(n_human as bigint) as n_human,
        cast(n_judge as bigint) as n_judge,
        cast(n_both as bigint) as n_both,
        cast(n_agree as bigint) as n_agree,
        cast(observed_agreement as double) as observed_agreement,
        cast(expected_agreement as double) as expected_agreement,
        cast(kappa as double) as kappa,
    from agreements
)

select * from final
