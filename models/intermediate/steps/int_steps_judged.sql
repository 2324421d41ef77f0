with steps as (
    select step_id, step_index, action, status from {{ ref('int_steps_labelled') }}
    where status = 'wrong'
),

places as (
    select step_id, attempt_id from {{ ref('int_steps_placed') }}
    where attempt_id is not null
),

linked_actions as (
    select upstream_action, downstream_action from {{ ref('int_actions_linked') }}
),

wrong_steps as (
    select
        steps.step_id,
        places.attempt_id,
        steps.step_index,
        steps.action,
        row_number() over (
            partition by places.attempt_id order by steps.step_index
        ) as wrong_number,
        count(*) over (partition by places.attempt_id) as n_wrong,
    from steps
    inner join places on steps.step_id = places.step_id
),

first_wrong_of_actions as (
    select
        attempt_id,
        action,
        min(step_index) as first_step_index,
    from wrong_steps
    group by attempt_id, action
),

inherited_steps as (
    select wrong_steps.step_id
    from wrong_steps
    inner join linked_actions on wrong_steps.action = linked_actions.downstream_action
    inner join first_wrong_of_actions
        on
            wrong_steps.attempt_id = first_wrong_of_actions.attempt_id
            and linked_actions.upstream_action = first_wrong_of_actions.action
            and wrong_steps.step_index > first_wrong_of_actions.first_step_index
    group by wrong_steps.step_id
),

final as (
    select
        wrong_steps.step_id,
        wrong_steps.attempt_id,
        case
            when inherited_steps.step_id is not null then 'inherited'
            else 'own'
        end as error_origin,
        case
            when wrong_steps.wrong_number = 1 then 'origin'
            when wrong_steps.wrong_number = wrong_steps.n_wrong then 'downstream'
            else 'middle'
        end as propagation_role,
    from wrong_steps
    left join inherited_steps on wrong_steps.step_id = inherited_steps.step_id
)

select * from final
