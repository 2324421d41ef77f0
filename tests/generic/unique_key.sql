{#- Fails for every key that more than one row has. Parts that are null count as equal values. -#}
{% test unique_key(model, columns) %}
{%- if not columns or columns is string %}
    {{ exceptions.raise_compiler_error("unique_key: `columns` must be a list of one column or more") }}
{%- endif %}
select
    {{ columns | join(',\n    ') }},
    count(*) as n_rows
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
{% endtest %}
