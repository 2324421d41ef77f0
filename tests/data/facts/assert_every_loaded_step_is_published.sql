-- Steps of every data set: as many published as its loaded files say they hold. A data set that one
-- side lacks differs too.
with loaded_files as (
    select dataset, cast(sum(n_steps) as bigint) as n_steps
    from {{ ref('stg_lake__source_files') }}
    where status = 'loaded' and kind = 'trace'
    group by dataset
),

published_steps as (
    select dataset, count(*) as n_steps
    from {{ ref('steps') }}
    group by dataset
),

published_texts as (
    select steps.dataset, count(*) as n_steps
    from {{ ref('step_texts') }} as step_texts
    inner join {{ ref('steps') }} as steps on step_texts.step_id = steps.step_id
    group by steps.dataset
)

select
    coalesce(
        loaded_files.dataset, published_steps.dataset, published_texts.dataset
    ) as dataset,
    loaded_files.n_steps as n_steps_loaded,
    published_steps.n_steps as n_steps_published,
    published_texts.n_steps as n_texts_published,
from loaded_files
full join published_steps on loaded_files.dataset = published_steps.dataset
full join published_texts
    on coalesce(loaded_files.dataset, published_steps.dataset) = published_texts.dataset
where
    -- A data set of crashed rooms alone has no step on either side.
    coalesce(loaded_files.n_steps, 0) is distinct from coalesce(published_steps.n_steps, 0)
    or published_steps.n_steps is distinct from published_texts.n_steps
