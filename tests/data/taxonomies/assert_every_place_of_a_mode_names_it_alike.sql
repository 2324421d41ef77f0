-- One taxonomy found in two files has one set of names: `taxonomy_modes` shows the first place.
select
    mode_id,
    count(distinct {{ name_key('name') }}) as n_names,
from {{ ref('stg_mad__taxonomy_modes') }}
group by mode_id
having count(distinct {{ name_key('name') }}) > 1
