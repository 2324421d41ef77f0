-- Cells that are compared and cells that are not make all cells, in both marts of agreement.
select
    'annotator_agreement' as mart,
    scope as what,
    n_cells,
from {{ ref('annotator_agreement') }}
where n_compared + n_missing <> n_cells or n_agree > n_compared or n_ties > n_cells
union all by name
select
    'label_agreement' as mart,
    method as what,
    n_cells,
from {{ ref('label_agreement') }}
where
    n_agree > n_cells - n_unknown
    or n_ties > n_unknown
    or n_both > least(n_human, n_judge)
    or n_agree <> n_cells - n_unknown - n_human - n_judge + 2 * n_both
