-- Read by `make shell` before the prompt. Temporary macros live in the session, not in the file.

-- The tables of the file: `from describe_tables();`
create or replace temporary macro describe_tables() as table
select
    table_name,
    estimated_size as n_rows,
    column_count as n_columns,
    comment
from duckdb_tables()
where not internal and not temporary
order by table_name;

-- The columns of one table, with what `describe` leaves out: `from describe_table('steps');`
create or replace temporary macro describe_table(described) as table
select
    column_name,
    data_type,
    comment
from duckdb_columns()
where not internal and table_name = described
order by column_index;
