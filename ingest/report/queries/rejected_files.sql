-- Files rejected
-- One row per file that could not be used. It is in no number of this page.
select dataset, path, kind, error_code, error, error_at, bytes
from source_files
where status = 'rejected'
order by dataset, path;
