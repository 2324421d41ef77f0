-- 4 of 10 and 10 of 200 were worked out apart, with the textbook form of the Wilson interval.
with expected (n_success, n_trials, expected_low, expected_high) as (
    values
    (0, 0, null, null),
    (0, 1, 0.0, 0.7935),
    (0, 50, 0.0, 0.0713),
    (1, 1, 0.2065, 1.0),
    (50, 50, 0.9287, 1.0),
    (4, 10, 0.1682, 0.6873),
    (10, 200, 0.0274, 0.0896)
),

observed as (
    select
        *,
        {{ wilson_low('n_success', 'n_trials') }} as observed_low,
        {{ wilson_high('n_success', 'n_trials') }} as observed_high,
    from expected
)

select * from observed
where
    round(observed_low, 4) is distinct from cast(expected_low as double)
    or round(observed_high, 4) is distinct from cast(expected_high as double)
    or (n_success = 0 and observed_low <> 0)
    or (n_success = n_trials and observed_high <> 1)
