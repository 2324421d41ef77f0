{# Called before a run: one sentence instead of a hundred errors where there is nothing to build from. #}
{% macro require_lake() %}
    {% if execute %}
        {% set counts = run_query("
            select
                count(*) filter (where file like '%/source_files/%') as n_tables,
                count(*) filter (where file like '%/pending.json') as n_pending
            from glob(getvariable('lake') || '/**')
        ") %}
        {% if counts.rows[0][1] > 0 %}
            {{ exceptions.raise_compiler_error(
                "The last ingest was cut short: run `madw ingest` first."
            ) }}
        {% elif counts.rows[0][0] == 0 %}
            {{ exceptions.raise_compiler_error("The lake is empty: run `madw ingest` first.") }}
        {% endif %}
    {% endif %}
{% endmacro %}


{# Called after a run: the rows of each failed test, and whether the published file changed. #}
{% macro report_outcome(results) %}
    {% if execute and flags.WHICH in ("build", "run", "test", "seed", "snapshot", "retry") %}
        {% set published = [] %}
        {% for result in results %}
            {% set node = result.node %}
            {% if result.status == "fail" and node.resource_type == "test" %}
                {% do print("FAILED " ~ node.name ~ ": " ~ result.message) %}
                {% do print_rows(node.compiled_code, 5) %}
            {% elif result.status == "success" and node.name == "published_tables" %}
                {% do published.append(node.relation_name) %}
            {% endif %}
        {% endfor %}
        {% set tables = [] %}
        {% if published %}
            {% set tables = run_query("select table_name from " ~ published[0]).rows %}
        {% endif %}
        {% if tables | length > 0 %}
            {% do print("Published " ~ tables | length ~ " tables.") %}
        {% else %}
            {% do print(
                "mad.duckdb was left as it was: only a complete `dbt build` in which all tests pass"
                ~ " publishes it."
            ) %}
        {% endif %}
    {% endif %}
{% endmacro %}


{# Print the first rows of a query, a line each, as name = value. #}
{% macro print_rows(query, n_rows) %}
    {% set found = run_query("select * from (" ~ query ~ ") as failures limit " ~ n_rows) %}
    {% for row in found.rows %}
        {% set cells = [] %}
        {% for name in found.column_names %}
            {% do cells.append(name ~ " = " ~ row[loop.index0]) %}
        {% endfor %}
        {% do print("    " ~ cells | join(", ")) %}
    {% endfor %}
{% endmacro %}
