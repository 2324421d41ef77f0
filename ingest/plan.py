"""What changed below the roots since the last ingest, and so what has to be read again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from ingest import read
from ingest.errors import MadwError, Reason, RejectedInput, UsageError
from ingest.lake import SourceRow
from ingest.parse import names
from ingest.read import InputFile
from ingest.roots import Root, read_card


class RunTask(NamedTuple):
    """A run to build: all its files, and where to write."""

    dataset: str
    run_id: str
    run_path: str
    folders: list[str]
    is_flat: bool
    files: list[InputFile]
    incoming: Path


class Plan(NamedTuple):
    """What an ingest has to do."""

    kept: dict[str, list[SourceRow]]  # data set -> rows that hold as they are
    tasks: list[RunTask]
    gone_runs: list[tuple[str, str]]  # (data set, run_id)
    room_files: dict[str, list[InputFile]]  # data sets whose definitions are read again
    n_vanished: int


def make_plan(
    roots: list[Root],
    known: dict[str, dict[str, SourceRow]],
    incoming: Path,
    skip: frozenset[str] = frozenset(),
) -> Plan:
    """Compare what is below the roots with what the lake knows of them.

    `known` maps data set and path to the row of `source_files`; runs will be written below
    `incoming`; folders in `skip` are not scanned. Raises UsageError where a root holds nothing to
    read or two roots claim one path, MadwError where a file is needed of a root that is not there.
    """
    plan = Plan({}, [], [], {}, 0)
    n_vanished = 0
    for dataset in sorted({root.dataset for root in roots}):
        mine = [root for root in roots if root.dataset == dataset]
        n_vanished += _plan_dataset(plan, dataset, mine, known.get(dataset, {}), incoming, skip)
    return plan._replace(n_vanished=n_vanished)


def _plan_dataset(
    plan: Plan,
    dataset: str,
    roots: list[Root],
    before: dict[str, SourceRow],
    incoming: Path,
    skip: frozenset[str],
) -> int:
    """Add one data set's work to the plan; return how many of its files have vanished."""
    now = _scan_all(roots, before, skip)
    scanned = {os.fspath(root.folder) for root in roots}
    for path, row in before.items():  # of roots that are not scanned now
        if path not in now and row.root not in scanned:
            location = os.path.join(row.root, path)
            now[path] = (InputFile(path, row.root, location, row.bytes, row.mtime_ns), row)
    vanished = [row for path, row in before.items() if path not in now]

    runs: dict[str, list[InputFile]] = {}
    rooms: list[InputFile] = []
    changed = {row.run_id for row in vanished if row.kind == "trace"}
    rooms_changed = any(row.kind == "rooms" for row in vanished)
    rows: list[SourceRow] = []
    for path, (file, row) in now.items():
        kind = row.kind if row is not None else read.kind_of(path)
        if kind == "trace":
            run_id = row.run_id if row is not None else _run_of(dataset, path)[0]
            runs.setdefault(run_id, []).append(file)
            if row is None:
                changed.add(run_id)
        elif kind == "rooms":
            rooms.append(file)
            rooms_changed = rooms_changed or row is None
        elif row is None:
            row = _card_row(file) if kind == "dataset_card" else SourceRow.of(file, kind, "ignored")
        if row is not None:
            rows.append(row)
    if rooms_changed:
        plan.room_files[dataset] = _present(sorted(rooms), dataset, scanned)
    plan.kept[dataset] = [
        row
        for row in rows
        if not (row.kind == "trace" and row.run_id in changed)
        and not (row.kind == "rooms" and rooms_changed)
    ]
    for run_id in sorted(changed):
        if run_id not in runs:
            plan.gone_runs.append((dataset, run_id))
            continue
        files = _present(sorted(runs[run_id]), dataset, scanned)
        _, run_path, is_flat = _run_of(dataset, files[0].path)
        folders = [Path(files[0].root).name, *(part for part in run_path.split("/") if part)]
        target = incoming / f"{len(plan.tasks):06d}"
        plan.tasks.append(RunTask(dataset, run_id, run_path, folders, is_flat, files, target))
    return len(vanished)


def _present(files: list[InputFile], dataset: str, scanned: set[str]) -> list[InputFile]:
    """The files; raises MadwError where one is of another root, and cannot be read again."""
    for file in files:
        if file.root not in scanned and not os.path.exists(file.location):
            raise MadwError(
                f"{dataset} also holds {file.path} of {file.root}, which is not there now and "
                "would have to be read again. Bring it back, or take the data set out: "
                f"madw forget {dataset}"
            )
    return files


def _run_of(dataset: str, path: str) -> tuple[str, str, bool]:
    """(run_id, path of the run's folder, is it a flat folder) of a trace file."""
    folder = path.rpartition("/")[0]
    stem = read.stem_of(path)
    temperature = names.file_name(stem).temperature_text if "_temp_" in stem else None
    parts = [dataset, folder, temperature]
    return "/".join(part for part in parts if part), folder, temperature is not None


def _is_same(file: InputFile, row: SourceRow) -> bool:
    if row.sha256 is None:
        return False
    try:
        return read.sha256_of(read.read_bytes(file.location)) == row.sha256
    except RejectedInput:
        return False


def _scan_all(
    roots: list[Root], before: dict[str, SourceRow], skip: frozenset[str]
) -> dict[str, tuple[InputFile, SourceRow | None]]:
    """Path -> (file, its row if it has not changed) of everything below the roots."""
    now: dict[str, tuple[InputFile, SourceRow | None]] = {}
    for root in roots:
        folder = os.fspath(root.folder)
        seen = read.scan(root.folder, skip)
        if not any(read.kind_of(file.path) in read.INPUT_KINDS for file in seen):
            raise UsageError(
                f"{folder} holds no trace (.json) and no room file (.jsonl)."
                + (f" To take {root.dataset} out: madw forget {root.dataset}" if before else "")
            )
        for file in seen:
            row = before.get(file.path)
            if row is not None and row.error_code == Reason.UNREADABLE:
                row = None  # what stood in the way shows neither in size nor in time
            if file.path in now or (row is not None and _is_taken(row, folder)):
                other = now[file.path][0].root if file.path in now else row.root
                raise UsageError(
                    f"{root.dataset} would get {file.path} from {other} and from {folder}. "
                    "Give one of them another name with --dataset."
                )
            if row is not None and (row.bytes, row.mtime_ns) != (file.bytes, file.mtime_ns):
                row = row if _is_same(file, row) else None
            if row is not None and (row.mtime_ns, row.root) != (file.mtime_ns, folder):
                row = row._replace(bytes=file.bytes, mtime_ns=file.mtime_ns, root=folder)
            now[file.path] = (file, row)
    return now


def _is_taken(row: SourceRow, folder: str) -> bool:
    """True where another root, still there, gave the data set this path."""
    return row.root != folder and os.path.exists(os.path.join(row.root, row.path))


def _card_row(file: InputFile) -> SourceRow:
    try:
        sha = read.sha256_of(read.read_bytes(file.location))
        read_card(Path(file.root))
    except RejectedInput as error:
        return SourceRow.rejected(file, "dataset_card", error)
    return SourceRow.of(file, "dataset_card", "loaded", sha256=sha)
