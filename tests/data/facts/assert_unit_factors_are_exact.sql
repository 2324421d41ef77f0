-- The factors that no decimal writes in full are the doubles nearest to them, and every dimension
-- has a base unit.
with expected as (
    select 'radians' as unit, 180 / pi() as factor
    union all by name
    select 'fahrenheit' as unit, cast(5 as double) / 9 as factor
),

base_units as (
    select dimension
    from {{ ref('unit_factors') }}
    group by dimension
    having count(*) filter (where factor = 1) = 0
)

select expected.unit as id, expected.factor, unit_factors.factor as factor_found
from expected
left join {{ ref('unit_factors') }} as unit_factors on expected.unit = unit_factors.unit
where expected.factor is distinct from unit_factors.factor
union all by name
select dimension as id, cast(null as double) as factor, cast(null as double) as factor_found
from base_units
