-- The macro `name_key`: rows it has to bring together, and rows it has to keep apart.
with examples (name, expected) as (
    values
    ('  Ignored Other Agents'' Input ', 'ignored other agents input'),
    ('Ignored Other Agent’s Input', 'ignored other agents input'),
    ('Reasoning-Action  Mismatch', 'reasoning action mismatch'),
    ('No or Incorrect Verification', 'no or incorrect verification'),
    ('Überprüfung 2', 'überprüfung 2'),
    (' - ', null),
    (null, null)
)

select
    name,
    expected,
    {{ name_key('name') }} as observed,
from examples
where {{ name_key('name') }} is distinct from expected
