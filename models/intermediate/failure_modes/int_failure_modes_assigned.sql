{#- A text is cut into tokens: a word with what is joined to it (room_0001, gpt-4.1), a variable of
    one letter, a time of day, or a number with its sign, thousands separators, exponent and unit. An
    operator right behind a token is taken with it, so that 20-4 holds 4 and -4 stays negative. -#}
{%- set digits = '(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)' -%}
{%- set number = '(?:' ~ digits ~ '(?:\\.[0-9]+)?|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?' -%}
{%- set word = '[\\p{L}_][\\p{L}\\p{N}_]+(?:[-.][\\p{L}\\p{N}_]+)*' -%}
{%- set variable = '[\\p{L}_)\\]}][-−+]?' -%}
{%- set time_of_day = '[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]+)?)?' -%}
{%- set joined = '[\\p{L}\\p{N}_]*(?:\\.[0-9][\\p{L}\\p{N}_]*)*' -%}
{%- set token = word ~ '|' ~ variable ~ '|' ~ time_of_day
    ~ '|[-−+]?' ~ number ~ joined ~ '[-−+]?' -%}
{#- A token is a number if only a unit is joined to it: 4kg is, 692c77d_1 and 1.2.3 are not. -#}
{%- set number_token = '^([-−+]?' ~ number ~ ')\\p{L}*[-−+]?$' -%}
{#- What parts words; between two of it stands a whole word. -#}
{%- set gap = '[^\\p{L}\\p{N}_]+' -%}
{#- Two numbers are the same within this share of the one looked for. -#}
{%- set tolerance = 0.001 -%}

with steps as (
    select step_id, trace_id, step_index, action, status, failure_mode, error_tags
    from {{ ref('int_steps_labelled') }}
),

places as (
    select step_id, attempt_id, puzzle_id from {{ ref('int_steps_placed') }}
),

room_puzzles as (
    select * from {{ ref('stg_madbench__puzzles') }}
),

step_texts as (
    select step_id, message, structured_json, verification_json
    from {{ ref('stg_madbench__step_texts') }}
),

rules as (
    select * from {{ ref('failure_mode_rules') }}
),

wrong_steps as (
    select
        steps.step_id,
        steps.trace_id,
        steps.step_index,
        steps.action,
        steps.failure_mode,
        places.attempt_id,
        places.puzzle_id,
        -- upstream writes a tag as the error's type, in capitals, and in its description; a tool
        -- call's TC_ tags stand in the type, and its description says the same in other words
        list_filter(
            list_distinct(steps.error_tags),
            lambda tag: steps.action is distinct from 'UNIT_TOOL_CALL' or starts_with(tag, 'tc_')
        ) as tags,
    from steps
    left join places on steps.step_id = places.step_id
    where steps.status = 'wrong'
),

-- the trace's own label stands: rules are for the wrong steps it gives none
open_steps as (
    select * from wrong_steps
    where failure_mode is null
),

open_steps_with_text as (
    select
        open_steps.*,
        step_texts.message,
        try(json_extract_string(step_texts.verification_json, '$.gt')) as recorded_truth,
        coalesce(
            try(json_extract_string(step_texts.verification_json, '$.answer_unit')),
            try(json_extract_string(step_texts.structured_json, '$.unit'))
        ) as answered_unit,
    from open_steps
    left join step_texts on open_steps.step_id = step_texts.step_id
),

-- a room that names two puzzles alike: the first in its order
puzzles as (
    select
        trace_id,
        trim(puzzle_id) as puzzle_id,
        clue_item_id,
        clue_problem,
        item_type,
        -- a number as a number; an answer of another kind as its text
        coalesce(cast(clue_answer as varchar), trim(clue_answer_json, '"')) as clue_answer,
    from room_puzzles
    qualify
        row_number() over (
            partition by trace_id, trim(puzzle_id) order by room_puzzle_index
        ) = 1
),

-- one row per open APPLY_DELTA: the last step before it that solved the clue, and the last that
-- read the item
inputs_of_applications as (
    select
        open_steps.step_id,
        arg_max(steps.step_id, steps.step_index) filter (where steps.action = 'SOLVE_CLUE')
            as solver_step_id,
        arg_max(steps.step_id, steps.step_index) filter (where steps.action = 'OBSERVE_ITEM')
            as reader_step_id,
    from open_steps
    inner join places on open_steps.attempt_id = places.attempt_id
    inner join steps
        on places.step_id = steps.step_id and open_steps.step_index > steps.step_index
    where
        open_steps.action = 'APPLY_DELTA'
        and steps.action in ('SOLVE_CLUE', 'OBSERVE_ITEM')
    group by open_steps.step_id
),

values_of_inputs as (
    select
        inputs_of_applications.step_id,
        try(json_extract_string(solver_texts.structured_json, '$.answer')) as solved_answer,
        try(json_extract_string(reader_texts.structured_json, '$.item_state')) as observed_state,
    from inputs_of_applications
    left join step_texts as solver_texts
        on inputs_of_applications.solver_step_id = solver_texts.step_id
    left join step_texts as reader_texts
        on inputs_of_applications.reader_step_id = reader_texts.step_id
),

-- one row per condition of a step and value that has to stand in a text for it to hold
sought_values as (
    select
        open_steps.step_id,
        'right_item_id_in_message' as condition,
        open_steps.message as text_searched,
        puzzles.clue_item_id as value_sought,
    from open_steps_with_text as open_steps
    inner join puzzles
        on open_steps.trace_id = puzzles.trace_id and open_steps.puzzle_id = puzzles.puzzle_id
    where open_steps.action in ('OBSERVE_CLUE', 'OBSERVE_PLANNED_CLUE')
    union all by name
    select
        open_steps.step_id,
        'right_item_type_in_message' as condition,
        open_steps.message as text_searched,
        puzzles.item_type as value_sought,
    from open_steps_with_text as open_steps
    inner join puzzles
        on open_steps.trace_id = puzzles.trace_id and open_steps.puzzle_id = puzzles.puzzle_id
    where open_steps.action = 'OBSERVE_ITEM'
    union all by name
    select
        open_steps.step_id,
        'answered_unit_in_problem' as condition,
        puzzles.clue_problem as text_searched,
        open_steps.answered_unit as value_sought,
    from open_steps_with_text as open_steps
    inner join puzzles
        on open_steps.trace_id = puzzles.trace_id and open_steps.puzzle_id = puzzles.puzzle_id
    where open_steps.action = 'SOLVE_CLUE'
    union all by name
    -- where the puzzle is not known, the step's verification tells the right answer
    select
        open_steps.step_id,
        'right_answer_in_message' as condition,
        open_steps.message as text_searched,
        coalesce(puzzles.clue_answer, open_steps.recorded_truth) as value_sought,
    from open_steps_with_text as open_steps
    left join puzzles
        on open_steps.trace_id = puzzles.trace_id and open_steps.puzzle_id = puzzles.puzzle_id
    where open_steps.action = 'SOLVE_CLUE'
    union all by name
    select
        open_steps.step_id,
        'inputs_in_message' as condition,
        open_steps.message as text_searched,
        unnest([values_of_inputs.solved_answer, values_of_inputs.observed_state]) as value_sought,
    from open_steps_with_text as open_steps
    inner join values_of_inputs on open_steps.step_id = values_of_inputs.step_id
),

typed_values as (
    select
        step_id,
        condition,
        text_searched,
        nullif(trim(regexp_replace(lower(value_sought), '{{ gap }}', ' ', 'g')), '') as word_sought,
        case
            when isfinite(try_cast(value_sought as double)) then cast(value_sought as double)
        end as number_sought,
    from sought_values
),

searched_texts as (
    select
        *,
        -- empty for a token that is no number
        list_transform(
            regexp_extract_all(text_searched, '{{ token }}'),
            lambda token: regexp_extract(token, '{{ number_token }}', 1)
        ) as number_texts,
        case
            when number_sought is null
                then ' ' || regexp_replace(lower(text_searched), '{{ gap }}', ' ', 'g') || ' '
        end as words,
    from typed_values
),

searched_numbers as (
    select
        *,
        list_transform(
            number_texts,
            lambda text: try_cast(replace(replace(text, ',', ''), '−', '-') as double)
        ) as numbers,
    from searched_texts
),

compared_numbers as (
    select
        *,
        {{ tolerance }} * abs(number_sought) as largest_difference,
        list_transform(numbers, lambda found: abs(found - number_sought)) as differences,
    from searched_numbers
),

-- a condition of several values holds where each of them stands in the text
conditions_in_texts as (
    select
        step_id,
        condition,
        bool_and(
            -- coalesce: a value or a text that is not there stands nowhere
            coalesce(
                case
                    when number_sought is not null
                        then list_min(differences) <= largest_difference
                    else contains(words, ' ' || word_sought || ' ')
                end,
                false
            )
        ) as holds,
    from compared_numbers
    group by step_id, condition
),

conditions_met as (
    select
        step_id,
        'always' as condition,
    from open_steps
    union all by name
    select
        step_id,
        condition,
    from conditions_in_texts
    where holds
    union all by name
    select
        open_steps.step_id,
        'earlier_clue_wrong' as condition,
    from open_steps
    where
        exists (
            select 1 from wrong_steps
            where
                open_steps.attempt_id = wrong_steps.attempt_id
                and open_steps.step_index > wrong_steps.step_index
                and wrong_steps.action in ('OBSERVE_CLUE', 'OBSERVE_PLANNED_CLUE')
        )
    union all by name
    select
        open_steps.step_id,
        'input_of_attempt_wrong' as condition,
    from open_steps
    where
        exists (
            select 1 from wrong_steps
            where
                open_steps.attempt_id = wrong_steps.attempt_id
                and wrong_steps.action in (
                    'OBSERVE_CLUE', 'OBSERVE_PLANNED_CLUE', 'SOLVE_CLUE', 'OBSERVE_ITEM'
                )
        )
),

-- one row per step that a rule fits: the first of them
first_rules as (
    select
        open_steps.step_id,
        arg_min(rules.failure_mode, rules.rule_number) as failure_mode,
        arg_min(rules.rule, rules.rule_number) as rule,
    from open_steps
    inner join conditions_met on open_steps.step_id = conditions_met.step_id
    inner join rules
        on
            conditions_met.condition = rules.condition
            and list_contains(string_split(rules.actions, ' '), open_steps.action)
            and (
                rules.tags is null
                or list_has_any(string_split(rules.tags, ' '), open_steps.tags)
            )
            and (not rules.is_only_tag or len(open_steps.tags) = 1)
    group by open_steps.step_id
),

final as (
    select
        open_steps.step_id,
        first_rules.failure_mode,
        -- coalesce: a wrong step that no rule fits says so
        coalesce(first_rules.rule, 'none') as failure_mode_rule,
    from open_steps
    left join first_rules on open_steps.step_id = first_rules.step_id
)

select * from final
