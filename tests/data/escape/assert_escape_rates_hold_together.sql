-- Counts add up, a rate lies inside its interval, and it is null exactly where nothing is known.
with marts as (
    select * exclude (difficulty) from {{ ref('escape_rates') }}
    union all by name
    select * from {{ ref('escape_rates_by_split') }}
)

select * from marts
where
    n_rooms < 1
    or n_escaped + n_unknown_outcome > n_rooms
    or n_rooms_live + n_unknown_live > n_rooms
    or n_escaped_live + n_unknown_outcome_live > n_rooms_live
    or n_escaped_live > n_escaped
    or (escape_rate is null) <> (n_rooms = n_unknown_outcome)
    or (escape_rate_live is null) <> (n_rooms_live = n_unknown_outcome_live)
    or (escape_rate is null) <> (ci_low is null)
    or (escape_rate is null) <> (ci_high is null)
    or escape_rate < ci_low
    or escape_rate > ci_high
