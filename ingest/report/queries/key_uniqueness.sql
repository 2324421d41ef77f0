-- Keys
-- One row per candidate key. "unique": must be; "collides": known not to be one; "depends": up to
-- the data. A key that must be unique and is not fails the build, so it cannot stand here.
select
    source_table, key_columns, expected, is_unique, n_rows, n_distinct, n_colliding_keys,
    n_rows_in_collisions, n_null_keys
from key_uniqueness
order by is_unique, source_table, key_columns;
