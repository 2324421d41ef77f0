"""The golden traces: whole published tables against rows worked out by hand.

`tests/golden/README.md` says what each trace is there for. The expected rows follow from the
definitions of the columns, not from a run: where a table differs, first decide which of the two is
right.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
import json
import re
from pathlib import Path

import duckdb
import pytest
from builders import GOLDEN

EXPECTED = sorted((GOLDEN / "expected").glob("*.csv"))
TABLES = {
    "attempts",
    "error_transmission",
    "escape_rates",
    "first_wrong_steps",
    "label_conflicts",
    "rooms",
    "steps",
}


def read_expected(path: Path) -> tuple[list[str], list[tuple[str, ...]]]:
    """The columns of an expected table, and its rows as text; nothing at all is NULL."""
    header, *rows = csv.reader(path.read_text("utf-8").splitlines())
    return header, [tuple(row) for row in rows]


def read_published(
    connection: duckdb.DuckDBPyConnection, table: str, columns: list[str]
) -> list[tuple[str, ...]]:
    """The same columns of a published table as text, doubles with six places."""
    types = dict(
        connection.execute(
            "select column_name, data_type from duckdb_columns() where table_name = ?", [table]
        ).fetchall()
    )
    texts = [
        f"cast({f'round({name}, 6)' if types[name] == 'DOUBLE' else name} as varchar)"
        for name in columns
    ]
    query = "select " + ", ".join(f"coalesce({text}, '')" for text in texts) + f" from {table}"
    return connection.execute(query).fetchall()


def as_csv(columns: list[str], rows: list[tuple[str, ...]]) -> list[str]:
    """Rows as lines of CSV, sorted, each with its columns in view of the diff's reader."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *sorted(rows)])
    return text.getvalue().splitlines()


def differences(
    columns: list[str], expected: list[tuple[str, ...]], observed: list[tuple[str, ...]]
) -> str:
    """A diff from expected to observed rows; empty where they are the same, repeats and all."""
    lines = difflib.unified_diff(
        as_csv(columns, expected),
        as_csv(columns, observed),
        "expected",
        "published",
        n=0,
        lineterm="",
    )
    found = list(lines)
    return "\n".join([",".join(columns), *found]) if found else ""


def test_every_expected_table_is_there() -> None:
    assert {path.stem for path in EXPECTED} == TABLES


def test_every_trace_says_what_it_is_there_for() -> None:
    text = (GOLDEN / "README.md").read_text("utf-8")
    named = re.findall(r"(\d{14}_\w+(?:\.\d\w*)?\.json)`", text)
    assert sorted(named) == sorted(path.name for path in (GOLDEN / "traces").glob("**/2026*.json"))


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.stem)
def test_published_table_has_exactly_the_expected_rows(
    golden: duckdb.DuckDBPyConnection, path: Path
) -> None:
    columns, expected = read_expected(path)
    assert expected
    found = differences(columns, expected, read_published(golden, path.stem, columns))
    assert not found, f"\n{found}"


def test_differences_are_seen_both_ways() -> None:
    rows = [("a", "1"), ("b", "2")]
    assert not differences(["id", "n"], rows, rows[::-1])
    assert "-b,2" in differences(["id", "n"], rows, rows[:1])
    assert "+c," in differences(["id", "n"], rows, [*rows, ("c", "")])
    assert "+b,2" in differences(["id", "n"], rows, [*rows, rows[1]])


def test_attempt_ids_of_steps_are_their_parts(golden: duckdb.DuckDBPyConnection) -> None:
    odd = golden.execute(
        "select step_id, attempt_id from steps where step_id <> trace_id || '/' || step_index or "
        "attempt_id is distinct from trace_id || '/' || puzzle_index || '/' || attempt"
    ).fetchall()
    assert odd == []


@pytest.mark.parametrize("table", ["attempts", "steps", "first_wrong_steps", "label_conflicts"])
def test_conditions_are_those_of_the_room(golden: duckdb.DuckDBPyConnection, table: str) -> None:
    dims = (
        "trace_id, run_id, room_id, dataset, split, model, temperature, difficulty, clue_domain, "
        "unit_tools, injection"
    )
    foreign = golden.execute(
        f"select {dims} from {table} except select {dims} from rooms"
    ).fetchall()
    assert foreign == []


def test_the_same_content_under_two_names_is_found(golden: duckdb.DuckDBPyConnection) -> None:
    found = golden.execute(
        "select n_rows, n_distinct, n_colliding_keys, n_rows_in_collisions, is_unique, expected "
        "from key_uniqueness where source_table = 'rooms' and key_columns = 'content_sha256'"
    ).fetchall()
    assert found == [(34, 33, 1, 2, False, "depends")]
    twins = golden.execute(
        "select source_path, content_sha256 from rooms "
        "qualify count(*) over (partition by content_sha256) > 1 order by source_path"
    ).fetchall()
    folder = "run_20260510_080000_gpt-4.1_0.6"
    paths = [
        f"again/{folder}/20260510090000_EscapeRoom_room_0000_escaped.json",
        f"{folder}/20260510080000_EscapeRoom_room_0000_escaped.json",
    ]
    digests = {
        hashlib.sha256((GOLDEN / "traces" / path).read_bytes()).hexdigest() for path in paths
    }
    assert len(digests) == 1
    assert twins == [(path, *digests) for path in paths]


def test_a_room_played_again_in_its_run_is_found(golden: duckdb.DuckDBPyConnection) -> None:
    found = golden.execute(
        "select key_columns, n_colliding_keys, n_rows_in_collisions from key_uniqueness "
        "where source_table = 'rooms' and key_columns in ('run_id + room_id', "
        "'run_id + split + room_id') order by key_columns"
    ).fetchall()
    # two restarts; without the split, the two rooms 0000 of the flat folder as well
    assert found == [("run_id + room_id", 3, 6), ("run_id + split + room_id", 2, 4)]


def test_every_file_is_loaded_and_unknown_keys_are_told(golden: duckdb.DuckDBPyConnection) -> None:
    statuses = golden.execute("select distinct status from source_files").fetchall()
    assert statuses == [("loaded",)]
    rows = golden.execute(
        "select regexp_extract(path, '(\\d{14})_', 1), unknown_keys_json from source_files "
        "where unknown_keys_json is not null order by path"
    ).fetchall()
    assert {started: json.loads(keys) for started, keys in rows} == {
        "20260507080100": {"host": 1, "rerun_of": 1, "room.theme": 1, "trace[].thought": 1},
        "20260511080000": {"trace_version": 1},
    }
    (extra,) = golden.execute(
        "select extra_json from step_texts where step_id like '%/20260507080100_%/0'"
    ).fetchone()
    assert json.loads(extra) == {"/thought": "It might be the other one."}


def test_llm_errors_are_kept_as_text(golden: duckdb.DuckDBPyConnection) -> None:
    (structured,) = golden.execute(
        "select structured_json from step_texts where step_id like '%/20260501080300_%/1'"
    ).fetchone()
    assert json.loads(structured) == {"error": "RateLimitError: 429"}


def test_injections_are_kept_as_text(golden: duckdb.DuckDBPyConnection) -> None:
    rows = golden.execute(
        "select step_index, injection_json, prompt_injection_json from step_texts "
        "inner join steps using (step_id) "
        "where injection_json is not null or prompt_injection_json is not null order by step_id"
    ).fetchall()
    assert rows == [
        (1, '{"fm_id":"FM-1.1","injected":true}', None),
        (1, None, '{"fm_id":"FM-2.3","text":"Speak of the weather."}'),
        (1, '{"fm_id":"FM-1.1","injected":true}', None),
    ]


def test_ground_truth_of_the_golden_puzzles_agrees(golden: duckdb.DuckDBPyConnection) -> None:
    checks = golden.execute(
        "select agrees, is_inert, count(*) from ground_truth_checks group by all order by all"
    ).fetchall()
    # 40 puzzles in the latest traces; one of them adds two whole turns to a compass
    assert checks == [(True, False, 39), (True, True, 1)]


def test_synthetic_rates_are_never_compared(golden: duckdb.DuckDBPyConnection) -> None:
    verdicts = golden.execute(
        "select distinct verdict from escape_rate_reconciliation order by verdict"
    ).fetchall()
    assert verdicts == [("not comparable",), ("not loaded",)]
