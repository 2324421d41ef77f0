-- Both ways: a key expected to be unique has no collision, and a key known not to be one collides
-- wherever the data set named for it is loaded (which shows that the count can find a collision).
with key_uniqueness as (
    select * from {{ ref('key_uniqueness') }}
),

key_expectations as (
    select * from {{ ref('key_expectations') }}
),

loaded as (
    select dataset from {{ ref('rooms') }}
    union
    select dataset from {{ ref('room_definitions') }}
    union
    select dataset from {{ ref('mad_human_records') }}
    union
    select dataset from {{ ref('mad_full_records') }}
)

select
    key_uniqueness.*,
    key_expectations.collides_in,
from key_uniqueness
inner join key_expectations
    on
        key_uniqueness.source_table = key_expectations.source_table
        and key_uniqueness.key_columns = key_expectations.key_columns
where
    (key_expectations.expected = 'unique' and key_uniqueness.n_colliding_keys > 0)
    or (
        key_expectations.expected = 'collides'
        and key_uniqueness.n_colliding_keys = 0
        and key_expectations.collides_in in (select loaded.dataset from loaded)
    )
