-- Both marts, and each data set of them, count the rooms the fact holds. A side without the data
-- set has nulls, which differ from every count.
with facts as (
    select
        dataset,
        count(*) as n_rooms,
        count(*) filter (where escaped is null) as n_unknown_outcome,
        count(*) filter (where escaped) as n_escaped,
        count(*) filter (where is_live) as n_rooms_live,
        count(*) filter (where is_live is null) as n_unknown_live,
    from {{ ref('rooms') }}
    where is_latest
    group by dataset
),

marts as (
    select
        'escape_rates' as mart,
        * exclude (difficulty),
    from {{ ref('escape_rates') }}
    union all by name
    select
        'escape_rates_by_split' as mart,
        *,
    from {{ ref('escape_rates_by_split') }}
),

sums as (
    select
        mart,
        dataset,
        sum(n_rooms) as n_rooms,
        sum(n_unknown_outcome) as n_unknown_outcome,
        sum(n_escaped) as n_escaped,
        sum(n_rooms_live) as n_rooms_live,
        sum(n_unknown_live) as n_unknown_live,
    from marts
    group by mart, dataset
),

expected as (
    select
        mart_names.mart,
        facts.*,
    from facts
    cross join (values ('escape_rates'), ('escape_rates_by_split')) as mart_names (mart)
)

select
    coalesce(expected.mart, sums.mart) as mart,
    coalesce(expected.dataset, sums.dataset) as dataset,
    expected.n_rooms as expected_n_rooms,
    sums.n_rooms as observed_n_rooms,
    expected.n_unknown_outcome as expected_n_unknown_outcome,
    sums.n_unknown_outcome as observed_n_unknown_outcome,
    expected.n_escaped as expected_n_escaped,
    sums.n_escaped as observed_n_escaped,
    expected.n_rooms_live as expected_n_rooms_live,
    sums.n_rooms_live as observed_n_rooms_live,
    expected.n_unknown_live as expected_n_unknown_live,
    sums.n_unknown_live as observed_n_unknown_live,
from expected
full join sums
    on expected.mart = sums.mart and expected.dataset = sums.dataset
where
    expected.n_rooms is distinct from sums.n_rooms
    or expected.n_unknown_outcome is distinct from sums.n_unknown_outcome
    or expected.n_escaped is distinct from sums.n_escaped
    or expected.n_rooms_live is distinct from sums.n_rooms_live
    or expected.n_unknown_live is distinct from sums.n_unknown_live
