-- A scenario's key begins with its framework (`MagenticOne` for Magentic). A record with a foreign
-- key has the labels of another trace.
select record_id, mas_name, trace_key
from {{ ref('mad_full_records') }}
where not starts_with(lower(trace_key), lower(mas_name))
