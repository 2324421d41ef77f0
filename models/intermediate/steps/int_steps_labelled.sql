with steps as (
    select * from {{ ref('stg_madbench__steps') }}
),

-- `error_desc` reads `math_value_wrong(1!=2)+math_unit_wrong(a!=b)`. What stands in parentheses is
-- first replaced by one control character, the inner pair first, so that a "+" in it parts no tags.
marked as (
    select
        *,
        regexp_replace(
            regexp_replace(
                regexp_replace(error_desc, '\([^()]*\)', chr(1), 'g'), '\([^()]*\)', chr(1), 'g'
            ),
            '\([\s\S]*$',
            ''
        ) as desc_marked,
    from steps
),

tagged as (
    select
        *,
        list_filter(
            list_transform(
                string_split(desc_marked, '+'), lambda part: trim(split_part(part, chr(1), 1))
            ),
            lambda tag: tag <> ''
        ) as desc_tags,
        list_filter(
            list_transform(
                string_split(error_type, '+'), lambda part: trim(split_part(part, '(', 1))
            ),
            lambda tag: tag <> ''
        ) as type_tags,
        case
            when lower(trim(status)) in ('correct', 'wrong') then lower(trim(status))
        end as label,
    from marked
),

final as (
    select
        step_id,
        trace_id,
        run_id,
        step_index,

        action,
        agent,
        puzzle_id,
        action_id,
        parent_action_id,
        attempt,
        chosen_puzzle_id,
        answer_json,

        label as status,
        nullif(trim(error_desc), '') as error_desc,
        coalesce(
            nullif(trim(error_type), ''), nullif(upper(array_to_string(desc_tags, '+')), '')
        ) as error_type,
        list_transform(
            list_concat(type_tags, desc_tags), lambda tag: lower(tag)
        ) as error_tags,
        nullif(trim(failure_mode), '') as failure_mode,
        case when nullif(trim(failure_mode), '') is not null then 'trace' end as failure_mode_rule,
        has_schema_error,
        timed_out,
        superlong_reasoning,
        case
            when
                label = 'wrong' or has_schema_error or timed_out or superlong_reasoning
                then true
            when
                coalesce(label = 'wrong', has_schema_error, timed_out, superlong_reasoning)
                is not null
                then false
        end as is_anomalous,

        confidence,
        duration_s,
        input_tokens,
        output_tokens,
    from tagged
)

select * from final
