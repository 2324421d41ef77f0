-- Escape rates by split
-- One row per data set, condition, model, temperature and split: the grain of the published tables.
select
    dataset, clue_domain, unit_tools, injection, model, temperature, split, n_rooms, n_escaped,
    escape_rate, ci_low, ci_high, n_rooms_live, escape_rate_live, n_unknown_outcome
from escape_rates_by_split
order by dataset, clue_domain, unit_tools, injection, model, temperature, split desc;
