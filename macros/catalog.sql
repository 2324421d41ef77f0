{# Takes the place of the adapter's macro of this name, to add the rows of each table. #}
{% macro duckdb__get_catalog_results_sql() %}
select
    tables.*,
    columns.column_name,
    columns.column_index,
    columns.column_type,
    columns.column_comment,
    null as table_owner,
    'Rows' as "stats:n_rows:label",
    counted.estimated_size as "stats:n_rows:value",
    'Rows at the last build' as "stats:n_rows:description",
    counted.estimated_size is not null as "stats:n_rows:include"
from tables
inner join columns using (table_database, table_schema, table_name)
left join duckdb_tables() as counted
    on counted.database_name = tables.table_database
    and counted.schema_name = tables.table_schema
    and counted.table_name = tables.table_name
order by tables.table_schema, tables.table_name, columns.column_index
{% endmacro %}
