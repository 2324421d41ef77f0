-- A mode nobody has seen, or a known code under another name, has to be read and mapped first: into
-- the seed `known_mode_names`, and into `crosswalk_reviews` where its name does not tell the mode
-- of MAST-14.
with known_modes as (
    select taxonomy, code, {{ name_key('name') }} as name_key from {{ ref('known_mode_names') }}
    union
    select taxonomy, code, {{ name_key('name') }} as name_key from {{ ref('listed_modes') }}
)

select
    modes.mode_id,
    modes.name,
    modes.dataset,
    modes.found_in,
from {{ ref('taxonomy_modes') }} as modes
left join known_modes
    on
        modes.taxonomy = known_modes.taxonomy
        and modes.code = known_modes.code
        and {{ name_key('modes.name') }} is not distinct from known_modes.name_key
where known_modes.code is null
