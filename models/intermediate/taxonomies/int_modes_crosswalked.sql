{#- Descriptions that share fewer characters than this are not the same text: the published audit's
    threshold. The shortest overlap of a mode carried over is 116 characters. -#}
{%- set min_overlap_chars = 60 -%}

with modes as (
    select * from {{ ref('int_modes_merged') }}
),

mode_overlaps as (
    select * from {{ ref('stg_mad__mode_overlaps') }}
),

reviews as (
    select
        *,
        {{ name_key('name') }} as name_key,
    from {{ ref('crosswalk_reviews') }}
),

mast14_modes as (
    select
        mode_id,
        code,
        name,
        name_key,
    from modes
    where taxonomy = 'mast-14'
),

-- one row per pair of a mode and a mode of MAST-14, whichever of the two stands first in the lake
overlaps_with_mast14 as (
    select
        other_mode_id as mode_id,
        mode_id as mast14_mode_id,
        overlap_chars,
    from mode_overlaps
    where taxonomy = 'mast-14'
    union all by name
    select
        mode_id,
        other_mode_id as mast14_mode_id,
        overlap_chars,
    from mode_overlaps
    where other_taxonomy = 'mast-14'
),

-- one row per mode whose description was compared: the mode of MAST-14 it shares most with
longest_overlaps as (
    select
        mode_id,
        arg_max(mast14_mode_id, row(overlap_chars, mast14_mode_id)) as mast14_mode_id,
        max(overlap_chars) as overlap_chars,
    from overlaps_with_mast14
    group by mode_id
),

mapped_modes as (
    select
        modes.mode_id,
        modes.taxonomy,
        modes.code,
        modes.code_number,
        modes.name,
        modes.name_key,
        modes.mode_index,
        longest_overlaps.overlap_chars,
        reviews.kind as reviewed_kind,
        reviews.evidence as reviewed_evidence,
        case
            when modes.taxonomy = 'mast-14' then 'reference'
            when longest_overlaps.mode_id is not null then 'description'
            when reviews.mode_id is not null then 'review'
            else 'name'
        end as method,
        case
            when modes.taxonomy = 'mast-14' then modes.code
            when longest_overlaps.overlap_chars >= {{ min_overlap_chars }} then by_overlap.code
            when longest_overlaps.mode_id is not null then null
            when reviews.mode_id is not null then reviews.mast14_code
            else by_name.code
        end as mast14_code,
    from modes
    left join longest_overlaps on modes.mode_id = longest_overlaps.mode_id
    left join mast14_modes as by_overlap on longest_overlaps.mast14_mode_id = by_overlap.mode_id
    left join mast14_modes as by_name on modes.name_key = by_name.name_key
    -- a review is of a name: under another name the same code has to be reviewed again
    left join reviews
        on
            modes.mode_id = reviews.mode_id
            and modes.name_key is not distinct from reviews.name_key
),

compared_modes as (
    select
        mapped_modes.*,
        mast14_modes.name as mast14_name,
        mast14_modes.name_key as mast14_name_key,
        -- null where the mode maps to none, or its codes are of another kind (MAST-1)
        mapped_modes.code_number = mapped_modes.mast14_code as same_code,
        count(*) over (
            partition by mapped_modes.taxonomy, mapped_modes.mast14_code
        ) as n_modes_of_code,
    from mapped_modes
    left join mast14_modes on mapped_modes.mast14_code = mast14_modes.code
),

final as (
    select
        mode_id,
        taxonomy,
        code,
        name,
        name_key,
        mast14_code,
        mast14_name,
        case
            when method = 'review' then reviewed_kind
            when mast14_code is null and method = 'description' then 'dropped'
            when mast14_code is null then 'added'
            when name_key = mast14_name_key then 'same'
            when n_modes_of_code > 1 then 'merged'
            else 'renamed'
        end as kind,
        cast(overlap_chars as bigint) as overlap_chars,
        same_code,
        method,
        case method
            when 'reference' then 'the taxonomy the others are mapped to'
            when 'review' then reviewed_evidence
            when 'name'
                then
                    case
                        when mast14_code is null then 'no mode of MAST-14 has this name'
                        else 'a mode of MAST-14 has this name'
                    end
            when 'description' then
                'the longest run of text its description shares with one of MAST-14 is '
                || overlap_chars || ' characters long; '
                || case
                    when mast14_code is null
                        then 'fewer than {{ min_overlap_chars }} are no identity'
                    else '{{ min_overlap_chars }} or more are identity'
                end
        end as evidence,
        mode_index,
    from compared_modes
)

select * from final
