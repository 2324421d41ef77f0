with crosswalk as (
    select mode_id, taxonomy, name, mast14_code, mast14_name
    from {{ ref('int_modes_crosswalked') }}
),

full_records as (
    select record_id, dataset, mas_name, llm_name from {{ ref('mad_full_records') }}
),

full_annotations as (
    select record_id, mode_id, label from {{ ref('mad_full_annotations') }}
),

human_records as (
    select record_id, dataset, taxonomy, mas_name from {{ ref('mad_human_records') }}
),

human_cells as (
    select record_id, mode_id, majority from {{ ref('int_human_cells_counted') }}
),

natural_rooms as (
    select trace_id, dataset, split, model, temperature, clue_domain, unit_tools, is_crashed
    from {{ ref('rooms') }}
    where is_latest and injection = 'none'
),

steps as (
    select trace_id, status, failure_mode from {{ ref('steps') }}
),

-- MAD's judge: each record was asked for every mode of MAST-14. A label that is not there is
-- unknown, like one that is null.
judged_units as (
    select
        full_records.dataset,
        'mad judge' as label_source,
        full_records.mas_name as framework,
        full_records.llm_name as llm,
        cast(null as varchar) as condition,
        crosswalk.mode_id,
        full_annotations.label,
    from full_records
    inner join crosswalk on crosswalk.taxonomy = 'mast-14'
    left join full_annotations
        on
            full_records.record_id = full_annotations.record_id
            and crosswalk.mode_id = full_annotations.mode_id
),

-- MAD's annotators, by majority: each record was asked for the modes of its round's taxonomy
human_units as (
    select
        human_records.dataset,
        'mad human' as label_source,
        human_records.mas_name as framework,
        cast(null as varchar) as llm,
        cast(null as varchar) as condition,
        crosswalk.mode_id,
        human_cells.majority as label,
    from human_records
    inner join crosswalk on human_records.taxonomy = crosswalk.taxonomy
    left join human_cells
        on
            human_records.record_id = human_cells.record_id
            and crosswalk.mode_id = human_cells.mode_id
),

-- A trace is known not to have a mode only where every step is labelled and every wrong one has a
-- mode. A crashed room shows nothing.
traces as (
    select
        natural_rooms.trace_id,
        list(steps.failure_mode) filter (where steps.failure_mode is not null) as failure_modes,
        natural_rooms.is_crashed
        or count(*) filter (
            where steps.status is null or (steps.status = 'wrong' and steps.failure_mode is null)
        ) > 0 as has_unknown,
    from natural_rooms
    left join steps on natural_rooms.trace_id = steps.trace_id
    group by natural_rooms.trace_id, natural_rooms.is_crashed
),

-- MADBench: traces of natural runs, each condition apart
trace_units as (
    select
        natural_rooms.dataset,
        'madbench steps' as label_source,
        'MADBench' as framework,
        natural_rooms.model as llm,
        concat_ws(
            ', ',
            -- coalesce: what is unknown is named, so that two conditions stay two
            coalesce(natural_rooms.split, 'split unknown'),
            'temperature ' || coalesce(cast(natural_rooms.temperature as varchar), 'unknown'),
            natural_rooms.clue_domain,
            case when natural_rooms.unit_tools then 'unit tools' else 'no tools' end
        ) as condition,
        crosswalk.mode_id,
        case
            when
                list_contains(
                    traces.failure_modes, replace(crosswalk.mode_id, 'madbench-generator:', '')
                )
                then true
            when not traces.has_unknown then false
        end as label,
    from natural_rooms
    inner join traces on natural_rooms.trace_id = traces.trace_id
    inner join crosswalk on crosswalk.taxonomy = 'madbench-generator'
),

units as (
    select
        dataset,
        label_source,
        framework,
        llm,
        condition,
        mode_id,
        label,
    from judged_units
    union all by name
    select
        dataset,
        label_source,
        framework,
        llm,
        condition,
        mode_id,
        label,
    from human_units
    union all by name
    select
        dataset,
        label_source,
        framework,
        llm,
        condition,
        mode_id,
        label,
    from trace_units
),

-- a mode is counted as the mode of MAST-14 it stands for, and as itself where there is none
mapped_units as (
    select
        units.dataset,
        units.label_source,
        units.framework,
        units.llm,
        units.condition,
        case
            when crosswalk.mast14_code is not null then 'mast-14:' || crosswalk.mast14_code
            else units.mode_id
        end as mode_id,
        crosswalk.mast14_code,
        case
            when crosswalk.mast14_code is not null then crosswalk.mast14_name
            else crosswalk.name
        end as mode_name,
        units.label,
    from units
    inner join crosswalk on units.mode_id = crosswalk.mode_id
),

-- by framework, LLM and condition; and MAD once more in one, `all`: its runs have no conditions
counts as (
    select
        dataset,
        label_source,
        framework,
        llm,
        condition,
        mode_id,
        mast14_code,
        mode_name,
        count(*) as n_units,
        count(label) as n_known,
        count(*) filter (where label) as n_positive,
    from mapped_units
    group by all
    union all by name
    select
        dataset,
        label_source,
        'all' as framework,
        'all' as llm,
        'all' as condition,
        mode_id,
        mast14_code,
        mode_name,
        count(*) as n_units,
        count(label) as n_known,
        count(*) filter (where label) as n_positive,
    from mapped_units
    where label_source in ('mad judge', 'mad human')
    group by all
),

final as (
    select
        dataset,
        label_source,
        framework,
        llm,
        condition,
        mode_id,

        mast14_code,
        mode_name,

        cast(n_units as bigint) as n_units,
        cast(n_units - n_known as bigint) as n_unknown,
        cast(n_known as bigint) as n_known,
        cast(n_positive as bigint) as n_positive,
        cast(n_positive / nullif(n_known, 0) as double) as rate,
        cast({{ wilson_low('n_positive', 'n_known') }} as double) as ci_low,
        cast({{ wilson_high('n_positive', 'n_known') }} as double) as ci_high,
    from counts
)

select * from final
