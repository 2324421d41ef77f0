-- Room files of every data set: their lines, and the puzzles in them, add up to the copies counted
-- in what is published. A data set that one side lacks differs too.
with loaded_files as (
    select
        dataset,
        cast(sum(n_rooms) as bigint) as n_rooms,
        cast(sum(n_puzzles) as bigint) as n_puzzles,
    from {{ ref('stg_lake__source_files') }}
    where status = 'loaded' and kind = 'rooms' and n_rooms > 0
    group by dataset
),

lake_puzzles as (
    select dataset, count(*) as n_puzzles
    from {{ ref('stg_madbench__puzzle_definitions') }}
    group by dataset
),

published_rooms as (
    select
        dataset,
        cast(sum(n_copies) as bigint) as n_rooms,
        cast(sum(n_puzzles) as bigint) as n_puzzles_shown,
    from {{ ref('room_definitions') }}
    group by dataset
),

published_puzzles as (
    select dataset, cast(sum(n_copies) as bigint) as n_puzzles
    from {{ ref('puzzle_definitions') }}
    group by dataset
)

select
    coalesce(
        loaded_files.dataset,
        lake_puzzles.dataset,
        published_rooms.dataset,
        published_puzzles.dataset
    ) as dataset,
    loaded_files.n_rooms as n_rooms_loaded,
    published_rooms.n_rooms as n_rooms_published,
    loaded_files.n_puzzles as n_puzzles_loaded,
    lake_puzzles.n_puzzles as n_puzzles_in_lake,
    published_rooms.n_puzzles_shown as n_puzzles_of_shown_rooms,
    published_puzzles.n_puzzles as n_puzzles_published,
from loaded_files
full join lake_puzzles on loaded_files.dataset = lake_puzzles.dataset
full join published_rooms
    on coalesce(loaded_files.dataset, lake_puzzles.dataset) = published_rooms.dataset
full join published_puzzles
    on
        coalesce(loaded_files.dataset, lake_puzzles.dataset, published_rooms.dataset)
        = published_puzzles.dataset
where
    loaded_files.n_rooms is distinct from published_rooms.n_rooms
    -- Rooms without a puzzle leave no row on one side and zero on the other.
    or coalesce(loaded_files.n_puzzles, 0) is distinct from coalesce(lake_puzzles.n_puzzles, 0)
    or coalesce(published_rooms.n_puzzles_shown, 0)
    is distinct from coalesce(published_puzzles.n_puzzles, 0)
