{# Each row has a value in each of `columns`; a failing row tells the column and how many rows lack it. #}
{% test complete(model, columns) %}
    with counts as (
        select
            {% for column in columns -%}
                count(*) - count({{ column }}) as {{ column }},
            {% endfor %}
        from {{ model }}
    ),

    missing as (
        unpivot counts
        on {{ columns | join(', ') }}
        into name column_name value n_missing
    )

    select * from missing
    where n_missing > 0
{% endtest %}
