-- A signal is counted only where it was recorded, and a rate is null exactly where none was.
with counts as (
    select
        signal,
        n_steps as n_units,
        n_recorded,
        n_signal,
        rate,
    from {{ ref('signal_frequencies') }}
    union all by name
    select
        signal,
        n_rooms as n_units,
        n_recorded,
        n_signal,
        rate,
    from {{ ref('room_signal_frequencies') }}
)

select * from counts
where
    n_units < 1
    or n_recorded > n_units
    or n_signal > n_recorded
    or (rate is null) <> (n_recorded = 0)
