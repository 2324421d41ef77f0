with latest_attempts as (
    select * from {{ ref('attempts') }} where is_latest
),

chain_counts as (
    select
        dataset,
        split,
        model,
        temperature,
        difficulty,
        clue_domain,
        unit_tools,
        injection,
        first_wrong_action,
        step_pattern,
        count(*) as n_attempts,
        count(*) filter (where is_solved) as n_solved,
        count(*) filter (where is_solved is null) as n_unknown_outcome,
    from latest_attempts
    group by all
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
        first_wrong_action,
        step_pattern,

        cast(n_attempts as bigint) as n_attempts,
        cast(n_solved as bigint) as n_solved,
        cast(n_unknown_outcome as bigint) as n_unknown_outcome,
        -- a window's partition, unlike a join, takes null dimensions as equal
        cast(
            n_attempts / sum(n_attempts) over (
                partition by
                    dataset,
                    split,
                    model,
                    temperature,
                    difficulty,
                    clue_domain,
                    unit_tools,
                    injection
            ) as double
        ) as share,
    from chain_counts
)

select * from final
