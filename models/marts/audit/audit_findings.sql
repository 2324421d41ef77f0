with published_figures as (
    select * from {{ ref('published_audit_figures') }}
),

observed_figures as (
    select * from {{ ref('int_figures_observed') }}
),

final as (
    select
        published_figures.finding,
        published_figures.check_id,
        published_figures.figure,
        published_figures.published_value,
        observed_figures.observed_value,
        case
            when observed_figures.observed_value is null then 'not loaded'
            when observed_figures.observed_value = published_figures.published_value then 'match'
            else 'differs'
        end as verdict,
        published_figures.source,
    from published_figures
    left join observed_figures on published_figures.check_id = observed_figures.check_id
)

select * from final
