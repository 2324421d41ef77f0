{# Wilson 95 % score interval of n_success out of n_trials. Null where n_trials is zero.

   Written so that 0 of n starts at exactly 0 and n of n ends at exactly 1. #}

{% macro wilson_low(n_success, n_trials) -%}
{%- set z = '1.959963984540054e0' -%}
{%- set n = 'cast(' ~ n_trials ~ ' as double)' -%}
{%- set k = 'cast(' ~ n_success ~ ' as double)' -%}
case
    when {{ n_trials }} > 0
        then (
            2e0 * {{ k }} + {{ z }} * {{ z }}
            - {{ z }} * sqrt({{ z }} * {{ z }} + 4e0 * {{ k }} * ({{ n }} - {{ k }}) / {{ n }})
        ) / (2e0 * ({{ n }} + {{ z }} * {{ z }}))
end
{%- endmacro %}

{% macro wilson_high(n_success, n_trials) -%}
1e0 - {{ wilson_low('(' ~ n_trials ~ ' - ' ~ n_success ~ ')', n_trials) }}
{%- endmacro %}
