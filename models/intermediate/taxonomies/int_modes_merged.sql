with file_modes as (
    select * from {{ ref('stg_mad__taxonomy_modes') }}
),

listed_modes as (
    select * from {{ ref('listed_modes') }}
),

-- one row per mode of a file's taxonomy: the first place by data set and path is the one shown
first_places as (
    select
        mode_id,
        taxonomy,
        mode_index,
        code,
        name,
        description,
        dataset,
        source_path,
        sum(n_records) over (partition by mode_id) as n_records,
        count(*) over (partition by mode_id) as n_places,
    from file_modes
    qualify row_number() over (partition by mode_id order by dataset, source_path) = 1
),

merged_modes as (
    select
        mode_id,
        taxonomy,
        mode_index,
        code,
        name,
        description,
        dataset,
        source_path as found_in,
        n_records,
        n_places,
    from first_places
    union all by name
    select
        listed_modes.taxonomy || ':' || listed_modes.code as mode_id,
        listed_modes.taxonomy,
        listed_modes.mode_index,
        listed_modes.code,
        listed_modes.name,
        listed_modes.source as found_in,
    from listed_modes
    -- what a file says of a taxonomy goes before the list kept here
    where listed_modes.taxonomy not in (select first_places.taxonomy from first_places)
),

final as (
    select
        mode_id,
        taxonomy,
        code,
        name,
        {{ name_key('name') }} as name_key,
        nullif(regexp_extract(code, '^(?:FM-)?([0-9]+\.[0-9]+)$', 1), '') as code_number,
        description,
        cast(mode_index as integer) as mode_index,
        cast(n_records as bigint) as n_records,
        cast(n_places as bigint) as n_places,
        dataset,
        found_in,
    from merged_modes
)

select * from final
