{# Id of a record of one of MAD's files. #}

{% macro record_id(record_index='record_index') -%}
dataset || '/' || regexp_replace(source_path, '\.json$', '') || '/' || {{ record_index }}
{%- endmacro %}
