-- A mode is dropped or added exactly where MAST-14 has no such mode; every code it maps to exists.
select crosswalk.*
from {{ ref('taxonomy_crosswalk') }} as crosswalk
left join {{ ref('taxonomy_modes') }} as modes
    on 'mast-14:' || crosswalk.mast14_code = modes.mode_id
where
    (crosswalk.mast14_code is null) <> (crosswalk.kind in ('dropped', 'added'))
    or (crosswalk.mast14_code is null) <> (modes.mode_id is null)
