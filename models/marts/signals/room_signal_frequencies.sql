with latest_rooms as (
    select * from {{ ref('rooms') }} where is_latest
),

room_counts as (
    select
        dataset,
        split,
        model,
        temperature,
        difficulty,
        clue_domain,
        unit_tools,
        injection,
        count(*) as n_rooms,
        count(escaped) as n_not_escaped_recorded,
        count(*) filter (where not escaped) as n_not_escaped,
        count(has_schema_failures) as n_schema_failures_recorded,
        count(*) filter (where has_schema_failures) as n_schema_failures,
        count(is_crashed) as n_crashed_recorded,
        count(*) filter (where is_crashed) as n_crashed,
    from latest_rooms
    group by all
),

-- one row per signal instead of one column
signal_counts as (
    unpivot room_counts
    on
    (n_not_escaped_recorded, n_not_escaped) as not_escaped,
    (n_schema_failures_recorded, n_schema_failures) as schema_failures,
    (n_crashed_recorded, n_crashed) as crashed
    into name signal value n_recorded, n_signal
),

final as (
    select
        dataset,
        split,
        model,
        temperature,
        difficulty,
        clue_domain,
        unit_tools,
        injection,
        signal,

        cast(n_rooms as bigint) as n_rooms,
        cast(n_recorded as bigint) as n_recorded,
        cast(n_signal as bigint) as n_signal,
        cast(n_signal / nullif(n_recorded, 0) as double) as rate,
    from signal_counts
)

select * from final
