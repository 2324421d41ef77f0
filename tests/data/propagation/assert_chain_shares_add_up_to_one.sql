-- For equal dimensions the shares make a whole, up to the rounding of doubles.
select
    dataset,
    split,
    model,
    temperature,
    difficulty,
    clue_domain,
    unit_tools,
    injection,
    sum(share) as shares,
from {{ ref('propagation_chains') }}
group by all
having abs(shares - 1) > 1e-9 or bool_or(n_solved + n_unknown_outcome > n_attempts)
