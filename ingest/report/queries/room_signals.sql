-- Signals of rooms
-- One row per data set, condition and signal; counts are added over models, temperatures and
-- difficulties.
select
    dataset, clue_domain, unit_tools, injection, signal,
    sum(n_rooms)::bigint as n_rooms, sum(n_recorded)::bigint as n_recorded,
    sum(n_signal)::bigint as n_signal, sum(n_signal) / nullif(sum(n_recorded), 0) as rate
from room_signal_frequencies
group by dataset, clue_domain, unit_tools, injection, signal
order by all;
