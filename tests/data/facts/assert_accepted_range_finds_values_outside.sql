-- The generic test `accepted_range` on values it must pass (both ends, null) and must fail.
with rows_to_check as (
    select figures.figure from (
        values (-0.001), (0.0), (0.5), (1.0), (1.001), (null), (cast('nan' as double))
    ) as figures (figure)
),

found as (
    {{ test_accepted_range('rows_to_check', 'figure', min_value=0, max_value=1) }}
),

expected as (
    select unnest([-0.001, 1.001, cast('nan' as double)]) as figure
)

select
    found.figure as figure_found,
    expected.figure as figure_expected,
from found
full join expected on found.figure = expected.figure
where found.figure is null or expected.figure is null
