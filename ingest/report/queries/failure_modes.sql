-- How common is each failure mode?
-- One row per data set, source of labels and mode, over all frameworks and LLMs. The rate divides
-- by the records or traces of which it is known; the interval is Wilson's at 95 %.
select
    dataset, label_source, mast14_code, mode_name, n_units, n_known, n_unknown, n_positive, rate,
    ci_low, ci_high, mode_id
from failure_mode_prevalence
where framework = 'all'
order by dataset, label_source, mast14_code, mode_id;
