-- Every data set and signal: the mart's sums are the counts of the fact.
with latest_steps as (
    select steps.*
    from {{ ref('steps') }} as steps
    inner join {{ ref('rooms') }} as rooms on steps.trace_id = rooms.trace_id
    where rooms.is_latest
),

step_signals as (
    select
        dataset,
        'wrong' as signal,
        status = 'wrong' as has_signal,
    from latest_steps
    union all by name
    select
        dataset,
        'schema_error' as signal,
        has_schema_error as has_signal,
    from latest_steps
    union all by name
    select
        dataset,
        'timed_out' as signal,
        timed_out as has_signal,
    from latest_steps
    union all by name
    select
        dataset,
        'superlong_reasoning' as signal,
        superlong_reasoning as has_signal,
    from latest_steps
),

expected as (
    select
        dataset,
        signal,
        count(*) as n_steps,
        count(has_signal) as n_recorded,
        count(*) filter (where has_signal) as n_signal,
    from step_signals
    group by dataset, signal
),

observed as (
    select
        dataset,
        signal,
        sum(n_steps) as n_steps,
        sum(n_recorded) as n_recorded,
        sum(n_signal) as n_signal,
    from {{ ref('signal_frequencies') }}
    group by dataset, signal
)

select
    coalesce(expected.dataset, observed.dataset) as dataset,
    coalesce(expected.signal, observed.signal) as signal,
    expected.n_steps as expected_n_steps,
    observed.n_steps as observed_n_steps,
    expected.n_recorded as expected_n_recorded,
    observed.n_recorded as observed_n_recorded,
    expected.n_signal as expected_n_signal,
    observed.n_signal as observed_n_signal,
from expected
full join observed
    on expected.dataset = observed.dataset and expected.signal = observed.signal
where
    expected.n_steps is distinct from observed.n_steps
    or expected.n_recorded is distinct from observed.n_recorded
    or expected.n_signal is distinct from observed.n_signal
