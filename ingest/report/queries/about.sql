-- This build
-- One row per fact about the build: versions, and the counts of each data set and its fingerprint,
-- a hash over the path and the hash of every file loaded. Times are UTC.
select fact, value
from about
order by contains(fact, '/'), fact;
