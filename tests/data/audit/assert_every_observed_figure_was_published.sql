-- A figure that is computed and compared with nothing, other than one of a taxonomy nobody
-- published figures of.
select observed.*
from {{ ref('int_figures_observed') }} as observed
left join {{ ref('published_audit_figures') }} as published
    on observed.check_id = published.check_id
where
    published.check_id is null
    and not regexp_matches(observed.check_id, '^(B|C)/')
