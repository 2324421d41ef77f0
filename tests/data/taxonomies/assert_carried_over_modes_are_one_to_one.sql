-- Modes matched by their description: each mode of MAST-14 comes from one mode of a generation.
select
    taxonomy,
    mast14_code,
    count(*) as n_modes,
from {{ ref('taxonomy_crosswalk') }}
where method = 'description' and mast14_code is not null
group by taxonomy, mast14_code
having count(*) > 1
