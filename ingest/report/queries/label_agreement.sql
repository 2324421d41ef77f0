-- Do people and the judge agree?
-- One row per way of matching modes and record, and one with "all" over the records: majority of
-- the annotators against the judge. Kappa is agreement beyond chance; look at how few cells it
-- rests on.
select
    dataset, method, task_tag, n_records, n_cells, n_ties, n_unknown, n_human, n_judge, n_both,
    n_agree, observed_agreement, expected_agreement, kappa
from label_agreement
order by dataset, method, task_tag <> 'all', task_tag;
