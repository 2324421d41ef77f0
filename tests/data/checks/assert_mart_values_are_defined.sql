-- Every value seen is in the seed. The other way round holds by construction: the values are those
-- of case expressions and of unions, and unit tests make each of them appear.
with seen as (
    select
        'escape_rate_reconciliation' as mart,
        'verdict' as column_name,
        verdict as mart_value,
    from {{ ref('escape_rate_reconciliation') }}
    union by name
    select
        'signal_frequencies' as mart,
        'signal' as column_name,
        signal as mart_value,
    from {{ ref('signal_frequencies') }}
    union by name
    select
        'room_signal_frequencies' as mart,
        'signal' as column_name,
        signal as mart_value,
    from {{ ref('room_signal_frequencies') }}
    union by name
    select
        'label_conflicts' as mart,
        'kind' as column_name,
        kind as mart_value,
    from {{ ref('label_conflicts') }}
    union by name
    select
        'key_uniqueness' as mart,
        'expected' as column_name,
        expected as mart_value,
    from {{ ref('key_uniqueness') }}
    union by name
    select
        'ground_truth_checks' as mart,
        'source_kind' as column_name,
        source_kind as mart_value,
    from {{ ref('ground_truth_checks') }}
)

select seen.*
from seen
left join {{ ref('mart_values') }} as mart_values
    on
        seen.mart = mart_values.mart
        and seen.column_name = mart_values.column_name
        and seen.mart_value = mart_values.value
where mart_values.value is null
