with published as (
    select * from {{ ref('published_escape_rates') }}
),

comparable_rooms as (
    select * from {{ ref('rooms') }}
    where is_latest and injection = 'none' and clue_domain = 'gsm-hard' and not unit_tools
),

datasets as (
    select * from {{ ref('datasets') }}
),

-- one row per published cell and data set that holds rooms of it, or dataset null where none does
observed_cells as (
    select
        published.source,
        comparable_rooms.dataset,
        published.split,
        published.model,
        published.temperature,
        published.difficulty,
        published.published_pct,
        published.published_n,
        published.reference,
        count(comparable_rooms.trace_id) as n_rooms,
        count(comparable_rooms.escaped) as n_known,
        count(*) filter (where comparable_rooms.escaped) as n_escaped,
    from published
    left join comparable_rooms
        on
            published.split = comparable_rooms.split
            and published.model = comparable_rooms.model
            and published.temperature = comparable_rooms.temperature
            and published.difficulty in ('all', comparable_rooms.difficulty)
    group by all
),

final as (
    select
        observed_cells.source,
        case
            when observed_cells.n_rooms = 0 then 'none' else observed_cells.dataset
        end as dataset,
        observed_cells.split,
        observed_cells.model,
        cast(observed_cells.temperature as decimal(4, 2)) as temperature,
        observed_cells.difficulty,

        observed_cells.reference,

        cast(observed_cells.published_pct as double) as published_pct,
        cast(
            100 * observed_cells.n_escaped / nullif(observed_cells.n_known, 0) as double
        ) as observed_pct,
        cast(observed_cells.published_n as bigint) as published_n,
        cast(observed_cells.n_rooms as bigint) as n_rooms,
        cast(observed_cells.n_rooms - observed_cells.n_known as bigint) as n_unknown_outcome,
        cast(observed_cells.n_escaped as bigint) as n_escaped,

        case
            when observed_cells.n_rooms = 0 then 'not loaded'
            when datasets.is_synthetic then 'not comparable'
            when observed_cells.n_rooms <> observed_cells.published_n then 'partial'
            when observed_cells.n_known = 0 then 'partial'
            -- within half a point, multiplied out: decimals compare exactly at the boundary
            when
                abs(
                    100 * observed_cells.n_escaped
                    - observed_cells.published_pct * observed_cells.n_known
                ) <= 0.5 * observed_cells.n_known
                then 'match'
            else 'differs'
        end as verdict,
    from observed_cells
    left join datasets on observed_cells.dataset = datasets.dataset
)

select * from final
