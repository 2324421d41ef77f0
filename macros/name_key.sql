{# A mode's name as it is compared: letters and digits only, in lower case, apostrophes dropped. #}

{% macro name_key(name) -%}
nullif(
    trim(
        regexp_replace(
            regexp_replace(lower({{ name }}), '[''’]', '', 'g'), '[^\p{L}\p{N}]+', ' ', 'g'
        )
    ),
    ''
)
{%- endmacro %}
