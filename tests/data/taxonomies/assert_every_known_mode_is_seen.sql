-- The other way round: where a taxonomy was found in a file, so was each of its known modes.
with found_taxonomies as (
    select taxonomy from {{ ref('taxonomy_modes') }}
    where dataset is not null
    group by taxonomy
)

select known_mode_names.*
from {{ ref('known_mode_names') }} as known_mode_names
inner join found_taxonomies on known_mode_names.taxonomy = found_taxonomies.taxonomy
left join {{ ref('taxonomy_modes') }} as modes
    on known_mode_names.taxonomy || ':' || known_mode_names.code = modes.mode_id
where modes.mode_id is null
