-- Counts add up, and every rate is null exactly where its divisor is zero or null.
select * from {{ ref('error_transmission') }}
where
    n_both_wrong > n_upstream_wrong
    or n_downstream_wrong_only > n_upstream_correct
    or (transmission_rate is null) <> (n_upstream_wrong = 0)
    or (base_rate is null) <> (n_upstream_correct = 0)
    or (lift is null) <> (n_upstream_wrong = 0 or n_downstream_wrong_only = 0)
    or lift < 0
