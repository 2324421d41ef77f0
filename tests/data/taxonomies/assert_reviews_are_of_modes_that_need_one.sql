-- A review that meets no mode of a taxonomy at hand, or one whose name tells the mode by itself, is
-- stale.
with taxonomies as (
    select taxonomy from {{ ref('taxonomy_crosswalk') }}
    group by taxonomy
)

select reviews.*
from {{ ref('crosswalk_reviews') }} as reviews
inner join taxonomies on split_part(reviews.mode_id, ':', 1) = taxonomies.taxonomy
left join {{ ref('taxonomy_crosswalk') }} as crosswalk
    on reviews.mode_id = crosswalk.mode_id and crosswalk.method = 'review'
where
    crosswalk.mode_id is null
    or {{ name_key('crosswalk.name') }} = {{ name_key('crosswalk.mast14_name') }}
