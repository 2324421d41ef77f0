-- The bundled real rooms were published with the right ground truth: a difference is an error of
-- the recomputation. In any other data set a difference is a finding.
select * from {{ ref('ground_truth_checks') }}
where dataset = 'madbench-rooms' and agrees is distinct from true
