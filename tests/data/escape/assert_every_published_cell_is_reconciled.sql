-- Each published cell has its rows: at least one, with the figures as published, and `none` only
-- where it is alone; and no row stands for a cell that was not published.
with published as (
    select * from {{ ref('published_escape_rates') }}
),

reconciled as (
    select
        source,
        split,
        model,
        temperature,
        difficulty,
        count(*) as n_rows,
        count(*) filter (where verdict = 'not loaded') as n_not_loaded,
        count(*) filter (where (verdict = 'not loaded') <> (n_rooms = 0)) as n_misplaced,
        min(published_pct) as lowest_pct,
        max(published_pct) as highest_pct,
        min(published_n) as lowest_n,
        max(published_n) as highest_n,
    from {{ ref('escape_rate_reconciliation') }}
    group by source, split, model, temperature, difficulty
)

select
    coalesce(published.source, reconciled.source) as source,
    coalesce(published.split, reconciled.split) as split,
    coalesce(published.model, reconciled.model) as model,
    coalesce(published.temperature, reconciled.temperature) as temperature,
    coalesce(published.difficulty, reconciled.difficulty) as difficulty,
    published.published_pct,
    published.published_n,
    reconciled.* exclude (source, split, model, temperature, difficulty),
from published
full join reconciled
    on
        published.source = reconciled.source
        and published.split = reconciled.split
        and published.model = reconciled.model
        and published.temperature = reconciled.temperature
        and published.difficulty = reconciled.difficulty
where
    published.source is null
    or reconciled.source is null
    or (reconciled.n_not_loaded > 0 and reconciled.n_rows > 1)
    or reconciled.n_misplaced > 0
    or reconciled.lowest_pct is distinct from published.published_pct
    or reconciled.highest_pct is distinct from published.published_pct
    or reconciled.lowest_n is distinct from published.published_n
    or reconciled.highest_n is distinct from published.published_n
