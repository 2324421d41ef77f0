-- A failure mode, of a trace or of a rule, is one of the generator's taxonomy; a rule is one of the
-- seed; and each wrong step says what decided.
with modes as (
    select mode_id from {{ ref('taxonomy_modes') }}
),

rules as (
    select rule, failure_mode from {{ ref('failure_mode_rules') }}
)

select
    steps.step_id,
    steps.status,
    steps.failure_mode,
    steps.failure_mode_rule,
from {{ ref('steps') }} as steps
left join modes on 'madbench-generator:' || steps.failure_mode = modes.mode_id
left join rules on steps.failure_mode_rule = rules.rule
where
    (steps.failure_mode is not null and modes.mode_id is null)
    or (steps.failure_mode_rule not in ('trace', 'none') and rules.rule is null)
    or (rules.rule is not null and steps.failure_mode is distinct from rules.failure_mode)
    or (steps.failure_mode_rule = 'none' and steps.failure_mode is not null)
    or (steps.status = 'wrong' and steps.failure_mode_rule is null)
