-- Where chains of errors start
-- One row per data set, condition and first wrong action of an attempt ("none": every step is
-- correct; "unknown": none is wrong and one has no label); counts are added over models,
-- temperatures and difficulties.
select
    dataset, clue_domain, unit_tools, injection, first_wrong_action,
    sum(n_attempts)::bigint as n_attempts, sum(n_solved)::bigint as n_solved,
    sum(n_unknown_outcome)::bigint as n_unknown_outcome
from propagation_chains
group by dataset, clue_domain, unit_tools, injection, first_wrong_action
order by dataset, clue_domain, unit_tools, injection, n_attempts desc, first_wrong_action;
