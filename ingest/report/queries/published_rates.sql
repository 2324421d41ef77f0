-- Published escape rates, cell by cell
-- One row per published cell and data set that holds rooms of it. Cells that no data set holds come
-- last.
select
    verdict, source, dataset, split, model, temperature, difficulty,
    published_pct, observed_pct, published_n, n_rooms, n_escaped, reference
from escape_rate_reconciliation
order by
    list_position(['differs', 'partial', 'match', 'not comparable', 'not loaded'], verdict),
    source, dataset, split desc, model, temperature, difficulty;
