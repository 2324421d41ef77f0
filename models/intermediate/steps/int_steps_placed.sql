with steps as (
    select
        step_id,
        trace_id,
        step_index,
        action,
        nullif(trim(puzzle_id), '') as puzzle_id,
        attempt,
        nullif(trim(chosen_puzzle_id), '') as chosen_puzzle_id,
        answer_json,
        error_tags,
    from {{ ref('int_steps_labelled') }}
),

room_puzzles as (
    select trace_id, room_puzzle_index, nullif(trim(puzzle_id), '') as puzzle_id, clue_item_id
    from {{ ref('stg_madbench__puzzles') }}
),

fake_clues as (
    select trace_id, room_puzzle_index, nullif(trim(puzzle_id), '') as puzzle_id, item_id
    from {{ ref('stg_madbench__distractors') }}
    where kind = 'clue'
),

unplayable_selections as (
    select tag from {{ ref('unplayable_selections') }}
),

-- A number is sorted several times as fast as the long text of an id, and there is much to sort.
numbered_traces as (
    select
        trace_id,
        row_number() over (order by trace_id) as trace_number,
    from steps
    group by trace_id
),

-- An answer is JSON: 4, "4" and 4.0 are the same item.
classified as (
    select
        numbered_traces.trace_number,
        steps.step_index,
        steps.puzzle_id,
        steps.attempt,
        coalesce(steps.action = 'SELECT_PUZZLE', false) as is_selection,
        coalesce(steps.action in ('OBSERVE_CLUE', 'OBSERVE_PLANNED_CLUE'), false) as is_clue,
        coalesce(
            steps.action = 'SELECT_PUZZLE'
            and list_has_any(
                steps.error_tags,
                (select list(unplayable_selections.tag) from unplayable_selections)
            ),
            false
        ) as is_unplayable,
        case when steps.action = 'SELECT_PUZZLE' then steps.chosen_puzzle_id end
            as chosen_puzzle_id,
        case
            when steps.action in ('OBSERVE_CLUE', 'OBSERVE_PLANNED_CLUE')
                then nullif(regexp_replace(trim(steps.answer_json, '" '), '\.0+$', ''), 'null')
        end as clue_item_id,
    from steps
    inner join numbered_traces on steps.trace_id = numbered_traces.trace_id
),

sequenced as (
    select
        *,
        lag(is_selection and not is_unplayable, 1, false) over (
            partition by trace_number order by step_index
        ) as follows_selection,
    from classified
),

-- The steps that can belong to a puzzle.
playable_steps as (
    select
        *,
        count(puzzle_id) over (partition by trace_number) > 0 as trace_has_puzzle_ids,
        row_number() over (partition by trace_number order by step_index) = 1 as is_first,
        last_value(chosen_puzzle_id ignore nulls) over (
            partition by trace_number order by step_index
            rows between unbounded preceding and 1 preceding
        ) as chosen_before,
    from sequenced
    where not is_unplayable
),

-- Newer traces: the step says its puzzle, or its selection does, or a step beside it.
named_steps as (
    select
        trace_number,
        step_index,
        attempt,
        is_selection,
        coalesce(
            puzzle_id,
            chosen_puzzle_id,
            last_value(coalesce(puzzle_id, chosen_puzzle_id) ignore nulls) over (
                partition by trace_number order by step_index
                rows between unbounded preceding and current row
            ),
            first_value(coalesce(puzzle_id, chosen_puzzle_id) ignore nulls) over (
                partition by trace_number order by step_index
                rows between current row and unbounded following
            )
        ) as puzzle_id,
    from playable_steps
    where trace_has_puzzle_ids
),

named_puzzles as (
    select
        trace_number,
        puzzle_id,
        row_number() over (partition by trace_number order by min(step_index)) - 1 as puzzle_index,
    from named_steps
    group by trace_number, puzzle_id
),

-- Older traces: a step that takes up a puzzle parts it from the one before. A selection asked again
-- (attempt 2) for the puzzle in hand repeats that puzzle, as a clue observed again does.
unnamed_steps as (
    select
        trace_number,
        step_index,
        attempt,
        is_selection,
        chosen_puzzle_id,
        clue_item_id,
        cast(
            sum(
                case
                    when is_first then 1
                    when is_selection and attempt > 1 and chosen_puzzle_id = chosen_before then 0
                    when is_selection then 1
                    when is_clue and coalesce(attempt, 1) <= 1 and not follows_selection then 1
                    else 0
                end
            ) over (
                partition by trace_number order by step_index
                rows between unbounded preceding and current row
            ) - 1 as bigint
        ) as puzzle_index,
    from playable_steps
    where not trace_has_puzzle_ids
),

unnamed_puzzles as (
    select
        numbered_traces.trace_id,
        unnamed_steps.trace_number,
        unnamed_steps.puzzle_index,
        arg_min(unnamed_steps.chosen_puzzle_id, unnamed_steps.step_index) as chosen_puzzle_id,
        arg_min(unnamed_steps.clue_item_id, unnamed_steps.step_index) as clue_item_id,
    from unnamed_steps
    inner join numbered_traces on unnamed_steps.trace_number = numbered_traces.trace_number
    group by numbered_traces.trace_id, unnamed_steps.trace_number, unnamed_steps.puzzle_index
),

clues as (
    select
        trace_id,
        room_puzzle_index,
        puzzle_id,
        regexp_replace(trim(clue_item_id), '\.0+$', '') as item_id,
        false as is_fake,
    from room_puzzles
    union all by name
    select
        trace_id,
        room_puzzle_index,
        puzzle_id,
        regexp_replace(trim(item_id), '\.0+$', '') as item_id,
        true as is_fake,
    from fake_clues
),

-- Should one item be the clue of several puzzles, the true clue and the room's order decide.
puzzles_by_clue as (
    select
        unnamed_puzzles.trace_number,
        unnamed_puzzles.puzzle_index,
        arg_min(clues.puzzle_id, row(clues.is_fake, clues.room_puzzle_index)) as puzzle_id,
    from unnamed_puzzles
    inner join clues
        on
            unnamed_puzzles.trace_id = clues.trace_id
            and unnamed_puzzles.clue_item_id = clues.item_id
    group by unnamed_puzzles.trace_number, unnamed_puzzles.puzzle_index
),

puzzles_of_rooms as (
    select trace_id, puzzle_id
    from room_puzzles
    group by trace_id, puzzle_id
),

inferred_puzzles as (
    select
        unnamed_puzzles.trace_number,
        unnamed_puzzles.puzzle_index,
        coalesce(
            puzzles_of_rooms.puzzle_id, puzzles_by_clue.puzzle_id, room_puzzles.puzzle_id
        ) as puzzle_id,
    from unnamed_puzzles
    left join puzzles_of_rooms
        on
            unnamed_puzzles.trace_id = puzzles_of_rooms.trace_id
            and unnamed_puzzles.chosen_puzzle_id = puzzles_of_rooms.puzzle_id
    left join puzzles_by_clue
        on
            unnamed_puzzles.trace_number = puzzles_by_clue.trace_number
            and unnamed_puzzles.puzzle_index = puzzles_by_clue.puzzle_index
    left join room_puzzles
        on
            unnamed_puzzles.trace_id = room_puzzles.trace_id
            and unnamed_puzzles.puzzle_index = room_puzzles.room_puzzle_index
),

steps_of_puzzles as (
    select
        named_steps.trace_number,
        named_steps.step_index,
        named_steps.attempt,
        named_steps.is_selection,
        named_puzzles.puzzle_index,
        named_steps.puzzle_id,
    from named_steps
    inner join named_puzzles
        on
            named_steps.trace_number = named_puzzles.trace_number
            and named_steps.puzzle_id = named_puzzles.puzzle_id
    union all by name
    select
        unnamed_steps.trace_number,
        unnamed_steps.step_index,
        unnamed_steps.attempt,
        unnamed_steps.is_selection,
        unnamed_steps.puzzle_index,
        inferred_puzzles.puzzle_id,
    from unnamed_steps
    inner join inferred_puzzles
        on
            unnamed_steps.trace_number = inferred_puzzles.trace_number
            and unnamed_steps.puzzle_index = inferred_puzzles.puzzle_index
),

-- A selection opens the attempt that follows it, however the planner counts its own tries. A
-- puzzle's first try is its first attempt, whether or not the trace says so.
places as (
    select
        trace_number,
        step_index,
        puzzle_index,
        puzzle_id,
        coalesce(
            case
                when is_selection
                    then
                        first_value(case when not is_selection then attempt end ignore nulls) over (
                            partition by trace_number, puzzle_index order by step_index
                            rows between current row and unbounded following
                        )
            end,
            last_value(attempt ignore nulls) over (
                partition by trace_number, puzzle_index order by step_index
                rows between unbounded preceding and current row
            ),
            1
        ) as attempt,
    from steps_of_puzzles
),

-- A step without a place is an unplayable selection: it keeps the puzzle recorded on it.
final as (
    select
        steps.step_id,
        steps.trace_id,
        steps.trace_id || '/' || places.puzzle_index || '/' || places.attempt as attempt_id,
        steps.step_index,
        cast(places.puzzle_index as integer) as puzzle_index,
        case
            when places.trace_number is null then steps.puzzle_id
            else places.puzzle_id
        end as puzzle_id,
        places.attempt,
    from steps
    inner join numbered_traces on steps.trace_id = numbered_traces.trace_id
    left join places
        on
            numbered_traces.trace_number = places.trace_number
            and steps.step_index = places.step_index
)

select * from final
