"""Reading what changed: the files of a run, or a data set's files of no run, to lake rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ingest import read
from ingest.errors import Reason, RejectedInput
from ingest.lake import RUN_TABLES, SHARED_TABLES, SourceRow
from ingest.parse import mad, madbench, mast_repo, names
from ingest.parse.file_rows import FileRows
from ingest.plan import RunTask, SharedTask, Task
from ingest.write import TableWriter

_PARSERS: dict[str, Callable[[bytes], FileRows]] = {
    "rooms": madbench.parse_rooms,
    "mad_human": mad.parse_human,
    "mad_full": mad.parse_full,
    "mast_definitions": mast_repo.parse_definitions,
    "mast_judge": mast_repo.parse_judge,
    "mast_trace": mast_repo.parse_trace,
}
_N_BYTES = 2  # where a row of trace_bodies has its length


class Result(NamedTuple):
    """A task as done: files written aside (none if nothing loaded) and the rows of its sources."""

    dataset: str
    run_id: str | None
    written: dict[str, Path]
    sources: list[SourceRow]


def build(task: Task) -> Result:
    """Read every file of a task and write its rows aside. Runs in a worker process."""
    return _build_run(task) if isinstance(task, RunTask) else _build_shared(task)


def _build_run(task: RunTask) -> Result:
    name = names.run_name(task.folders, is_flat=task.is_flat)
    writer = TableWriter(task.incoming, (task.dataset, task.run_id), RUN_TABLES)
    sources: list[SourceRow] = []
    stems: dict[str, str] = {}
    n_traces = 0
    for file in task.files:
        sha = None
        try:
            data = read.read_bytes(file.location)
            sha = read.sha256_of(data)
            stem = read.stem_of(file.path)
            rows = madbench.parse_trace(data, file.path, sha, names.file_name(stem))
            if stem in stems:
                raise RejectedInput(
                    Reason.DUPLICATE_TRACE, f"{stems[stem]} in the same run has the same name."
                )
        except RejectedInput as error:
            sources.append(SourceRow.rejected(file, "trace", error, sha256=sha, run_id=task.run_id))
            continue
        stems[stem] = file.path
        n_traces += 1
        writer.add(
            f"{task.run_id}/{stem}",
            {
                "rooms": [rows.room],
                "puzzles": rows.puzzles,
                "distractors": rows.distractors,
                "steps": rows.steps,
                "step_texts": rows.step_texts,
            },
            len(data),
        )
        sources.append(
            SourceRow.of(
                file,
                "trace",
                "loaded",
                sha256=sha,
                run_id=task.run_id,
                n_rooms=1,
                n_puzzles=len(rows.puzzles),
                n_steps=len(rows.steps),
                unknown_keys_json=json.dumps(rows.set_aside) if rows.set_aside else None,
            )
        )
    if not n_traces:
        return Result(task.dataset, task.run_id, {}, sources)
    run = (
        task.run_path,
        name.started_at,
        name.model,
        name.temperature,
        name.clue_domain,
        name.unit_tools,
        name.injection_mode,
        name.is_nightmare,
        name.seed,
        n_traces,
    )
    return Result(task.dataset, task.run_id, writer.close({"runs": [run]}), sources)


def _build_shared(task: SharedTask) -> Result:
    writer = TableWriter(task.incoming, (task.dataset,), SHARED_TABLES)
    sources: list[SourceRow] = []
    for file in task.files:
        kind = task.kinds[file.path]
        sha = None
        try:
            data = read.read_bytes(file.location)
            sha = read.sha256_of(data)
            rows = _PARSERS[kind](data)
        except RejectedInput as error:
            sources.append(SourceRow.rejected(file, kind, error, sha256=sha))
            continue
        writer.add(file.path, rows.tables, 0 if rows.bodies else len(data))
        for body in rows.bodies:
            writer.add(file.path, {"trace_bodies": [body]}, body[_N_BYTES])
        sources.append(
            SourceRow.of(
                file,
                kind,
                "loaded",
                sha256=sha,
                n_rooms=rows.n_rooms,
                n_puzzles=rows.n_puzzles,
                unknown_keys_json=json.dumps(rows.set_aside) if rows.set_aside else None,
            )
        )
        del data, rows  # the next file may be as large
    return Result(task.dataset, None, writer.close(), sources)
