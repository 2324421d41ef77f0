with traces as (
    select trace_id, dataset, split, room_id from {{ ref('int_traces_identified') }}
),

trace_puzzles as (
    select * from {{ ref('stg_madbench__puzzles') }}
),

room_definitions as (
    select dataset, split, room_id, source_path, line_number
    from {{ ref('int_room_definitions_merged') }}
),

defined_puzzles as (
    select * from {{ ref('stg_madbench__puzzle_definitions') }}
),

unit_factors as (
    select unit, dimension, factor from {{ ref('unit_factors') }}
),

puzzles as (
    select
        'trace' as source_kind,
        traces.dataset,
        traces.split,
        traces.room_id,
        traces.trace_id,
        trace_puzzles.room_puzzle_index,
        trace_puzzles.puzzle_id,
        trace_puzzles.item_type,
        trace_puzzles.item_state,
        trace_puzzles.item_unit,
        trace_puzzles.clue_answer,
        trace_puzzles.delta_unit,
        trace_puzzles.ground_truth,
    from trace_puzzles
    inner join traces on trace_puzzles.trace_id = traces.trace_id
    union all by name
    select
        'room_definition' as source_kind,
        room_definitions.dataset,
        room_definitions.split,
        room_definitions.room_id,
        cast(null as varchar) as trace_id,
        defined_puzzles.room_puzzle_index,
        defined_puzzles.puzzle_id,
        defined_puzzles.item_type,
        defined_puzzles.item_state,
        defined_puzzles.item_unit,
        defined_puzzles.clue_answer,
        defined_puzzles.delta_unit,
        defined_puzzles.ground_truth,
    from defined_puzzles
    inner join room_definitions
        on
            defined_puzzles.dataset = room_definitions.dataset
            and defined_puzzles.source_path = room_definitions.source_path
            and defined_puzzles.line_number = room_definitions.line_number
),

-- Units of different dimensions have no common factor: such a puzzle is not recomputed.
applied as (
    select
        puzzles.*,
        case
            when
                isfinite(puzzles.item_state)
                and isfinite(puzzles.clue_answer)
                and item_units.dimension = delta_units.dimension
                then
                    puzzles.item_state
                    + puzzles.clue_answer * delta_units.factor / item_units.factor
        end as reading,
        case lower(trim(puzzles.item_type))
            when 'compass' then 360 / item_units.factor
            when 'clock' then 86400 / item_units.factor
        end as modulus,
    from puzzles
    left join unit_factors as item_units on lower(trim(puzzles.item_unit)) = item_units.unit
    left join unit_factors as delta_units on lower(trim(puzzles.delta_unit)) = delta_units.unit
),

-- `%` keeps the sign of what is divided. A turn is added only to a negative rest: adding it to
-- every rest would round the small ones.
wrapped as (
    select
        *,
        case
            when modulus is null then reading
            when reading % modulus < 0 then reading % modulus + modulus
            else reading % modulus
        end as reading_wrapped,
    from applied
),

recomputed_puzzles as (
    select
        *,
        round_even(reading_wrapped, 0) as recomputed,
    from wrapped
),

final as (
    select
        source_kind,
        dataset,
        split,
        room_id,
        trace_id,
        room_puzzle_index,
        puzzle_id,

        item_type,
        item_unit,
        delta_unit,

        item_state,
        clue_answer,
        ground_truth as published,
        recomputed,
        ground_truth = recomputed as agrees,
        coalesce(ground_truth, recomputed) = item_state as is_inert,
    from recomputed_puzzles
)

select * from final
