-- Escape rates by difficulty
-- One row per data set, condition, model, temperature and difficulty. The rate divides by rooms
-- whose outcome is known; the interval is Wilson's at 95 %; "live" leaves out rooms in which every
-- puzzle solves itself.
select
    dataset, clue_domain, unit_tools, injection, model, temperature, difficulty, n_rooms, n_escaped,
    escape_rate, ci_low, ci_high, n_rooms_live, escape_rate_live, n_unknown_outcome, split
from escape_rates
order by
    dataset, clue_domain, unit_tools, injection, model, temperature,
    list_position(['easy', 'medium', 'hard', 'nightmare'], difficulty), difficulty;
