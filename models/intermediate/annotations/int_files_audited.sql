with human_records as (
    select dataset, source_path from {{ ref('stg_mad__human_records') }}
),

full_records as (
    select dataset, source_path from {{ ref('stg_mad__full_records') }}
),

modes as (
    select dataset, source_path, taxonomy from {{ ref('stg_mad__taxonomy_modes') }}
),

datasets as (
    select dataset, is_synthetic from {{ ref('stg_lake__datasets') }}
),

source_files as (
    select dataset, path, bytes, sha256 from {{ ref('stg_lake__source_files') }}
),

candidates as (
    select 'human' as role, dataset, source_path from human_records
    union
    select 'full' as role, dataset, source_path from full_records
    union
    select 'definitions' as role, dataset, source_path from modes
    where taxonomy = 'mast-repo-definitions'
    union
    select 'judge' as role, dataset, source_path from modes
    where taxonomy = 'mast-judge-answer-sheet'
),

-- the audit is of one file of each kind: real data before simulated, then by name
final as (
    select
        candidates.role,
        candidates.dataset,
        candidates.source_path,
        source_files.bytes,
        source_files.sha256,
    from candidates
    left join datasets on candidates.dataset = datasets.dataset
    left join source_files
        on
            candidates.dataset = source_files.dataset
            and candidates.source_path = source_files.path
    qualify
        row_number() over (
            partition by candidates.role
            -- coalesce: what does not say that it is simulated counts as real
            order by
                coalesce(datasets.is_synthetic, false), candidates.dataset, candidates.source_path
        ) = 1
)

select * from final
