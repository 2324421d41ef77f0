with records as (
    select dataset, count(*) as n_records from {{ ref('mad_human_records') }}
    group by dataset
),

blocks as (
    select dataset, sum(n_records) as n_records from {{ ref('annotation_blocks') }}
    group by dataset
)

select records.*
from records
full join blocks on records.dataset = blocks.dataset
where records.n_records is distinct from blocks.n_records
