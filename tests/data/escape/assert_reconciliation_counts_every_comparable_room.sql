-- By another route: what a cell counts is what the escape rates of its conditions add up to.
with rates as (
    select
        dataset,
        split,
        model,
        temperature,
        difficulty,
        sum(n_rooms) as n_rooms,
        sum(n_escaped) as n_escaped,
        sum(n_unknown_outcome) as n_unknown_outcome,
    from {{ ref('escape_rates') }}
    where injection = 'none' and clue_domain = 'gsm-hard' and not unit_tools
    group by dataset, split, model, temperature, difficulty
),

pooled_rates as (
    select * from rates
    union all by name
    select
        dataset,
        split,
        model,
        temperature,
        'all' as difficulty,
        sum(n_rooms) as n_rooms,
        sum(n_escaped) as n_escaped,
        sum(n_unknown_outcome) as n_unknown_outcome,
    from rates
    group by dataset, split, model, temperature
),

expected as (
    select
        published.source,
        pooled_rates.*,
    from pooled_rates
    inner join {{ ref('published_escape_rates') }} as published
        on
            pooled_rates.split = published.split
            and pooled_rates.model = published.model
            and pooled_rates.temperature = published.temperature
            and pooled_rates.difficulty = published.difficulty
),

observed as (
    select * from {{ ref('escape_rate_reconciliation') }} where n_rooms > 0
)

select
    coalesce(expected.source, observed.source) as source,
    coalesce(expected.dataset, observed.dataset) as dataset,
    coalesce(expected.split, observed.split) as split,
    coalesce(expected.model, observed.model) as model,
    coalesce(expected.temperature, observed.temperature) as temperature,
    coalesce(expected.difficulty, observed.difficulty) as difficulty,
    expected.n_rooms as expected_n_rooms,
    observed.n_rooms as observed_n_rooms,
    expected.n_escaped as expected_n_escaped,
    observed.n_escaped as observed_n_escaped,
    expected.n_unknown_outcome as expected_n_unknown_outcome,
    observed.n_unknown_outcome as observed_n_unknown_outcome,
from expected
full join observed
    on
        expected.source = observed.source
        and expected.dataset = observed.dataset
        and expected.split = observed.split
        and expected.model = observed.model
        and expected.temperature = observed.temperature
        and expected.difficulty = observed.difficulty
where
    expected.n_rooms is distinct from observed.n_rooms
    or expected.n_escaped is distinct from observed.n_escaped
    or expected.n_unknown_outcome is distinct from observed.n_unknown_outcome
