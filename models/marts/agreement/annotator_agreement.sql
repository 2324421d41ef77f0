with annotations as (
    select record_id, mode_index, annotator, dataset, round, mast14_code, vote
    from {{ ref('mad_human_annotations') }}
),

records as (
    select record_id, dataset, annotations_sha256 from {{ ref('mad_human_records') }}
),

-- records that share a block of annotations are one observation: its first record stands for it
first_records as (
    select
        record_id,
        row_number() over (partition by dataset, annotations_sha256 order by record_id) = 1
            as is_first_of_block,
    from records
),

counted_votes as (
    select
        annotations.*,
        unnest(
            case
                when first_records.is_first_of_block then ['records', 'blocks']
                else ['records']
            end
        ) as counted,
    from annotations
    inner join first_records on annotations.record_id = first_records.record_id
),

-- a round by its own modes; all rounds together by the modes that MAST-14 has too
votes as (
    select
        dataset,
        round as scope,
        counted,
        record_id,
        mode_index,
        annotator,
        vote,
    from counted_votes
    union all by name
    select
        dataset,
        'all, remapped' as scope,
        counted,
        record_id,
        mode_index,
        annotator,
        vote,
    from counted_votes
    where mast14_code is not null
),

scopes as (
    select
        dataset,
        scope,
        counted,
        count(distinct annotator) as n_annotators,
    from votes
    group by dataset, scope, counted
),

-- one row per record and mode: its votes together
cells as (
    select
        votes.dataset,
        votes.scope,
        votes.counted,
        votes.record_id,
        votes.mode_index,
        any_value(scopes.n_annotators) as n_annotators,  -- one scope has one number
        count(*) filter (where votes.vote) as n_yes,
        count(*) filter (where not votes.vote) as n_no,
        n_yes + n_no = any_value(scopes.n_annotators) as is_complete,
        n_yes = n_no and n_yes > 0 as is_tie,
        n_yes = 0 or n_no = 0 as is_unanimous,
    from votes
    inner join scopes
        on
            votes.dataset = scopes.dataset
            and votes.scope = scopes.scope
            and votes.counted = scopes.counted
    group by votes.dataset, votes.scope, votes.counted, votes.record_id, votes.mode_index
),

ties_of_scopes as (
    select
        dataset,
        scope,
        counted,
        count(*) filter (where is_tie) as n_ties,
    from cells
    group by dataset, scope, counted
),

-- Cohen: one row per two annotators, over the cells both voted on
pair_counts as (
    select
        votes.dataset,
        votes.scope,
        votes.counted,
        'cohen' as statistic,
        votes.annotator || ' + ' || other_votes.annotator as annotators,
        count(*) as n_cells,
        count(*) filter (where votes.vote is null or other_votes.vote is null) as n_missing,
        count(*) filter (where votes.vote = other_votes.vote) as n_agree,
        count(*) filter (where votes.vote and other_votes.vote is not null) as n_yes,
        count(*) filter (where other_votes.vote and votes.vote is not null) as n_other_yes,
        n_cells - n_missing as n_compared,
    from votes
    inner join votes as other_votes
        on
            votes.dataset = other_votes.dataset
            and votes.scope = other_votes.scope
            and votes.counted = other_votes.counted
            and votes.record_id = other_votes.record_id
            and votes.mode_index = other_votes.mode_index
            and votes.annotator < other_votes.annotator
    group by all
),

pair_rates as (
    select
        *,
        n_agree / nullif(n_compared, 0) as observed_agreement,
        (n_yes * n_other_yes + (n_compared - n_yes) * (n_compared - n_other_yes))
        / nullif(n_compared * n_compared, 0) as expected_agreement,
    from pair_counts
),

-- Fleiss: over the cells all annotators voted on, which it has to have
fleiss_counts as (
    select
        dataset,
        scope,
        counted,
        'fleiss' as statistic,
        'all' as annotators,
        count(*) as n_cells,
        count(*) filter (where not is_complete) as n_missing,
        count(*) filter (where is_complete and is_unanimous) as n_agree,
        n_cells - n_missing as n_compared,
        -- the mean over cells: all of them have as many votes, so the sums give it exactly
        sum(n_yes * (n_yes - 1) + n_no * (n_no - 1)) filter (where is_complete)
        / nullif(sum(n_annotators * (n_annotators - 1)) filter (where is_complete), 0)
            as observed_agreement,
        sum(n_yes) filter (where is_complete)
        / nullif(sum(n_annotators) filter (where is_complete), 0) as share_yes,
    from cells
    group by dataset, scope, counted
),

fleiss_rates as (
    select
        *,
        share_yes * share_yes + (1 - share_yes) * (1 - share_yes) as expected_agreement,
    from fleiss_counts
),

statistics as (
    select
        dataset,
        scope,
        counted,
        statistic,
        annotators,
        n_cells,
        n_missing,
        n_compared,
        n_agree,
        observed_agreement,
        expected_agreement,
    from pair_rates
    union all by name
    select
        dataset,
        scope,
        counted,
        statistic,
        annotators,
        n_cells,
        n_missing,
        n_compared,
        n_agree,
        observed_agreement,
        expected_agreement,
    from fleiss_rates
),

final as (
    select
        statistics.dataset,
        statistics.scope,
        statistics.counted,
        statistics.statistic,
        statistics.annotators,

        cast(statistics.n_cells as bigint) as n_cells,
        cast(statistics.n_missing as bigint) as n_missing,
        cast(statistics.n_compared as bigint) as n_compared,
        cast(statistics.n_agree as bigint) as n_agree,
        cast(ties_of_scopes.n_ties as bigint) as n_ties,
        cast(statistics.observed_agreement as double) as observed_agreement,
        cast(statistics.expected_agreement as double) as expected_agreement,
        cast(
            (statistics.observed_agreement - statistics.expected_agreement)
            / nullif(1 - statistics.expected_agreement, 0) as double
        ) as kappa,
    from statistics
    inner join ties_of_scopes
        on
            statistics.dataset = ties_of_scopes.dataset
            and statistics.scope = ties_of_scopes.scope
            and statistics.counted = ties_of_scopes.counted
)

select * from final
