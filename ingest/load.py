"""`madw ingest`: find what changed below the roots, read it again, and put it into the lake.

The way of one trace: `read.scan` sees its file, `_plan` finds it new or changed and with it its
run, `build_run` (in a worker process) reads every file of that run and writes the run's Parquet
files aside, `ingest` renames them into place and, last, writes `source_files`.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import gc
import json
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ingest import read
from ingest.errors import MadwError, Reason, RejectedInput, UsageError
from ingest.home import SAMPLE, Home, create_home
from ingest.lake import DatasetRow, Lake, SourceRow
from ingest.parse import json_text, madbench, names
from ingest.write import RunWriter

_FLUSH_SECONDS = 5.0  # how much finished work a kill may cost
_POOL_BYTES = 16 << 20  # below this, starting worker processes costs more than it saves


class Root(NamedTuple):
    """A folder to scan and the data set its files belong to."""

    folder: Path
    dataset: str


class InputFile(NamedTuple):
    """A file a run is built from."""

    path: str
    root: str
    location: str
    bytes: int
    mtime_ns: int


class RunTask(NamedTuple):
    """A run to build: all its files, and where to write."""

    dataset: str
    run_id: str
    run_path: str
    folders: list[str]
    is_flat: bool
    files: list[InputFile]
    incoming: Path


class RunResult(NamedTuple):
    """A run as built: its files written aside (none if no trace loaded) and its source rows."""

    dataset: str
    run_id: str
    written: dict[str, Path]
    sources: list[SourceRow]


class IngestReport(NamedTuple):
    """What an ingest did, for the user."""

    sources: dict[str, list[SourceRow]]  # the scanned data sets, as they are now
    n_read: int  # files read in this call
    n_runs_built: int
    n_vanished: int
    notes: list[str]

    @property
    def rejected(self) -> list[tuple[str, SourceRow]]:
        """(data set, row) of every rejected file below the scanned roots."""
        return [
            (dataset, row)
            for dataset, rows in self.sources.items()
            for row in rows
            if row.status == "rejected"
        ]


# Which roots


def _card(folder: Path) -> dict[str, Any]:
    """The root's dataset.json, or {}; raises RejectedInput (`bad_dataset_card`)."""
    path = folder / "dataset.json"
    if not path.is_file():
        return {}
    try:
        card = json_text.loads(json_text.checked_utf8(read.read_bytes(os.fspath(path))))
    except RejectedInput as error:
        raise RejectedInput(Reason.BAD_DATASET_CARD, error.message, error.at) from None
    if not isinstance(card, dict):
        raise RejectedInput(Reason.BAD_DATASET_CARD, "dataset.json is not a JSON object.")
    for key in ("dataset", "description", "source", "licence", "revision"):
        if not isinstance(card.get(key, ""), str):
            raise RejectedInput(
                Reason.BAD_DATASET_CARD, f"`{key}` of dataset.json is not text.", f"/{key}"
            )
    if not isinstance(card.get("is_synthetic", False), bool):
        raise RejectedInput(
            Reason.BAD_DATASET_CARD, "`is_synthetic` is not true or false.", "/is_synthetic"
        )
    return card


def _checked_name(name: str) -> str:
    if not name.strip() or name in ("_", "none") or "/" in name or not name.isprintable():
        raise UsageError(f"{name!r} cannot be the name of a data set.")
    return name


def root_of(folder: Path, dataset: str | None = None) -> Root:
    """A folder as a root. Raises UsageError where it is missing, no folder or not nameable."""
    folder = folder.expanduser().resolve()  # one folder is one root, however it was given
    try:
        os.fspath(folder).encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(
            f"{os.fspath(folder)!a} is not UTF-8, so the lake cannot keep it. Rename the folder."
        ) from None
    if not folder.exists():
        raise UsageError(f"{folder} does not exist.")
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. Give the folder that holds the traces.")
    if dataset:
        return Root(folder, _checked_name(dataset))
    with contextlib.suppress(RejectedInput):  # told as a rejected file when the root is scanned
        dataset = _card(folder).get("dataset")
    return Root(folder, _checked_name(dataset or folder.name))


def default_roots(home: Home, lake: Lake) -> tuple[list[Root], list[str]]:
    """The roots of a call without PATH, and notes for the user.

    Every folder in `raw/` and every root the lake knows; the bundled samples where that is nothing.
    """
    roots, notes = [], []
    known = {
        (row.root, dataset)
        for dataset, rows in lake.source_rows().items()
        for row in rows.values()
        if not _is_bundled(row.root)
    }
    for folder, dataset in sorted(known):
        if Path(folder).is_dir():
            roots.append(Root(Path(folder), dataset))
        else:
            notes.append(f"{folder} is not there now; what {dataset} holds of it stays as it is.")
    taken = {root.folder for root in roots}  # under a name that need not be the folder's own
    for folder in sorted(home.raw.iterdir()) if home.raw.is_dir() else ():
        is_filled = folder.is_dir() and not folder.name.startswith(".") and any(folder.iterdir())
        if is_filled and folder.resolve() not in taken:
            roots.append(root_of(folder))
    if not roots and not notes:
        roots = [root_of(folder) for folder in sorted(SAMPLE.iterdir()) if folder.is_dir()]
    return roots, notes


def _is_bundled(folder: str | os.PathLike) -> bool:
    return Path(folder).is_relative_to(SAMPLE)


# What changed


class _Plan(NamedTuple):
    kept: dict[str, list[SourceRow]]  # rows that hold as they are
    tasks: list[RunTask]
    gone_runs: list[tuple[str, str]]
    room_files: dict[str, list[InputFile]]  # data sets whose definitions are read again
    n_vanished: int


def _run_of(dataset: str, path: str) -> tuple[str, str, bool]:
    """(run_id, path of the run's folder, is it a flat folder) of a trace file."""
    folder = path.rpartition("/")[0]
    temperature = names.file_name(read.stem_of(path)).temperature_text
    parts = [dataset, folder, temperature]
    return "/".join(part for part in parts if part), folder, temperature is not None


def _is_same(file: read.SeenFile, row: SourceRow) -> bool:
    if row.sha256 is None:
        return False
    try:
        return read.sha256_of(read.read_bytes(file.location)) == row.sha256
    except RejectedInput:
        return False


def _plan(roots: list[Root], known: dict[str, dict[str, SourceRow]], lake: Lake) -> _Plan:
    kept: dict[str, list[SourceRow]] = {}
    tasks: list[RunTask] = []
    gone: list[tuple[str, str]] = []
    room_files: dict[str, list[InputFile]] = {}
    n_vanished = 0
    for dataset in sorted({root.dataset for root in roots}):
        before = known.get(dataset, {})
        mine = [root for root in roots if root.dataset == dataset]
        now = _scan_all(mine, before)
        scanned = {os.fspath(root.folder) for root in mine}
        for path, row in before.items():  # of roots that are not scanned now
            if path not in now and row.root not in scanned:
                location = os.path.join(row.root, path)
                now[path] = (InputFile(path, row.root, location, row.bytes, row.mtime_ns), row)
        vanished = [row for path, row in before.items() if path not in now]
        n_vanished += len(vanished)

        runs: dict[str, list[InputFile]] = {}
        changed = {row.run_id for row in vanished if row.kind == "trace"}
        rooms_changed = any(row.kind == "rooms" for row in vanished)
        rows: list[SourceRow] = []
        rooms: list[InputFile] = []
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
            elif row is None and kind != "dataset_card":
                row = SourceRow(
                    path, file.root, file.bytes, file.mtime_ns, None, kind, None, "ignored"
                )
            elif row is None:
                row = _card_row(file)
            if row is not None:
                rows.append(row)
        if rooms_changed:
            room_files[dataset] = rooms
        kept[dataset] = [
            row
            for row in rows
            if not (row.kind == "trace" and row.run_id in changed)
            and not (row.kind == "rooms" and rooms_changed)
        ]
        for run_id in sorted(changed):
            if run_id not in runs:
                gone.append((dataset, run_id))
                continue
            files = sorted(runs[run_id])
            _, run_path, is_flat = _run_of(dataset, files[0].path)
            folders = [Path(files[0].root).name, *(part for part in run_path.split("/") if part)]
            incoming = lake.folder / ".incoming" / f"{len(tasks):06d}"
            tasks.append(RunTask(dataset, run_id, run_path, folders, is_flat, files, incoming))
    return _Plan(kept, tasks, gone, room_files, n_vanished)


def _scan_all(
    roots: list[Root], before: dict[str, SourceRow]
) -> dict[str, tuple[InputFile, SourceRow | None]]:
    """Path -> (file, its row if it has not changed) of everything below the roots."""
    now: dict[str, tuple[InputFile, SourceRow | None]] = {}
    for root in roots:
        folder = os.fspath(root.folder)
        seen = read.scan(root.folder)
        if not any(read.kind_of(file.path) in ("trace", "rooms") for file in seen):
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
            located = InputFile(file.path, folder, file.location, file.bytes, file.mtime_ns)
            now[file.path] = (located, row)
    return now


def _is_taken(row: SourceRow, folder: str) -> bool:
    """True where another root, still there, gave the data set this path."""
    return row.root != folder and os.path.exists(os.path.join(row.root, row.path))


# Reading what changed


def _rejected(
    file: InputFile, kind: str, run_id: str | None, sha: str | None, error: RejectedInput
):
    return SourceRow(
        file.path,
        file.root,
        file.bytes,
        file.mtime_ns,
        sha,
        kind,
        run_id,
        "rejected",
        str(error.code),
        json_text.clean_text(error.message),
        error.at or None,
    )


def _card_row(file: InputFile) -> SourceRow:
    try:
        sha = read.sha256_of(read.read_bytes(file.location))
        _card(Path(file.root))
    except RejectedInput as error:
        return _rejected(file, "dataset_card", None, None, error)
    return SourceRow(
        file.path, file.root, file.bytes, file.mtime_ns, sha, "dataset_card", None, "loaded"
    )


def build_run(task: RunTask) -> RunResult:
    """Read every file of a run and write its rows aside. Runs in a worker process."""
    name = names.run_name(task.folders, is_flat=task.is_flat)
    writer = RunWriter(task.incoming, task.dataset, task.run_id)
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
            sources.append(_rejected(file, "trace", task.run_id, sha, error))
            continue
        stems[stem] = file.path
        n_traces += 1
        writer.add_trace(
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
            SourceRow(
                file.path,
                file.root,
                file.bytes,
                file.mtime_ns,
                sha,
                "trace",
                task.run_id,
                "loaded",
                n_rooms=1,
                n_puzzles=len(rows.puzzles),
                n_steps=len(rows.steps),
                unknown_keys_json=json.dumps(rows.set_aside) if rows.set_aside else None,
            )
        )
    if not n_traces:
        return RunResult(task.dataset, task.run_id, {}, sources)
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
    return RunResult(task.dataset, task.run_id, writer.close(run), sources)


def _read_room_files(files: list[InputFile]) -> tuple[list[tuple], list[tuple], list[SourceRow]]:
    """Rows of `room_definitions`, of `puzzle_definitions`, and the files' own rows."""
    definitions: list[tuple] = []
    puzzles: list[tuple] = []
    sources: list[SourceRow] = []
    for file in sorted(files):
        sha = None
        rooms: list[tuple[int, str, madbench.RoomRows]] = []
        try:
            data = read.read_bytes(file.location)
            sha = read.sha256_of(data)
            for number, line in enumerate(json_text.checked_utf8(data).splitlines(), 1):
                if line.strip():
                    rooms.append((number, *_parse_line(line, number)))
        except RejectedInput as error:
            sources.append(_rejected(file, "rooms", None, sha, error))
            continue
        set_aside: dict[str, int] = {}
        for number, text, room in rooms:
            definitions.append(
                (
                    file.path,
                    number,
                    room.room_id,
                    room.difficulty,
                    room.room_type,
                    room.clue_domain,
                    len(room.puzzles),
                    read.sha256_of(text.encode("utf-8")),
                    text,
                )
            )
            puzzles += [(file.path, number, *puzzle) for puzzle in room.puzzles]
            for pointer in room.aside:
                path = json_text.pretty_path(pointer)
                set_aside[path] = set_aside.get(path, 0) + 1
        sources.append(
            SourceRow(
                file.path,
                file.root,
                file.bytes,
                file.mtime_ns,
                sha,
                "rooms",
                None,
                "loaded",
                n_rooms=len(rooms),
                n_puzzles=sum(len(room.puzzles) for _, _, room in rooms),
                unknown_keys_json=json.dumps(set_aside) if set_aside else None,
            )
        )
    return definitions, puzzles, sources


def _parse_line(line: bytes, number: int) -> tuple[str, madbench.RoomRows]:
    try:
        room = madbench.parse_room(line)
    except RejectedInput as error:
        code = Reason.NOT_A_ROOM_FILE if error.code != Reason.TRUNCATED else error.code
        raise RejectedInput(
            code, f"Line {number} is not a room: {error.message}", f"line {number}"
        ) from None
    try:
        text = msgspec.json.format(line, indent=-1).decode("utf-8")
    except msgspec.DecodeError:  # NaN and the like
        text = json_text.dumps(json_text.loads(line))
    return text, room


# The whole


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    gc.disable()  # rows are plain tuples without cycles
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose parent was killed must not go on writing beside the next ingest."""
    multiprocessing.connection.wait([multiprocessing.parent_process().sentinel])
    os._exit(1)


def _results(tasks: list[RunTask], jobs: int) -> Iterator[RunResult]:
    size = sum(file.bytes for task in tasks for file in task.files)
    if jobs == 1 or len(tasks) == 1 or size < _POOL_BYTES:
        for task in tasks:
            yield build_run(task)
        return
    # Forked before this process has threads of its own: nothing is imported again.
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    pool = concurrent.futures.ProcessPoolExecutor(
        min(jobs, len(tasks)), multiprocessing.get_context(method), initializer=_start_worker
    )
    try:
        largest_first = sorted(tasks, key=lambda task: -sum(file.bytes for file in task.files))
        waiting = [pool.submit(build_run, task) for task in largest_first]
        for done in concurrent.futures.as_completed(waiting):
            yield done.result()
    except concurrent.futures.process.BrokenProcessPool:
        raise MadwError(
            "A worker process was ended from outside (out of memory?). Try again with fewer --jobs."
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def ingest(
    home: Home,
    paths: list[Path] | None = None,
    *,
    dataset: str | None = None,
    jobs: int = 1,
    is_strict: bool = False,
    on_start: Callable[[int, int], None] = lambda n_files, n_bytes: None,
    on_progress: Callable[[int, int], None] = lambda n_files, n_bytes: None,
) -> IngestReport:
    """Bring the lake up to date with the folders given (default: see `default_roots`).

    The caller holds the writer's lock. `on_start` is told how many files and bytes will be read,
    `on_progress` how many more have been. Raises UsageError for roots that cannot be scanned and,
    when `is_strict`, MadwError for the first rejected file, with nothing written.
    """
    create_home(home)
    lake = Lake(home.lake)
    if paths:
        roots, notes = [root_of(path, dataset) for path in dict.fromkeys(paths)], []
    elif dataset:
        raise UsageError("--dataset needs a PATH.")
    else:  # before `recover`, which may take out the last that tells of a root
        roots, notes = default_roots(home, lake)
    notes += [f"{run} was left half done by an earlier call." for run in lake.recover()]
    if n_outdated := lake.drop_outdated():
        notes.append(f"{n_outdated} data sets were of an older lake format and left it.")
    known = lake.source_rows()
    plan = _plan(roots, known, lake)
    tasks = plan.tasks
    on_start(sum(len(task.files) for task in tasks), sum(f.bytes for t in tasks for f in t.files))

    definitions = {name: _read_room_files(files) for name, files in plan.room_files.items()}
    sources = {name: list(rows) for name, rows in plan.kept.items()}
    for name, (_, _, rows) in definitions.items():
        sources[name] += rows
    changed: set[tuple[str, str | None]] = {(task.dataset, task.run_id) for task in tasks}
    changed |= set(plan.gone_runs) | {(name, None) for name in definitions}

    finished: list[RunResult] = []
    if is_strict:
        try:
            for result in _results(tasks, jobs):
                finished.append(result)
                sources[result.dataset] += result.sources
                on_progress(len(result.sources), sum(row.bytes for row in result.sources))
            _refuse_rejected(sources)
        except BaseException:
            shutil.rmtree(lake.folder / ".incoming", ignore_errors=True)
            with contextlib.suppress(OSError):  # a lake that was there before stays
                lake.folder.rmdir()
            raise

    lake.ensure_tables()
    lake.mark_pending(changed)
    for name in sources:
        lake.put_table("datasets", name, [_dataset_row(name, roots)])
    for name, (rooms, puzzles, _) in definitions.items():
        lake.put_table("room_definitions", name, rooms)
        lake.put_table("puzzle_definitions", name, puzzles)
    for name, run_id in plan.gone_runs:
        lake.drop_run(name, run_id)
    flushed = time.monotonic()
    for result in finished if is_strict else _results(tasks, jobs):
        if result.written:
            lake.put_run(result.dataset, result.run_id, result.written)
        else:
            lake.drop_run(result.dataset, result.run_id)
        changed.discard((result.dataset, result.run_id))
        if not is_strict:
            sources[result.dataset] += result.sources
            on_progress(len(result.sources), sum(row.bytes for row in result.sources))
        if time.monotonic() - flushed > _FLUSH_SECONDS:
            for name, rows in sources.items():
                lake.put_sources(name, rows)
            lake.mark_pending(changed)
            flushed = time.monotonic()
    for name, rows in sources.items():
        if {row.path: row for row in rows} != known.get(name):
            lake.put_sources(name, rows)
    shutil.rmtree(lake.folder / ".incoming", ignore_errors=True)
    lake.mark_pending([])
    notes += _drop_samples(lake, roots)
    n_read = sum(len(task.files) for task in tasks)
    n_built = len(tasks) + len(plan.gone_runs)
    return IngestReport(sources, n_read, n_built, plan.n_vanished, notes)


def _refuse_rejected(sources: dict[str, list[SourceRow]]) -> None:
    bad = [
        (name, row) for name, rows in sources.items() for row in rows if row.status == "rejected"
    ]
    if bad:
        name, row = bad[0]
        raise MadwError(
            f"--strict: {len(bad)} of the files cannot be used, so nothing was written. "
            f"The first: {name}/{row.path}: {row.error_code}: {row.error}"
        )


def _dataset_row(dataset: str, roots: list[Root]) -> tuple:
    mine = [root for root in roots if root.dataset == dataset]
    card: dict[str, Any] = {}
    for root in mine:
        with contextlib.suppress(RejectedInput):  # its row in source_files tells
            card = _card(root.folder) or card
    return tuple(
        DatasetRow(
            card.get("is_synthetic"),
            card.get("description"),
            card.get("source"),
            card.get("licence"),
            card.get("revision"),
            all(_is_bundled(root.folder) for root in mine),
        )
    )


def _drop_samples(lake: Lake, roots: list[Root]) -> list[str]:
    """A home that holds real data does not keep the bundled samples."""
    loaded = lake.datasets()
    if all(row.is_bundled for row in loaded.values()):
        return []
    asked_for = {root.dataset for root in roots}
    samples = [name for name, row in loaded.items() if row.is_bundled and name not in asked_for]
    for name in samples:
        lake.drop_dataset(name)
    return [f"The bundled {name} left the lake, which now holds other data." for name in samples]


def forget(home: Home, dataset: str) -> None:
    """Take a data set out of the lake. Raises UsageError where there is none of that name."""
    lake = Lake(home.lake)
    lake.recover()
    loaded = sorted({*lake.datasets(), *lake.source_rows()})
    if dataset not in loaded:
        there = ", ".join(loaded) or "none"
        raise UsageError(f"There is no data set {dataset!r} in the lake. There: {there}.")
    lake.drop_dataset(dataset)
