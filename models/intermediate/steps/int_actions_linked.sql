with recursive action_dependencies as (
    select upstream_action, downstream_action from {{ ref('action_dependencies') }}
),

-- `union` drops a pair found before, so the walk ends even on a circle.
linked_actions as (
    select upstream_action, downstream_action
    from action_dependencies
    union
    select
        linked_actions.upstream_action,
        action_dependencies.downstream_action,
    from linked_actions
    inner join action_dependencies
        on linked_actions.downstream_action = action_dependencies.upstream_action
),

final as (
    select upstream_action, downstream_action from linked_actions
)

select * from final
