-- The generic test `complete` on rows it must pass and rows it must fail: a column without gaps is
-- no finding, one with gaps is one with their number, and an empty text is a value.
with rows_to_check as (
    select cases.full_column, cases.gappy_column, cases.empty_text from (
        values ('a', 1, ''), ('b', null, ''), ('c', null, 'd')
    ) as cases (full_column, gappy_column, empty_text)
),

found as (
    {{ test_complete('rows_to_check', ['full_column', 'gappy_column', 'empty_text']) }}
),

expected as (
    select 'gappy_column' as column_name, 2 as n_missing
)

select
    found.column_name as column_found,
    expected.column_name as column_expected,
    found.n_missing,
from found
full join expected on found.column_name = expected.column_name
where found.n_missing is distinct from expected.n_missing
