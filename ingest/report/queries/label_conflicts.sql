-- Labels that contradict each other
-- One row per data set, kind and attribute, with the number of traces; the traces are rows of
-- label_conflicts.
select
    dataset, kind, attribute, other_source, count(*) as n_conflicts,
    count(distinct trace_id) as n_traces
from label_conflicts
group by dataset, kind, attribute, other_source
order by all;
