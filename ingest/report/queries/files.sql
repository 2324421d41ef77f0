-- Files seen
-- One row per data set, kind, outcome and error code of a file.
select
    dataset, kind, status, error_code, count(*) as n_files, sum(bytes)::bigint as bytes,
    sum(n_rooms)::bigint as n_rooms, sum(n_puzzles)::bigint as n_puzzles,
    sum(n_steps)::bigint as n_steps
from source_files
group by dataset, kind, status, error_code
order by dataset, kind, status, error_code;
