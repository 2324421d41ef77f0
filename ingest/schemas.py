"""The lake: one Arrow schema a table, and the only definition of its column types.

Every table of the lake is listed in `TABLES`. A table that belongs to a run is stored as
`lake/<table>/dataset=<d>/run_id=<r>/data.parquet`, any other as
`lake/<table>/dataset=<d>/data.parquet`.

Conventions: ids are text, exact as the source wrote them; `_index` counts from 0; `_s` is seconds;
`_json` is the raw JSON text of a value (compact, numbers as written); a null says "not recorded".
Raise `LAKE_VERSION` when a schema, or what a column means, changes: every file is then read again.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

LAKE_VERSION = "3"

TEXT = pa.string()
REAL = pa.float64()
WHOLE = pa.int64()
SMALL = pa.int32()
FLAG = pa.bool_()
TIME = pa.timestamp("us")

_RUN_KEY = [("dataset", TEXT), ("run_id", TEXT)]
_TRACE_KEY = [*_RUN_KEY, ("trace_id", TEXT)]

_PUZZLE = [
    ("room_puzzle_index", SMALL),
    ("puzzle_id", TEXT),
    ("clue_item_id", TEXT),
    ("clue_hint", TEXT),
    ("clue_domain", TEXT),
    ("clue_item_type", TEXT),
    ("clue_problem", TEXT),
    ("clue_answer", REAL),
    ("clue_answer_json", TEXT),
    ("clue_delta_unit", TEXT),
    ("clue_problem_id", TEXT),
    ("clue_problem_metadata_json", TEXT),
    ("item_id", TEXT),
    ("item_type", TEXT),
    ("item_desc", TEXT),
    ("item_state", REAL),
    ("item_state_json", TEXT),
    ("item_unit", TEXT),
    ("item_trap", TEXT),
    ("item_clock_json", TEXT),
    ("ground_truth", REAL),
    ("ground_truth_json", TEXT),
    ("level", SMALL),
    ("is_solved_at_start", FLAG),
    ("has_trap_item_desc", FLAG),
    ("traps_json", TEXT),
    ("all_items_order_json", TEXT),
    ("all_clues_order_json", TEXT),
]

_DISTRACTOR = [
    ("room_puzzle_index", SMALL),
    ("puzzle_id", TEXT),
    ("kind", TEXT),
    ("distractor_index", SMALL),
    ("item_id", TEXT),
    ("item_type", TEXT),
    ("description", TEXT),
    ("domain", TEXT),
    ("state", REAL),
    ("state_json", TEXT),
    ("unit", TEXT),
    ("trap", TEXT),
    ("clock_json", TEXT),
    ("is_fake", FLAG),
]


class LakeTable(NamedTuple):
    """A table of the lake: its schema, whether a run owns its files, and how columns are stored.

    `long` names the columns of long or unique text: stored with zstd and without a dictionary. Any
    other text column is stored as a dictionary, which leaves little for zstd to gain.
    """

    schema: pa.Schema
    by_run: bool
    long: frozenset[str] = frozenset()


def _table(columns: list, *, by_run: bool, long: tuple[str, ...] = ()) -> LakeTable:
    return LakeTable(pa.schema(columns), by_run, frozenset(long))


TABLES: dict[str, LakeTable] = {
    # one row per data set: what its dataset.json says, or nulls
    "datasets": _table(
        [
            ("dataset", TEXT),
            ("is_synthetic", FLAG),
            ("description", TEXT),
            ("source", TEXT),
            ("licence", TEXT),
            ("revision", TEXT),
            ("is_bundled", FLAG),
        ],
        by_run=False,
    ),
    # one row per file seen below a root; written last, so it says what the lake really holds
    "source_files": _table(
        [
            ("dataset", TEXT),
            ("path", TEXT),
            ("root", TEXT),
            ("bytes", WHOLE),
            ("mtime_ns", WHOLE),
            ("sha256", TEXT),
            ("kind", TEXT),
            ("run_id", TEXT),
            ("status", TEXT),
            ("error_code", TEXT),
            ("error", TEXT),
            ("error_at", TEXT),
            ("n_rooms", WHOLE),
            ("n_puzzles", WHOLE),
            ("n_steps", WHOLE),
            ("unknown_keys_json", TEXT),
        ],
        by_run=False,
        long=("path", "sha256", "run_id", "root"),
    ),
    # one row per run folder: what the names of its folders say
    "runs": _table(
        [
            *_RUN_KEY,
            ("run_path", TEXT),
            ("name_started_at", TIME),
            ("name_model", TEXT),
            ("name_temperature", REAL),
            ("name_clue_domain", TEXT),
            ("name_unit_tools", FLAG),
            ("name_injection_mode", TEXT),
            ("name_is_nightmare", FLAG),
            ("name_seed", WHOLE),
            ("n_traces", WHOLE),
        ],
        by_run=True,
    ),
    # one row per trace file
    "rooms": _table(
        [
            *_TRACE_KEY,
            ("source_path", TEXT),
            ("content_sha256", TEXT),
            ("name_started_at", TIME),
            ("name_room_id", TEXT),
            ("name_difficulty", TEXT),
            ("name_temperature", REAL),
            ("name_escaped", FLAG),
            ("provider", TEXT),
            ("llm_model", TEXT),
            ("temperature", REAL),
            ("temperature_json", TEXT),
            ("benchmark_clue_domain", TEXT),
            ("benchmark_unit_tools", FLAG),
            ("room_id", TEXT),
            ("difficulty", TEXT),
            ("room_type", TEXT),
            ("room_clue_domain", TEXT),
            ("n_puzzles", SMALL),
            ("n_steps", SMALL),
            ("escaped", FLAG),
            ("puzzles_solved", SMALL),
            ("puzzles_total", SMALL),
            ("timing_s", REAL),
            ("error", TEXT),
            ("eval_results_json", TEXT),
            ("n_schema_failures", SMALL),
            ("config_json", TEXT),
            ("room_rest_json", TEXT),
            ("failure_report_json", TEXT),
            ("extra_json", TEXT),
        ],
        by_run=True,
        long=(
            "trace_id",
            "source_path",
            "content_sha256",
            "config_json",
            "room_rest_json",
            "failure_report_json",
            "extra_json",
        ),
    ),
    # one row per puzzle of a trace's room, in the room's order, as the trace carried it
    "puzzles": _table([*_TRACE_KEY, *_PUZZLE], by_run=True, long=("clue_problem",)),
    # one row per fake item or fake clue of a puzzle of a trace's room
    "distractors": _table([*_TRACE_KEY, *_DISTRACTOR], by_run=True),
    # one row per entry of a trace
    "steps": _table(
        [
            *_TRACE_KEY,
            ("step_index", SMALL),
            ("action", TEXT),
            ("agent", TEXT),
            ("puzzle_id", TEXT),
            ("action_id", TEXT),
            ("parent_action_id", TEXT),
            ("call_index", WHOLE),
            ("attempt", SMALL),
            ("clue_domain", TEXT),
            ("clue_problem_id", TEXT),
            ("confidence", REAL),
            ("duration_s", REAL),
            ("input_tokens", WHOLE),
            ("output_tokens", WHOLE),
            ("timed_out", FLAG),
            ("superlong_reasoning", FLAG),
            ("has_schema_error", FLAG),
            ("status", TEXT),
            ("error_desc", TEXT),
            ("error_type", TEXT),
            ("fm_id", TEXT),
            ("answer_json", TEXT),
            ("chosen_puzzle_id", TEXT),
        ],
        by_run=True,
        long=("action_id", "parent_action_id"),
    ),
    # the heavy text of the same entries, apart
    "step_texts": _table(
        [
            *_TRACE_KEY,
            ("step_index", SMALL),
            ("message", TEXT),
            ("input", TEXT),
            ("structured_json", TEXT),
            ("schema_errors_json", TEXT),
            ("verification_json", TEXT),
            ("tool_execution_json", TEXT),
            ("injection_json", TEXT),
            ("prompt_injection_json", TEXT),
            ("extra_json", TEXT),
        ],
        by_run=True,
        long=(
            "message",
            "input",
            "structured_json",
            "schema_errors_json",
            "verification_json",
            "tool_execution_json",
            "extra_json",
        ),
    ),
    # one row per line of a room file
    "room_definitions": _table(
        [
            ("dataset", TEXT),
            ("source_path", TEXT),
            ("line_number", WHOLE),
            ("room_id", TEXT),
            ("difficulty", TEXT),
            ("room_type", TEXT),
            ("clue_domain", TEXT),
            ("n_puzzles", SMALL),
            ("definition_sha256", TEXT),
            ("room_json", TEXT),
        ],
        by_run=False,
        long=("room_json",),
    ),
    # one row per puzzle of such a line
    "puzzle_definitions": _table(
        [("dataset", TEXT), ("source_path", TEXT), ("line_number", WHOLE), *_PUZZLE],
        by_run=False,
    ),
    # one row per record of MAD's human-labelled file
    "mad_human_records": _table(
        [
            ("dataset", TEXT),
            ("source_path", TEXT),
            ("record_index", WHOLE),
            ("round", TEXT),
            ("taxonomy", TEXT),
            ("mas_name", TEXT),
            ("benchmark_name", TEXT),
            ("trace_id", TEXT),
            ("n_modes", SMALL),
            ("annotations_sha256", TEXT),
            ("body_sha256", TEXT),
            ("extra_json", TEXT),
        ],
        by_run=False,
    ),
    # one row per record, mode and annotator; a vote is true, false or null (no vote)
    "mad_human_annotations": _table(
        [
            ("dataset", TEXT),
            ("source_path", TEXT),
            ("record_index", WHOLE),
            ("mode_index", SMALL),
            ("code", TEXT),
            ("name", TEXT),
            ("annotator", TEXT),
            ("vote", FLAG),
            ("vote_json", TEXT),
        ],
        by_run=False,
    ),
    # one row per record of MAD's full file
    "mad_full_records": _table(
        [
            ("dataset", TEXT),
            ("source_path", TEXT),
            ("record_index", WHOLE),
            ("mas_name", TEXT),
            ("llm_name", TEXT),
            ("benchmark_name", TEXT),
            ("trace_id", TEXT),
            ("trace_key", TEXT),
            ("trace_index", TEXT),
            ("annotation_json", TEXT),
            ("body_sha256", TEXT),
            ("extra_json", TEXT),
        ],
        by_run=False,
    ),
    # one row per record and code; a label is true, false or null (unknown)
    "mad_full_annotations": _table(
        [
            ("dataset", TEXT),
            ("source_path", TEXT),
            ("record_index", WHOLE),
            ("code", TEXT),
            ("label", FLAG),
            ("label_json", TEXT),
        ],
        by_run=False,
    ),
    # one row per long text: a record's trace, or a trace file of the MAST repository
    "trace_bodies": _table(
        [
            ("dataset", TEXT),
            ("source_path", TEXT),
            ("record_index", WHOLE),
            ("n_chars", WHOLE),
            ("n_bytes", WHOLE),
            ("body_sha256", TEXT),
            ("body", TEXT),
        ],
        by_run=False,
        long=("body", "body_sha256"),
    ),
    # one row per taxonomy and mode found in a file, in the order found
    "taxonomy_modes": _table(
        [
            ("dataset", TEXT),
            ("source_path", TEXT),
            ("taxonomy", TEXT),
            ("mode_index", SMALL),
            ("code", TEXT),
            ("name", TEXT),
            ("description", TEXT),
            ("n_records", WHOLE),
        ],
        by_run=False,
    ),
    # one row per pair of modes of two taxonomies of one file: the longest run their texts share
    "mode_overlaps": _table(
        [
            ("dataset", TEXT),
            ("source_path", TEXT),
            ("taxonomy", TEXT),
            ("code", TEXT),
            ("other_taxonomy", TEXT),
            ("other_code", TEXT),
            ("overlap_chars", WHOLE),
        ],
        by_run=False,
    ),
    # one row per pair of records of one file that share (mas_name, llm_name, trace_id)
    "record_pairs": _table(
        [
            ("dataset", TEXT),
            ("source_path", TEXT),
            ("record_index", WHOLE),
            ("other_record_index", WHOLE),
            ("is_identical", FLAG),
            ("is_identical_after_whitespace", FLAG),
            ("prefix_chars", WHOLE),
            ("shorter_chars", WHOLE),
            ("similarity_ratio", REAL),
        ],
        by_run=False,
    ),
}
