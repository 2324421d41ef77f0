{#- One row per figure of the audit: its check_id, and what the loaded files give for it as text. A
    figure whose file is not loaded has no row, or a null. -#}

with files as (
    select * from {{ ref('int_files_audited') }}
),

human_records as (
    select records.*
    from {{ ref('stg_mad__human_records') }} as records
    inner join files
        on
            files.role = 'human'
            and records.dataset = files.dataset
            and records.source_path = files.source_path
),

full_records as (
    select records.*
    from {{ ref('stg_mad__full_records') }} as records
    inner join files
        on
            files.role = 'full'
            and records.dataset = files.dataset
            and records.source_path = files.source_path
),

full_annotations as (
    select annotations.*
    from {{ ref('stg_mad__full_annotations') }} as annotations
    inner join full_records on annotations.record_id = full_records.record_id
),

file_modes as (
    select modes.*
    from {{ ref('stg_mad__taxonomy_modes') }} as modes
    inner join files
        on modes.dataset = files.dataset and modes.source_path = files.source_path
),

crosswalk as (
    select * from {{ ref('int_modes_crosswalked') }}
),

blocks as (
    select blocks.*
    from {{ ref('int_blocks_grouped') }} as blocks
    inner join files on files.role = 'human' and blocks.dataset = files.dataset
),

pairs as (
    select pairs.*
    from {{ ref('int_pairs_tiered') }} as pairs
    inner join files on files.role = 'full' and pairs.dataset = files.dataset
),

tagged_bodies as (
    select * from {{ ref('int_bodies_tagged') }}
),

agreements as (
    select agreements.*
    from {{ ref('int_label_agreements_computed') }} as agreements
    inner join files on files.role = 'human' and agreements.dataset = files.dataset
    where agreements.human_record_id = 'all'
),

-- A: which files these are
file_figures as (
    select
        'A/' || role || '/bytes' as check_id,
        cast(bytes as varchar) as observed_value,
    from files
    where role in ('human', 'full')
    union all by name
    select
        'A/' || role || '/sha256' as check_id,
        left(sha256, 16) as observed_value,
    from files
    where role in ('human', 'full')
),

-- B: generations of the taxonomy, by the taxonomy a record's round was labelled in
taxonomy_counts as (
    select
        taxonomy,
        count(*) as n_records,
        max(n_modes) as n_modes,
    from human_records
    group by taxonomy
),

taxonomy_figures as (
    select
        'B/records' as check_id,
        cast(count(*) as varchar) as observed_value,
    from human_records
    having count(*) > 0
    union all by name
    select
        'B/taxonomies' as check_id,
        cast(count(*) as varchar) as observed_value,
    from taxonomy_counts
    having count(*) > 0
    union all by name
    select
        'B/' || taxonomy || '/records' as check_id,
        cast(n_records as varchar) as observed_value,
    from taxonomy_counts
    union all by name
    select
        'B/' || taxonomy || '/modes' as check_id,
        cast(n_modes as varchar) as observed_value,
    from taxonomy_counts
),

-- C: where the modes of the earlier generations went
earlier_modes as (
    select crosswalk.*
    from crosswalk
    inner join taxonomy_counts on crosswalk.taxonomy = taxonomy_counts.taxonomy
    where crosswalk.taxonomy <> 'mast-14'
),

mapping_figures as (
    select
        'C/' || taxonomy || '/' || mast14_code as check_id,
        code || ' (' || overlap_chars || ')' as observed_value,
    from earlier_modes
    where mast14_code is not null
    union all by name
    select
        'C/' || taxonomy || '/codes-unchanged' as check_id,
        cast(count(*) filter (where same_code) as varchar) as observed_value,
    from earlier_modes
    group by taxonomy
    union all by name
    select
        'C/' || taxonomy || '/modes-dropped' as check_id,
        cast(count(*) filter (where kind = 'dropped') as varchar) as observed_value,
    from earlier_modes
    group by taxonomy
    union all by name
    -- a record can be compared by code only where every code still means what it meant
    select
        'C/records-not-comparable' as check_id,
        cast(
            count(*) filter (
                where human_records.taxonomy in (
                    select earlier_modes.taxonomy from earlier_modes
                    where earlier_modes.same_code is distinct from true
                )
            ) as varchar
        ) as observed_value,
    from human_records
    having count(*) > 0
),

-- D: blocks of annotations that several records share
block_figures as (
    select
        'D/blocks' as check_id,
        count(*) as n,
    from blocks
    having count(*) > 0
    union all by name
    select
        'D/records-sharing' as check_id,
        sum(n_records) filter (where is_shared) as n,
    from blocks
    having count(*) > 0
    union all by name
    select
        'D/shared-blocks-across-rounds' as check_id,
        count(*) filter (where is_shared and n_rounds > 1) as n,
    from blocks
    having count(*) > 0
    union all by name
    select
        'D/shared-blocks-in-one-framework' as check_id,
        count(*) filter (where is_shared and n_frameworks = 1) as n,
    from blocks
    having count(*) > 0
),

-- E: the full file
label_vectors as (
    select
        full_records.record_id,
        full_records.body_sha256,
        full_records.annotation_json,
        full_records.mas_name,
        count(full_annotations.label) filter (where full_annotations.label) as n_modes,
        count(*) filter (where full_annotations.label is null) as n_unknown,
        -- two records have one vector if they say the same of every mode
        list(
            row(full_annotations.mode_id, full_annotations.label)
            order by full_annotations.mode_id
        ) as label_vector,
    from full_records
    left join full_annotations on full_records.record_id = full_annotations.record_id
    group by all
),

vector_counts as (
    select
        label_vector,
        max(n_modes) as n_modes,
        count(*) as n_records,
    from label_vectors
    group by label_vector
),

full_figures as (
    select
        'E/records' as check_id,
        count(*) as n,
    from label_vectors
    having count(*) > 0
    union all by name
    select
        'E/bodies' as check_id,
        count(distinct body_sha256) as n,
    from label_vectors
    having count(*) > 0
    union all by name
    select
        'E/blocks' as check_id,
        count(distinct label_vector) as n,
    from label_vectors
    having count(*) > 0
    union all by name
    select
        'E/records-without-labels' as check_id,
        count(*) filter (where n_unknown > 0) as n,
    from label_vectors
    having count(*) > 0
    union all by name
    select
        'E/largest-block/records' as check_id,
        max(n_records) as n,
    from vector_counts
    having count(*) > 0
    union all by name
    select
        'E/largest-block/modes' as check_id,
        arg_max(n_modes, n_records) as n,
    from vector_counts
    having count(*) > 0
    union all by name
    select
        'E/ones/' || code as check_id,
        count(*) filter (where label) as n,
    from full_annotations
    group by code
),

-- F: the traces of AppWorld the repository publishes, against the human records of the same task
human_bodies as (
    select tagged_bodies.*
    from tagged_bodies
    inner join human_records on tagged_bodies.body_id = human_records.record_id
),

repository_bodies as (
    select
        task_tag,
        list(body_sha256) as body_sha256s,
    from tagged_bodies
    where kind = 'repository file'
    group by task_tag
),

repository_figures as (
    select
        'F/records-in-repository' as check_id,
        count(repository_bodies.task_tag) as n,
    from human_bodies
    left join repository_bodies on human_bodies.task_tag = repository_bodies.task_tag
    -- the repository is compared only where its traces are loaded
    where exists (select repository_bodies.task_tag from repository_bodies)
    having count(*) > 0
    union all by name
    select
        'F/bodies-equal' as check_id,
        count(*) filter (
            where list_contains(repository_bodies.body_sha256s, human_bodies.body_sha256)
        ) as n,
    from human_bodies
    left join repository_bodies on human_bodies.task_tag = repository_bodies.task_tag
    -- the repository is compared only where its traces are loaded
    where exists (select repository_bodies.task_tag from repository_bodies)
    having count(*) > 0
),

-- G and I: what the repository calls the modes, and what it asks its judge for
name_figures as (
    select
        case taxonomy
            when 'mast-14' then 'G/published/'
            when 'mast-repo-definitions' then 'G/definitions/'
            when 'mast-judge-answer-sheet' then 'I/prompt/'
        end || code as check_id,
        name as observed_value,
    from file_modes
    where
        taxonomy in ('mast-14', 'mast-repo-definitions', 'mast-judge-answer-sheet')
        and code in ('3.2', '3.3')
),

prompt_figures as (
    select
        case taxonomy
            when 'mast-judge-answer-sheet' then 'I/codes-asked'
            when 'mast-judge-example' then 'I/codes-answered'
        end as check_id,
        cast(count(*) as varchar) as observed_value,
    from file_modes
    where taxonomy in ('mast-judge-answer-sheet', 'mast-judge-example')
    group by taxonomy
    union all by name
    select
        'I/codes-extra' as check_id,
        string_agg(example_modes.code, ', ' order by example_modes.mode_index) as observed_value,
    from file_modes as example_modes
    left join file_modes as sheet_modes
        on
            sheet_modes.taxonomy = 'mast-judge-answer-sheet'
            and sheet_modes.mode_id = 'mast-judge-answer-sheet:' || example_modes.code
    where example_modes.taxonomy = 'mast-judge-example' and sheet_modes.mode_id is null
    having count(*) > 0
),

-- H: keys that collide
key_counts as (
    select
        mas_name,
        llm_name,
        trace_id,
        count(*) as n_records,
        count(distinct trace_key) as n_trace_keys,
    from full_records
    group by mas_name, llm_name, trace_id
),

collision_figures as (
    select
        'H/keys' as check_id,
        count(*) as n,
    from key_counts
    having count(*) > 0
    union all by name
    select
        'H/colliding-keys' as check_id,
        count(*) filter (where n_records > 1) as n,
    from key_counts
    having count(*) > 0
    union all by name
    select
        'H/records-in-collisions' as check_id,
        coalesce(sum(n_records) filter (where n_records > 1), 0) as n,
    from key_counts
    having count(*) > 0
    union all by name
    select
        'H/colliding-keys-with-trace-key' as check_id,
        count(*) filter (where n_trace_keys < n_records) as n,
    from key_counts
    having count(*) > 0
    union all by name
    select
        'H/pairs/identical' as check_id,
        count(*) filter (where tier = 'identical') as n,
    from pairs
    having count(*) > 0
    union all by name
    select
        'H/pairs/identical-after-whitespace' as check_id,
        count(*) filter (where tier = 'identical after whitespace') as n,
    from pairs
    having count(*) > 0
    union all by name
    select
        'H/pairs/shared-prefix' as check_id,
        count(*) filter (where tier = 'shared prefix') as n,
    from pairs
    having count(*) > 0
    union all by name
    select
        'H/pairs/similar' as check_id,
        count(*) filter (where tier = 'similar') as n,
    from pairs
    having count(*) > 0
    union all by name
    select
        'H/pairs/different' as check_id,
        count(*) filter (where tier = 'different') as n,
    from pairs
    having count(*) > 0
    union all by name
    select
        'H/pairs/other-trace-key' as check_id,
        count(*) filter (where has_other_trace_key) as n,
    from pairs
    having count(*) > 0
),

-- kappa of the human majority and the judge
agreement_figures as (
    select
        'kappa/' || method as check_id,
        printf('%+.2f', kappa) as observed_value,
    from agreements
    union all by name
    select
        'kappa/' || method || '/cells' as check_id,
        cast(n_cells - n_unknown as varchar) as observed_value,
    from agreements
    union all by name
    select
        'kappa/records' as check_id,
        cast(n_records as varchar) as observed_value,
    from agreements
    where method = 'remapped'
),

final as (
    select check_id, observed_value from file_figures
    union all by name
    select check_id, observed_value from taxonomy_figures
    union all by name
    select check_id, observed_value from mapping_figures
    union all by name
    select check_id, cast(n as varchar) as observed_value from block_figures
    union all by name
    select check_id, cast(n as varchar) as observed_value from full_figures
    union all by name
    select check_id, cast(n as varchar) as observed_value from repository_figures
    union all by name
    select check_id, observed_value from name_figures
    union all by name
    select check_id, observed_value from prompt_figures
    union all by name
    select check_id, cast(n as varchar) as observed_value from collision_figures
    union all by name
    select check_id, observed_value from agreement_figures
)

select * from final
