-- Crosswalk of taxonomies
-- One row per mode of a taxonomy, with the mode of MAST-14 it corresponds to. An equal code is no
-- evidence: where "same code" is not yes, a join on codes counts another mode, or none.
select
    taxonomy, code, name, mast14_code, mast14_name, kind, same_code, method, overlap_chars, evidence
from taxonomy_crosswalk
order by taxonomy, code;
