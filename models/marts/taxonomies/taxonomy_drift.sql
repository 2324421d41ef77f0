{#- The taxonomies that all claim to be MAST-14. The earlier rounds of the human-labelled file do
    not: how they differ is the crosswalk itself. -#}
{%- set claimants = [
    'mast-14',
    'mast-repo-definitions',
    'mast-judge-answer-sheet',
    'mast-judge-example',
    'agentdash-0.1.0',
    'adamast',
    'madbench-generator',
] %}

with modes as (
    select mode_id, taxonomy, code_number, name, name_key from {{ ref('int_modes_merged') }}
    where list_contains({{ claimants }}, taxonomy)
),

crosswalk as (
    select mode_id, mast14_code from {{ ref('int_modes_crosswalked') }}
),

claimed_modes as (
    select
        modes.*,
        crosswalk.mast14_code,
        list_position({{ claimants }}, modes.taxonomy) as place,
    from modes
    inner join crosswalk on modes.mode_id = crosswalk.mode_id
),

taxonomies as (
    select taxonomy, place from claimed_modes
    group by taxonomy, place
),

-- one row per two taxonomies, the one nearer to the publication first
taxonomy_pairs as (
    select
        taxonomies.taxonomy,
        other_taxonomies.taxonomy as other_taxonomy,
    from taxonomies
    inner join taxonomies as other_taxonomies
        on taxonomies.place < other_taxonomies.place
),

-- one row per mode of the one and counterpart in the other: both stand for one mode of MAST-14
counterparts as (
    select
        taxonomy_pairs.taxonomy,
        taxonomy_pairs.other_taxonomy,
        claimed_modes.mast14_code,
        claimed_modes.mode_id,
        other_modes.mode_id as other_mode_id,
        claimed_modes.name,
        other_modes.name as other_name,
        claimed_modes.name_key <> other_modes.name_key as has_other_name,
        claimed_modes.code_number <> other_modes.code_number as has_other_code,
    from taxonomy_pairs
    inner join claimed_modes on taxonomy_pairs.taxonomy = claimed_modes.taxonomy
    inner join claimed_modes as other_modes
        on
            taxonomy_pairs.other_taxonomy = other_modes.taxonomy
            and claimed_modes.mast14_code = other_modes.mast14_code
),

lone_modes as (
    select
        taxonomy_pairs.taxonomy,
        taxonomy_pairs.other_taxonomy,
        claimed_modes.mast14_code,
        claimed_modes.mode_id,
        cast(null as varchar) as other_mode_id,
        claimed_modes.name,
        cast(null as varchar) as other_name,
    from taxonomy_pairs
    inner join claimed_modes on taxonomy_pairs.taxonomy = claimed_modes.taxonomy
    left join counterparts
        on
            taxonomy_pairs.other_taxonomy = counterparts.other_taxonomy
            and claimed_modes.mode_id = counterparts.mode_id
    where counterparts.mode_id is null
    union all by name
    select
        taxonomy_pairs.taxonomy,
        taxonomy_pairs.other_taxonomy,
        other_modes.mast14_code,
        cast(null as varchar) as mode_id,
        other_modes.mode_id as other_mode_id,
        cast(null as varchar) as name,
        other_modes.name as other_name,
    from taxonomy_pairs
    inner join claimed_modes as other_modes
        on taxonomy_pairs.other_taxonomy = other_modes.taxonomy
    left join counterparts
        on
            taxonomy_pairs.taxonomy = counterparts.taxonomy
            and other_modes.mode_id = counterparts.other_mode_id
    where counterparts.other_mode_id is null
),

differences as (
    select
        taxonomy,
        other_taxonomy,
        'name' as difference,
        mast14_code,
        mode_id,
        other_mode_id,
        name,
        other_name,
    from counterparts
    where has_other_name
    union all by name
    select
        taxonomy,
        other_taxonomy,
        'code' as difference,
        mast14_code,
        mode_id,
        other_mode_id,
        name,
        other_name,
    from counterparts
    where has_other_code
    union all by name
    select
        taxonomy,
        other_taxonomy,
        'missing' as difference,
        mast14_code,
        mode_id,
        other_mode_id,
        name,
        other_name,
    from lone_modes
),

final as (
    select
        taxonomy,
        other_taxonomy,
        difference,
        mode_id,
        other_mode_id,

        mast14_code,
        name,
        other_name,
    from differences
)

select * from final
