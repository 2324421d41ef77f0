-- The audit of MAD, figure by figure
-- One row per figure that the public audit of MAD gives, beside what this build counts. Figures
-- that differ come first.
select verdict, finding, figure, published_value, observed_value, check_id, source
from audit_findings
order by list_position(['differs', 'match', 'not loaded'], verdict), finding, check_id;
