-- Do annotators agree with each other?
-- One row per scope, way of counting (each record, or each distinct block of annotations once),
-- statistic and annotators compared.
select
    dataset, scope, counted, statistic, annotators, n_cells, n_missing, n_compared, n_agree, n_ties,
    observed_agreement, expected_agreement, kappa
from annotator_agreement
order by dataset, scope <> 'all, remapped', scope, counted, statistic desc, annotators;
