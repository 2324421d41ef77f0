"""Small inputs for tests, the program to call, and the lake read back: a test states only what
matters to it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from click.testing import CliRunner, Result

from ingest.cli import main
from ingest.home import PROJECT, Home, writer
from ingest.load import IngestReport
from ingest.load import ingest as run_ingest

RUN = "run_20260316_174255_model-a_0.0"
MODIFIED = 1_800_000_000  # of every file written here, so that two copies of a folder are equal
GOLDEN = PROJECT / "tests" / "golden"
INPUTS = GOLDEN / "inputs"


class Cut(Exception):
    """Stands for whatever ends an ingest in its midst."""


def step(**changes: Any) -> dict[str, Any]:
    """One correct entry of a trace, with `changes`."""
    return {"action": "OBSERVE_CLUE", "verification": {"status": "correct"}} | changes


def trace(**changes: Any) -> dict[str, Any]:
    """A whole small trace that fits the known keys, with `changes` at its top level."""
    return {
        "config": {"llm": {"provider": "openai", "model": "model-a", "temperature": 0.0}},
        "room": {
            "room_id": "room_0001",
            "difficulty": "easy",
            "puzzles": [{"puzzle_id": "P1", "clue": {"item_id": 1}, "item": {"item_id": 2}}],
        },
        "trace": [step(), step(action="SOLVE_CLUE")],
        "failure_report": {"schema_failures": []},
        "escaped": True,
        "puzzles_solved": 1,
        "puzzles_total": 1,
        "timing_sec": 1.5,
    } | changes


def room(room_id: str = "room_0001", n_puzzles: int = 1, **changes: Any) -> dict[str, Any]:
    """A room as a line of a room file holds it."""
    puzzles = [{"puzzle_id": f"P{n + 1}", "ground_truth": n} for n in range(n_puzzles)]
    return {"room_id": room_id, "difficulty": "easy", "puzzles": puzzles} | changes


def write_file(path: Path, content: Any) -> Path:
    """Write bytes, text, or anything else as JSON; the folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = content.encode("utf-8")
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode("utf-8"))
    os.utime(path, (MODIFIED, MODIFIED))
    return path


def write_run(folder: Path, traces: int | Iterable[Any] = 1) -> list[Path]:
    """Write a run folder of so many small traces, or of the traces given; return the files."""
    documents = [trace() for _ in range(traces)] if isinstance(traces, int) else traces
    return [
        write_file(folder / f"{trace_stem(number)}.json", document)
        for number, document in enumerate(documents)
    ]


def trace_stem(number: int = 0) -> str:
    """The name, without ending, of a run's n-th trace."""
    return f"20260316{174300 + number:06d}_EscapeRoom_room_{number:04d}_escaped"


def write_lines(path: Path, rooms: Iterable[Any]) -> Path:
    """Write a room file; a line that is no text is written as JSON."""
    lines = [line if isinstance(line, str) else json.dumps(line) for line in rooms]
    return write_file(path, "".join(f"{line}\n" for line in lines))


def madw(*words: str | Path, **environment: str) -> Result:
    """Call the program in this process."""
    return CliRunner().invoke(main, [str(word) for word in words], env=environment or None)


def ingest(home: Path, *paths: Path, **options: Any) -> IngestReport:
    """Ingest in this process, as `madw ingest` does."""
    home.parent.mkdir(parents=True, exist_ok=True)
    home.mkdir(exist_ok=True)
    with writer(Home(home), "test"):
        return run_ingest(Home(home), list(paths), **options)


def lake_rows(home: Path, table: str) -> list[dict[str, Any]]:
    """Every row of a table of the lake, read file by file in the order of their paths."""
    paths = sorted((home / "lake" / table).glob("**/*.parquet"))
    return [row for path in paths for row in pq.ParquetFile(path).read().to_pylist()]


def lake_files(home: Path) -> dict[str, bytes]:
    """Path below the lake -> content of every file, hidden ones too, but for the list of roots."""
    lake = home / "lake"
    return {
        path.relative_to(lake).as_posix(): path.read_bytes()
        for path in sorted(lake.rglob("*"))
        if path.is_file() and path.name != "roots.json"
    }


def lake_inodes(home: Path) -> dict[str, tuple[int, int]]:
    """Path below the lake -> (inode, mtime): differs where a file was written again."""
    lake = home / "lake"
    return {
        path.relative_to(lake).as_posix(): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in sorted(lake.rglob("*.parquet"))
    }


def sources(home: Path) -> dict[str, dict[str, Any]]:
    """Path -> row of `source_files`."""
    return {row["path"]: row for row in lake_rows(home, "source_files")}


def rejects(home: Path) -> dict[str, str]:
    """Path -> error code of every rejected file."""
    return {
        path: row["error_code"]
        for path, row in sources(home).items()
        if row["status"] == "rejected"
    }


def trace_ids(home: Path) -> list[str]:
    """The id of every trace of the lake."""
    return [row["trace_id"] for row in lake_rows(home, "rooms")]
