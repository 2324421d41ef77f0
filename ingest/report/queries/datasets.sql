-- Data sets
-- One row per data set in the lake. Its fingerprint is under Provenance.
select
    dataset, is_synthetic, n_files, n_loaded, n_ignored, n_rejected, n_runs, n_traces, n_steps,
    revision, licence, source
from datasets
order by dataset;
