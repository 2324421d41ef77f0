-- Ground truths recomputed
-- One row per data set and place a puzzle stands in. "Agree": the published ground truth is what
-- reading, answer and units give. "Inert": it equals the starting reading, so the puzzle is right
-- when nobody touches it.
select
    dataset, source_kind, count(*) as n_puzzles, count(agrees) as n_recomputed,
    count(*) filter (where agrees) as n_agree, count(*) filter (where not agrees) as n_differ,
    count(*) filter (where is_inert) as n_inert
from ground_truth_checks
group by dataset, source_kind
order by all;
