-- Every record of MAD's files, and every latest natural trace of MADBench, is a unit of every mode
-- it was asked about; and `all` counts what its parts count.
with expected as (
    select
        dataset,
        'mad judge' as label_source,
        count(*) as n_units,
    from {{ ref('mad_full_records') }}
    group by dataset
    union all by name
    select
        dataset,
        'madbench steps' as label_source,
        count(*) as n_units,
    from {{ ref('rooms') }}
    where is_latest and injection = 'none'
    group by dataset
),

observed as (
    select
        dataset,
        label_source,
        mode_id,
        sum(n_units) as n_units,
    from {{ ref('failure_mode_prevalence') }}
    where framework is distinct from 'all'
    group by dataset, label_source, mode_id
)

select
    expected.*,
    observed.mode_id,
    observed.n_units as observed_n_units,
from expected
left join observed
    on
        expected.dataset = observed.dataset
        and expected.label_source = observed.label_source
where expected.n_units is distinct from observed.n_units
union all by name
select
    dataset,
    label_source,
    mode_id,
    sum(n_positive) filter (where framework = 'all') as n_units,
    sum(n_positive) filter (where framework is distinct from 'all') as observed_n_units,
from {{ ref('failure_mode_prevalence') }}
where label_source in ('mad judge', 'mad human')
group by dataset, label_source, mode_id
having n_units is distinct from observed_n_units
