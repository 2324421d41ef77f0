-- Each room of a run and split has exactly one latest trace.
select run_id, split, room_id, count(*) filter (where is_latest) as n_latest
from {{ ref('rooms') }}
where room_id is not null
group by run_id, split, room_id
having count(*) filter (where is_latest) <> 1
