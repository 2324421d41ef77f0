with latest_rooms as (
    select * from {{ ref('rooms') }} where is_latest
),

room_counts as (
    select
        dataset,
        split,
        model,
        temperature,
        clue_domain,
        unit_tools,
        injection,
        count(*) as n_rooms,
        count(*) filter (where escaped is null) as n_unknown_outcome,
        count(*) filter (where escaped) as n_escaped,
        count(*) filter (where is_live) as n_rooms_live,
        count(*) filter (where is_live and escaped is null) as n_unknown_outcome_live,
        count(*) filter (where is_live and escaped) as n_escaped_live,
        count(*) filter (where is_live is null) as n_unknown_live,
    from latest_rooms
    group by all
),

known_outcomes as (
    select
        *,
        n_rooms - n_unknown_outcome as n_known,
        n_rooms_live - n_unknown_outcome_live as n_known_live,
    from room_counts
),

final as (
    select
        dataset,
        split,
        model,
        temperature,
        clue_domain,
        unit_tools,
        injection,

        cast(n_rooms as bigint) as n_rooms,
        cast(n_unknown_outcome as bigint) as n_unknown_outcome,
        cast(n_escaped as bigint) as n_escaped,
        cast(n_escaped / nullif(n_known, 0) as double) as escape_rate,
        cast({{ wilson_low('n_escaped', 'n_known') }} as double) as ci_low,
        cast({{ wilson_high('n_escaped', 'n_known') }} as double) as ci_high,

        cast(n_rooms_live as bigint) as n_rooms_live,
        cast(n_unknown_outcome_live as bigint) as n_unknown_outcome_live,
        cast(n_escaped_live as bigint) as n_escaped_live,
        cast(n_escaped_live / nullif(n_known_live, 0) as double) as escape_rate_live,
        cast(n_unknown_live as bigint) as n_unknown_live,
    from known_outcomes
)

select * from final
