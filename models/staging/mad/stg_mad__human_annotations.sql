with source as (
    select * from {{ source('mad', 'mad_human_annotations') }}
),

final as (
    select
        {{ record_id() }} as record_id,
        dataset,
        mode_index,
        code,
        name,
        annotator,
        vote,
        vote_json,
    from source
)

select * from final
