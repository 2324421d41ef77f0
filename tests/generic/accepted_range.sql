{#- Fails for every value outside `min_value` to `max_value`, both included, and for NaN. -#}
{% test accepted_range(model, column_name, min_value=none, max_value=none) %}
{% if min_value is none and max_value is none %}
    {{ exceptions.raise_compiler_error("accepted_range: give `min_value`, `max_value` or both") }}
{% endif %}
select {{ column_name }}
from {{ model }}
where
    isnan(cast({{ column_name }} as double))
    {%- if min_value is not none %}
    or {{ column_name }} < {{ min_value }}
    {%- endif %}
    {%- if max_value is not none %}
    or {{ column_name }} > {{ max_value }}
    {%- endif %}
{% endtest %}
