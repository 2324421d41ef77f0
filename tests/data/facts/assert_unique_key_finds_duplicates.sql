-- The generic test `unique_key` on rows it must pass and rows it must fail: a duplicate with a null
-- part is one, a null beside a value is none.
with rows_to_check as (
    select cases.case_name, cases.key_part, cases.attribute from (
        values
        ('once', 'a', 'b'),
        ('twice', 'a', 'b'),
        ('twice', 'a', 'c'),
        ('null twice', null, 'b'),
        ('null twice', null, 'c'),
        ('null once', null, 'b'),
        ('null once', 'a', 'b')
    ) as cases (case_name, key_part, attribute)
),

found as (
    {{ test_unique_key('rows_to_check', ['case_name', 'key_part']) }}
),

expected as (
    select 'twice' as case_name, 'a' as key_part, 2 as n_rows
    union all by name
    select 'null twice' as case_name, null as key_part, 2 as n_rows
)

select
    found.case_name as case_found,
    expected.case_name as case_expected,
    found.n_rows,
from found
full join expected
    on
        found.case_name = expected.case_name
        and found.key_part is not distinct from expected.key_part
where found.n_rows is distinct from expected.n_rows
