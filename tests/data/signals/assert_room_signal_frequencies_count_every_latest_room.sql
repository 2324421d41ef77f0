-- Every data set and signal: the mart's sums are the counts of the fact.
with latest_rooms as (
    select * from {{ ref('rooms') }} where is_latest
),

room_signals as (
    select
        dataset,
        'not_escaped' as signal,
        not escaped as has_signal,
    from latest_rooms
    union all by name
    select
        dataset,
        'schema_failures' as signal,
        has_schema_failures as has_signal,
    from latest_rooms
    union all by name
    select
        dataset,
        'crashed' as signal,
        is_crashed as has_signal,
    from latest_rooms
),

expected as (
    select
        dataset,
        signal,
        count(*) as n_rooms,
        count(has_signal) as n_recorded,
        count(*) filter (where has_signal) as n_signal,
    from room_signals
    group by dataset, signal
),

observed as (
    select
        dataset,
        signal,
        sum(n_rooms) as n_rooms,
        sum(n_recorded) as n_recorded,
        sum(n_signal) as n_signal,
    from {{ ref('room_signal_frequencies') }}
    group by dataset, signal
)

select
    coalesce(expected.dataset, observed.dataset) as dataset,
    coalesce(expected.signal, observed.signal) as signal,
    expected.n_rooms as expected_n_rooms,
    observed.n_rooms as observed_n_rooms,
    expected.n_recorded as expected_n_recorded,
    observed.n_recorded as observed_n_recorded,
    expected.n_signal as expected_n_signal,
    observed.n_signal as observed_n_signal,
from expected
full join observed
    on expected.dataset = observed.dataset and expected.signal = observed.signal
where
    expected.n_rooms is distinct from observed.n_rooms
    or expected.n_recorded is distinct from observed.n_recorded
    or expected.n_signal is distinct from observed.n_signal
