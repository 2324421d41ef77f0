-- What `make shell` shows first: each table of the file with its "one row per", as the table's own
-- comment says it, and three of the queries of queries.md. No line is longer than 100 characters.
.print "area    table                       one row per"

with areas (area_index, area, table_names) as (
    values
    (1, 'traces', ['rooms', 'attempts', 'steps', 'step_texts', 'runs']),
    (2, 'rooms', ['room_definitions', 'puzzle_definitions', 'ground_truth_checks']),
    (3, 'escape', ['escape_rates', 'escape_rates_by_split', 'escape_rate_reconciliation']),
    (4, 'errors', [
        'signal_frequencies', 'room_signal_frequencies', 'first_wrong_steps', 'propagation_chains',
        'error_transmission'
    ]),
    (5, 'MAD', [
        'mad_human_records', 'mad_human_annotations', 'mad_full_records', 'mad_full_annotations',
        'trace_bodies'
    ]),
    (6, 'modes', [
        'failure_mode_prevalence', 'taxonomy_modes', 'taxonomy_crosswalk', 'taxonomy_drift'
    ]),
    (7, 'trust', [
        'annotator_agreement', 'label_agreement', 'annotation_blocks', 'label_sequence_repeats',
        'label_conflicts', 'key_uniqueness', 'key_collision_pairs', 'audit_findings'
    ]),
    (8, 'build', ['datasets', 'source_files', 'about'])
),

placed as (
    select
        area_index,
        area,
        unnest(table_names) as table_name,
        unnest(range(len(table_names))) as table_index
    from areas
),

described as (
    select
        table_name,
        regexp_extract(comment, '^One row per (.+?)[.:](\s|$)', 1) as sentence
    from duckdb_tables()
    where not internal
),

-- a sentence too long for its line ends after a word
fitted as (
    select
        table_name,
        case
            when length(sentence) <= 64 then sentence
            else regexp_extract(sentence, '^(.{0,62})\s', 1) || ' …'
        end as one_row_per
    from described
),

-- a table without an area comes last, under "other"
table_lines as (
    select
        coalesce(placed.area_index, 9) as area_index,
        coalesce(placed.table_index, 0) as table_index,
        rpad(if(placed.table_index = 0, placed.area, if(placed.area is null, 'other', '')), 8, ' ')
        || rpad(fitted.table_name, 28, ' ') || fitted.one_row_per as line
    from fitted
    left join placed on fitted.table_name = placed.table_name
)

select line
from table_lines
order by area_index, table_index, line;

.print ""
.print "-- How often does each model escape, by difficulty?"
.print "select dataset, model, temperature, difficulty, n_rooms, n_escaped,"
.print "    round(escape_rate, 3) as escape_rate, round(ci_low, 3) as ci_low, round(ci_high, 3) as ci_high"
.print "from escape_rates"
.print "where clue_domain = 'gsm-hard' and not unit_tools and injection = 'none'"
.print "order by all;"
.print ""
.print "-- Where do attempts first go wrong?"
.print "select dataset, model, first_wrong_action, sum(n_attempts) as attempts, sum(n_solved) as solved"
.print "from propagation_chains"
.print "where clue_domain = 'gsm-hard' and not unit_tools and injection = 'none'"
.print "group by all"
.print "order by dataset, model, attempts desc, first_wrong_action;"
.print ""
.print "-- How common is each failure mode in MAD?"
.print "select dataset, mast14_code, mode_name, n_known, n_unknown, n_positive, round(rate, 3) as rate,"
.print "    round(ci_low, 3) as ci_low, round(ci_high, 3) as ci_high"
.print "from failure_mode_prevalence"
.print "where label_source = 'mad judge' and framework = 'all'"
.print "order by dataset, mast14_code;"
.print ""
.print "from describe_tables();        -- every table: rows, columns, its whole description"
.print "from describe_table('steps');  -- every column of a table: type and description"
.print "-- Read-only. More questions, with answers: docs/queries.md"
