"""The walk of docs/walk.md: all eight stops are run, and every table of the page compared.

A table stands below a marker, `<!-- table: name -->`, and `TABLES` says how its rows come out. The
page may have further columns of prose; those named here are compared, and all rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow.parquet as pq
import pytest
from builders import GOLDEN

from ingest import read
from ingest.errors import RejectedInput
from ingest.home import PROJECT
from ingest.lake import Lake
from ingest.parse import madbench, names

PAGE = PROJECT / "docs" / "walk.md"
ONE_TRACE = GOLDEN / "one_trace.json"
TRACES = GOLDEN / "traces"
STOPS = 8
LINES = ("Open", "See", "Decided here", "Guarded by")

Table = tuple[list[str], list[list[str]]]  # columns, rows


class Stop(NamedTuple):
    """A stop of the page: its heading and its text."""

    heading: str
    text: str


class Walk(NamedTuple):
    """The trace on its way, and the warehouse it went through."""

    source_path: str
    run_id: str
    home: Path
    published: duckdb.DuckDBPyConnection

    @property
    def trace_id(self) -> str:
        """The id of the trace, by the rule of ids."""
        return f"{self.run_id}/{read.stem_of(self.source_path)}"

    def query(self, columns: list[str], source: str, order: str) -> Table:
        """Columns of a published table, those rows of it that are the trace's."""
        rows = self.published.execute(
            f"select {', '.join(columns)} from {source} order by {order}",
            {"trace_id": self.trace_id},
        ).fetchall()
        return columns, [self.texts(row) for row in rows]

    def texts(self, row: tuple | list) -> list[str]:
        """Values as the page shows them."""
        return [self.text(value) for value in row]

    def text(self, value: Any) -> str:
        """A value as the page shows it: NULL, true, and ids without their run."""
        if value is None or isinstance(value, bool):
            return {None: "NULL", True: "true", False: "false"}[value]
        folder = self.run_id.partition("/")[2]
        return re.sub(rf"^({re.escape(self.run_id)}|{re.escape(folder)})/", "…/", str(value))


@pytest.fixture(scope="module")
def walk(golden_warehouse: Path, golden: duckdb.DuckDBPyConnection) -> Walk:
    path = ONE_TRACE.resolve().relative_to(TRACES).as_posix()
    return Walk(path, f"golden/{path.rpartition('/')[0]}", golden_warehouse, golden)


# What comes out at each stop


def line_of(pointer: str) -> int:
    """The line of one_trace.json on which a JSON pointer's step, or top-level key, stands."""
    document = json.loads(ONE_TRACE.read_text("utf-8"))
    first, *rest = pointer.split("/")[1:]
    found = []
    for number, line in enumerate(ONE_TRACE.read_text("utf-8").splitlines(), 1):
        text = line.strip().removesuffix(",")
        if first != "trace":
            is_it = text.startswith(f'"{first}":')
        else:
            is_it = (
                text.startswith("{")
                and text.endswith("}")
                and (json.loads(text) == document["trace"][int(rest[0])])
            )
        if is_it:
            found.append(number)
    (line_number,) = found
    return line_number


def value_at(pointer: str) -> Any:
    """What stands at a JSON pointer of one_trace.json."""
    value = json.loads(ONE_TRACE.read_text("utf-8"))
    for part in pointer.split("/")[1:]:
        value = value[int(part) if isinstance(value, list) else part]
    return value


def json_places(walk: Walk) -> Table:
    pointers = [
        "/trace/0/puzzle_id",
        "/trace/3/verification",
        "/trace/7/schema_errors",
        "/trace/8/tool_execution/error",
        "/trace/9/output_structured/answer",
        "/trace_version",
    ]
    rows = [[str(line_of(at)), at, json.dumps(value_at(at))] for at in pointers]
    return ["line", "place", "value"], rows


def source_files(walk: Walk) -> Table:
    (seen,) = [file for file in read.scan(TRACES) if file.path == walk.source_path]
    data = read.read_bytes(seen.location)
    columns = ["path", "kind", "status", "bytes", "sha256", "n_puzzles", "n_steps"]
    row = walk.published.execute(
        f"select {', '.join(columns)} from source_files where path = ?", [walk.source_path]
    ).fetchone()
    assert row[3:5] == (len(data), read.sha256_of(data))
    return columns, [walk.texts([*row[:4], f"{row[4][:8]}…", *row[5:]])]


def parsed(walk: Walk) -> Table:
    data = ONE_TRACE.read_bytes()
    name = names.file_name(read.stem_of(walk.source_path))
    rows = madbench.parse_trace(data, walk.source_path, read.sha256_of(data), name)
    found = [["the file", "rooms", "1"]]
    for table in ("puzzles", "distractors", "steps", "step_texts"):
        found.append(["the file", table, str(len(getattr(rows, table)))])
    found += [["the file", f"set aside: {path}", str(n)] for path, n in rows.set_aside.items()]
    with pytest.raises(RejectedInput) as rejected:
        madbench.parse_trace(data[: len(data) // 2], walk.source_path, "", name)
    found.append(["its first half", f"rejected: {rejected.value.code}", "0"])
    return ["given", "comes out", "how many"], found


def lake_steps(walk: Walk) -> list[dict[str, Any]]:
    path = Lake(walk.home / "lake").path_of("steps", "golden", walk.run_id)
    return pq.ParquetFile(path).read().to_pylist()


def lake(walk: Walk) -> Table:
    shown = (3, 7, 8)
    path = Lake(walk.home / "lake").path_of("steps", "golden", walk.run_id)
    schema = pq.read_schema(path)
    steps = lake_steps(walk)
    columns = [
        "action",
        "status",
        "error_type",
        "has_schema_error",
        "timed_out",
        "input_tokens",
        "confidence",
    ]
    rows = [
        [name, str(schema.field(name).type), *walk.texts([steps[index][name] for index in shown])]
        for name in columns
    ]
    return ["column", "type", *(f"step {index}" for index in shown)], rows


def staged(walk: Walk) -> Table:
    with duckdb.connect(str(walk.home / "build" / "work.duckdb"), read_only=True) as working:
        working.execute("set variable lake = $lake", {"lake": str(walk.home / "lake")})
        result = working.execute(
            "from stg_madbench__steps where trace_id = ? order by step_index", [walk.trace_id]
        )
        columns = [column[0] for column in result.description]
        staging = [dict(zip(columns, row, strict=True)) for row in result.fetchall()]
    before = lake_steps(walk)
    renamed = {"fm_id": "failure_mode"}
    for ours, theirs in zip(staging, before, strict=True):
        assert ours.pop("step_id") == f"{walk.trace_id}/{theirs['step_index']}"
        assert ours == {renamed.get(name, name): value for name, value in theirs.items()}
    rows = [["trace_id + step_index", "step_id", walk.text(f"{walk.trace_id}/7")]]
    for name in ("fm_id", "status", "attempt"):
        ours = renamed.get(name, name)
        rows.append([name, ours, walk.text(staging[7][ours])])
    return ["lake", "staging", "value"], rows


def steps(walk: Walk) -> Table:
    before = ["step_index", "action", "puzzle_id", "status"]
    columns = [*before, "puzzle_index", "attempt", "error_origin", "propagation_role"]
    found = walk.query(columns, "steps where trace_id = $trace_id", "step_index")
    from_lake = [walk.texts([step[name] for name in before]) for step in lake_steps(walk)]
    assert [row[:4] for row in found[1]] == from_lake
    return found


def attempts(walk: Walk) -> Table:
    columns = [
        "puzzle_index",
        "puzzle_id",
        "step_pattern",
        "first_wrong_action",
        "first_wrong_step_index",
        "is_solved",
        "eval_result",
    ]
    return walk.query(columns, "attempts where trace_id = $trace_id", "puzzle_index, attempt")


def mart(walk: Walk) -> Table:
    columns = [
        "upstream_action",
        "downstream_action",
        "n_upstream_wrong",
        "n_both_wrong",
        "n_upstream_correct",
        "n_unlabelled",
        "transmission_rate",
        "base_rate",
        "lift",
    ]
    dims = "dataset, split, model, temperature, difficulty, clue_domain, unit_tools, injection"
    source = f"error_transmission semi join (from rooms where trace_id = $trace_id) using ({dims})"
    return walk.query(columns, source, "upstream_action, downstream_action")


def way_back() -> str:
    """The query of the page's last stop."""
    (query,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return query


def back(walk: Walk) -> Table:
    rows = []
    for step_id, action, desc, source_path, index in walk.published.execute(way_back()).fetchall():
        document = json.loads((TRACES / source_path).read_bytes())
        step = document["trace"][index]
        assert (step["action"], step["verification"]["desc"]) == (action, desc)
        rows.append([walk.text(step_id), action, desc, str(line_of(f"/trace/{index}"))])
    return ["step_id", "action", "error_desc", "line"], rows


TABLES: dict[str, Callable[[Walk], Table]] = {
    "json": json_places,
    "source_files": source_files,
    "parsed": parsed,
    "lake": lake,
    "staged": staged,
    "steps": steps,
    "attempts": attempts,
    "mart": mart,
    "back": back,
}


# What the page says


def stops() -> list[Stop]:
    parts = re.split(r"^## (\d+\. .+)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return [Stop(*pair) for pair in zip(parts[1::2], parts[2::2], strict=True)]


def tables_of(text: str) -> dict[str, Table]:
    """Name -> table of every marked table; a table without a marker is not allowed."""
    found = {}
    for name, block in re.findall(r"^<!-- table: (\w+) -->\n((?:\|.*\n?)+)", text, re.MULTILINE):
        header, _, *rows = [
            [cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in block.splitlines()
        ]
        found[name] = (header, rows)
    assert len(found) == len(re.findall(r"^\|[-|]+\|$", text, re.MULTILINE))
    return found


def as_markdown(table: Table) -> str:
    columns, rows = table
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def test_the_walk_has_eight_stops_of_the_same_four_lines() -> None:
    assert [stop.heading.partition(".")[0] for stop in stops()] == [
        str(n + 1) for n in range(STOPS)
    ]
    for stop in stops():
        heads = re.findall(r"^- \*\*([^*:]+):?\*\*", stop.text, re.MULTILINE)
        assert tuple(heads) == LINES, stop.heading
        assert tables_of(stop.text), stop.heading


def test_every_file_and_test_the_walk_names_is_there() -> None:
    text = PAGE.read_text("utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    missing = [link for link in links if not (PAGE.parent / link).exists()]
    assert links and not missing
    for stop in stops():
        (guard,) = re.findall(r"^- \*\*Guarded by\*\* (.+)$", stop.text, re.MULTILINE)
        file = PAGE.parent / re.search(r"\]\(([^)]+)\)", guard)[1]
        for name in re.findall(r"`(test_\w+)`", guard):
            assert re.search(rf"\b{name}\b", file.read_text("utf-8")), (
                f"{name} is not in {file.name}"
            )


def test_every_table_of_the_walk_is_compared() -> None:
    assert list(tables_of(PAGE.read_text("utf-8"))) == list(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_table_of_the_walk_is_what_comes_out(walk: Walk, name: str) -> None:
    columns, rows = TABLES[name](walk)
    header, page_rows = tables_of(PAGE.read_text("utf-8"))[name]
    assert set(columns) <= set(header)
    shown = [[row[header.index(column)] for column in columns] for row in page_rows]
    assert shown == rows, f"{name} comes out as\n{as_markdown((columns, rows))}"


def test_the_number_leads_back_to_lines_of_the_json(walk: Walk) -> None:
    (number,) = [row for row in mart(walk)[1] if row[:2] == ["SOLVE_CLUE", "APPLY_DELTA"]]
    n_both_wrong = int(number[3])
    _, rows = back(walk)
    wrong_by_action = {"SOLVE_CLUE": 0, "APPLY_DELTA": 0}
    for _, action, _, line in rows:
        text = ONE_TRACE.read_text("utf-8").splitlines()[int(line) - 1]
        step = json.loads(text.strip().removesuffix(","))
        assert (step["action"], step["verification"]["status"]) == (action, "wrong")
        wrong_by_action[action] += 1
    assert wrong_by_action == {"SOLVE_CLUE": n_both_wrong, "APPLY_DELTA": n_both_wrong}


@pytest.mark.parametrize("warehouse", ["sample", "golden"])
def test_the_same_query_leads_back_from_every_number(
    warehouse: str, request: pytest.FixtureRequest
) -> None:
    published = request.getfixturevalue(warehouse)
    key = (
        "mart.dataset, mart.split, mart.model, mart.temperature, mart.difficulty, "
        "mart.clue_domain, mart.unit_tools, mart.injection, "
        "mart.upstream_action, mart.downstream_action"
    )
    query, n_names = re.subn(r"mart\.\w+ = '[^']+'", "true", way_back())
    query = re.sub(r"^select .*$", f"select {key}, attempts.attempt_id", query, flags=re.MULTILINE)
    query = re.sub(r"^order by .*$", "", query.strip().rstrip(";"), flags=re.MULTILINE)
    names = key.replace("mart.", "")
    found = published.execute(
        f"select {names}, count(distinct attempt_id) from ({query}) group by all order by all"
    ).fetchall()
    expected = published.execute(
        f"select {names}, n_both_wrong from error_transmission where n_both_wrong > 0 order by all"
    ).fetchall()

    assert n_names == 3
    assert found == expected and expected
