with latest_steps as (
    select * from {{ ref('steps') }} where is_latest
),

step_counts as (
    select
        dataset,
        split,
        model,
        temperature,
        difficulty,
        clue_domain,
        unit_tools,
        injection,
        action,
        agent,
        count(*) as n_steps,
        count(status) as n_wrong_recorded,
        count(*) filter (where status = 'wrong') as n_wrong,
        count(has_schema_error) as n_schema_error_recorded,
        count(*) filter (where has_schema_error) as n_schema_error,
        count(timed_out) as n_timed_out_recorded,
        count(*) filter (where timed_out) as n_timed_out,
        count(superlong_reasoning) as n_superlong_reasoning_recorded,
        count(*) filter (where superlong_reasoning) as n_superlong_reasoning,
    from latest_steps
    group by all
),

-- one row per signal instead of one column
signal_counts as (
    unpivot step_counts
    on
    (n_wrong_recorded, n_wrong) as wrong,
    (n_schema_error_recorded, n_schema_error) as schema_error,
    (n_timed_out_recorded, n_timed_out) as timed_out,
    (n_superlong_reasoning_recorded, n_superlong_reasoning) as superlong_reasoning
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
        action,
        agent,
        signal,

        cast(n_steps as bigint) as n_steps,
        cast(n_recorded as bigint) as n_recorded,
        cast(n_signal as bigint) as n_signal,
        cast(n_signal / nullif(n_recorded, 0) as double) as rate,
    from signal_counts
)

select * from final
