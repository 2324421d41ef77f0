-- How common is each failure mode, by framework and LLM?
-- One row per data set, source of labels, framework, LLM, condition and mode; only where the mode
-- was seen.
select
    dataset, label_source, framework, llm, mast14_code, mode_name, n_known, n_positive, rate,
    ci_low, ci_high, n_unknown, condition, mode_id
from failure_mode_prevalence
where framework <> 'all' and n_positive > 0
order by dataset, label_source, framework, llm, condition, mast14_code, mode_id;
