-- Corrected or not, the two names are those of the file: in its order, or in the other.
select *
from {{ ref('mad_human_records') }}
where
    case
        when is_corrected
            then
                row(mas_name, benchmark_name)
                is distinct from row(source_benchmark_name, source_mas_name)
        else
            row(mas_name, benchmark_name)
            is distinct from row(source_mas_name, source_benchmark_name)
    end
