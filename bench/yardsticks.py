"""What `make bench` measures ingest against: the least any program would have to do.

Usage: yardsticks.py orjson CORPUS | stat CORPUS | read_json CORPUS OUT | nothing
"""

from __future__ import annotations

import os
import sys


def parse_with_orjson(corpus: str) -> None:
    """Read and parse every trace, one after the other, and keep nothing."""
    import orjson

    for folder in os.scandir(corpus):
        for entry in os.scandir(folder):
            with open(entry.path, "rb") as file:
                orjson.loads(file.read())


def scan_and_stat(folder: str) -> None:
    """Visit every entry below a folder and stat every file."""
    for entry in os.scandir(folder):
        if entry.is_dir():
            scan_and_stat(entry.path)
        else:
            entry.stat()


_CLUE = (
    "struct(item_id integer, hint varchar, domain varchar, item_type varchar, problem varchar, "
    "answer double, delta_unit varchar, problem_id varchar, problem_metadata json, is_fake boolean)"
)
_ITEM = (
    'struct(item_id integer, "type" varchar, "desc" varchar, state double, unit varchar, '
    "trap varchar, is_fake boolean, hour integer, minute integer, second integer, raw_time json)"
)
_PUZZLE = (
    f"struct(puzzle_id varchar, clue {_CLUE}, item {_ITEM}, fake_items {_ITEM}[], "
    f"fake_clues {_CLUE}[], all_items_order json, all_clues_order json, solved boolean, "
    "level integer, trap_item_desc boolean, traps json, ground_truth double)"
)
_CALL = (
    "struct(duration double, input_tokens bigint, output_tokens bigint, timed_out boolean, "
    "superlong_reasoning boolean)"
)
_STEP = (
    "struct(action varchar, agent varchar, message varchar, output_message varchar, "
    "structured json, output_structured json, input json, puzzle_id varchar, action_id varchar, "
    "parent_action_id varchar, call_index bigint, attempt bigint, clue_domain varchar, "
    f"clue_problem_id varchar, confidence double, call_statistic {_CALL}, schema_errors json, "
    "verification json, tool_execution json)"
)
_COLUMNS = f"""{{
    config: 'json',
    room: 'struct(room_id varchar, difficulty varchar, "type" varchar, clue_domain varchar,
        puzzles {_PUZZLE}[], scenery json, item_states json, solved_ids json, dag json)',
    trace: '{_STEP}[]',
    failure_report: 'json',
    escaped: 'boolean',
    puzzles_solved: 'integer',
    puzzles_total: 'integer',
    timing_sec: 'double'
}}"""
_TABLES = {
    "rooms": """
        select
            filename, config, room.room_id, room.difficulty, room."type", room.clue_domain,
            room.scenery, room.item_states, room.solved_ids, room.dag, failure_report, escaped,
            puzzles_solved, puzzles_total, timing_sec, len(trace)
        from traces
    """,
    "puzzles": """
        select filename, puzzle.puzzle_id, unnest(puzzle.clue), unnest(puzzle.item),
            puzzle.all_items_order, puzzle.all_clues_order, puzzle.solved, puzzle.level,
            puzzle.trap_item_desc, puzzle.traps, puzzle.ground_truth
        from (select filename, unnest(room.puzzles) as puzzle from traces)
    """,
    "distractors": """
        select filename, puzzle.puzzle_id, unnest(fake)
        from (
            select filename, puzzle, unnest(puzzle.fake_items) as fake
            from (select filename, unnest(room.puzzles) as puzzle from traces)
        )
        union all by name
        select filename, puzzle.puzzle_id, unnest(fake)
        from (
            select filename, puzzle, unnest(puzzle.fake_clues) as fake
            from (select filename, unnest(room.puzzles) as puzzle from traces)
        )
    """,
    "steps": """
        select
            filename, step_index, step.action, step.agent, step.puzzle_id, step.action_id,
            step.parent_action_id, step.call_index, step.attempt, step.clue_domain,
            step.clue_problem_id, step.confidence, unnest(step.call_statistic),
            step.verification ->> 'status', step.verification ->> 'desc',
            step.verification ->> 'error_type', step.verification ->> 'fm_id',
            step.verification -> 'answer'
        from (
            select filename, unnest(trace) as step, generate_subscripts(trace, 1) as step_index
            from traces
        )
    """,
    "step_texts": """
        select
            filename, step_index, coalesce(step.output_message, step.message), step.input,
            coalesce(step.output_structured, step.structured), step.schema_errors,
            step.verification, step.tool_execution
        from (
            select filename, unnest(trace) as step, generate_subscripts(trace, 1) as step_index
            from traces
        )
    """,
}


def read_with_duckdb(corpus: str, out: str) -> None:
    """Read the traces with `read_json` and hand-typed columns, and write the same tables."""
    import duckdb

    connection = duckdb.connect(f"{out}/scratch.duckdb", config={"threads": 2})
    connection.execute(
        f"create table traces as from read_json('{corpus}/*/*.json', columns = {_COLUMNS}, "
        "filename = true, format = 'unstructured', maximum_object_size = 4194304)"
    )
    for name, query in _TABLES.items():
        connection.execute(f"copy ({query}) to '{out}/{name}.parquet' (compression zstd)")


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    {
        "orjson": parse_with_orjson,
        "stat": scan_and_stat,
        "read_json": read_with_duckdb,
        "nothing": lambda: None,
    }[what](*arguments)
