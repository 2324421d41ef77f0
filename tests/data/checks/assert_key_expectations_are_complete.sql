-- Every key computed has an expectation, every expectation is of a key computed, and a collision is
-- expected of a named data set, or not at all.
select
    coalesce(key_uniqueness.source_table, key_expectations.source_table) as source_table,
    coalesce(key_uniqueness.key_columns, key_expectations.key_columns) as key_columns,
    key_uniqueness.key_columns is not null as is_computed,
    key_expectations.expected,
    key_expectations.collides_in,
from {{ ref('key_uniqueness') }} as key_uniqueness
full join {{ ref('key_expectations') }} as key_expectations
    on
        key_uniqueness.source_table = key_expectations.source_table
        and key_uniqueness.key_columns = key_expectations.key_columns
where
    key_uniqueness.key_columns is null
    or key_expectations.key_columns is null
    or key_uniqueness.expected is distinct from key_expectations.expected
    or (key_expectations.expected = 'collides') <> (key_expectations.collides_in is not null)
