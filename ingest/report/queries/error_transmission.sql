-- How errors travel from action to action
-- One row per data set, condition and pair of an action and one that builds on it, counted in
-- attempts that hold both; counts are added over models, temperatures and difficulties. An error is
-- transmitted where the action that builds on a wrong one is wrong too, and absorbed where it is
-- correct. The base rate is how often that action is wrong after a correct one.
select
    dataset, clue_domain, unit_tools, injection, upstream_action, downstream_action,
    sum(n_upstream_wrong)::bigint as n_upstream_wrong,
    sum(n_both_wrong)::bigint as n_transmitted,
    (sum(n_upstream_wrong) - sum(n_both_wrong))::bigint as n_absorbed,
    sum(n_both_wrong) / nullif(sum(n_upstream_wrong), 0) as transmission_rate,
    sum(n_upstream_correct)::bigint as n_upstream_correct,
    sum(n_downstream_wrong_only)::bigint as n_downstream_wrong_only,
    sum(n_downstream_wrong_only) / nullif(sum(n_upstream_correct), 0) as base_rate,
    sum(n_unlabelled)::bigint as n_unlabelled
from error_transmission
group by dataset, clue_domain, unit_tools, injection, upstream_action, downstream_action
order by all;
