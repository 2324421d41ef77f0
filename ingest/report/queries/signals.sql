-- Signals of steps
-- One row per data set, condition, action, agent and signal; counts are added over models,
-- temperatures and difficulties. The rate divides by the steps in which the signal was recorded.
select
    dataset, clue_domain, unit_tools, injection, action, agent, signal,
    sum(n_steps)::bigint as n_steps, sum(n_recorded)::bigint as n_recorded,
    sum(n_signal)::bigint as n_signal, sum(n_signal) / nullif(sum(n_recorded), 0) as rate
from signal_frequencies
group by dataset, clue_domain, unit_tools, injection, action, agent, signal
order by all;
