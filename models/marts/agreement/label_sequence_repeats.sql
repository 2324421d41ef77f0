with records as (
    select record_id, dataset, source_path, record_index, trace_key, trace_index
    from {{ ref('mad_full_records') }}
    where trace_key is not null
),

annotations as (
    select record_id, mode_id, label from {{ ref('mad_full_annotations') }}
),

label_vectors as (
    select
        record_id,
        string_agg(
            mode_id || '=' || case when label then '1' when not label then '0' else '?' end,
            ' ' order by mode_id
        ) as label_vector,
    from annotations
    group by record_id
),

-- one row per source key: the labels of all its records, in the order of the key's own index
sequences as (
    select
        records.dataset,
        records.source_path,
        records.trace_key,
        count(*) as n_records,
        sha256(
            string_agg(
                -- coalesce: a record without any label has an empty vector, and its place
                coalesce(label_vectors.label_vector, ''),
                chr(10)
                order by
                    try_cast(records.trace_index as bigint),
                    records.trace_index,
                    records.record_index
            )
        ) as sequence_sha256,
    from records
    left join label_vectors on records.record_id = label_vectors.record_id
    group by records.dataset, records.source_path, records.trace_key
),

-- a key of one record has no sequence: equal labels are to be expected there
repeats as (
    select
        dataset,
        source_path,
        sequence_sha256,
        string_agg(trace_key, ', ' order by trace_key) as trace_keys,
        count(*) as n_trace_keys,
        max(n_records) as n_records_of_sequence,
        sum(n_records) as n_records,
    from sequences
    where n_records > 1
    group by dataset, source_path, sequence_sha256
    having count(*) > 1
),

final as (
    select
        dataset,
        source_path,
        sequence_sha256,

        trace_keys,

        cast(n_trace_keys as bigint) as n_trace_keys,
        cast(n_records_of_sequence as bigint) as n_records_of_sequence,
        cast(n_records as bigint) as n_records,
    from repeats
)

select * from final
