"""`madw ingest`: find what changed below the roots, read it again, and put it into the lake.

The way of one trace: `read.scan` sees its file, `plan.make_plan` finds it new or changed and with
it its run, `flatten.build` (in a worker process) reads every file of that run and writes the
run's Parquet files aside, `ingest` renames them into place and, last, writes `source_files`. Files
that no run owns (room files, MAD, the MAST repository) go the same way, those of a data set as one.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import gc
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ingest.errors import MadwError, UsageError
from ingest.fetch import strangers_in
from ingest.flatten import Result, build
from ingest.home import Home, create_home
from ingest.lake import Lake, SourceRow
from ingest.plan import RunTask, Task, make_plan
from ingest.read import INPUT_KINDS
from ingest.roots import Root, dataset_row, default_roots, root_of

_FLUSH_SECONDS = 5.0  # how much finished work a kill may cost
_POOL_BYTES = 16 << 20  # below this, starting worker processes costs more than it saves


class IngestReport(NamedTuple):
    """What an ingest did, for the user."""

    sources: dict[str, list[SourceRow]]  # the scanned data sets, as they are now
    n_read: int  # trace files read in this call
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


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's to handle
    gc.disable()  # rows are plain tuples without cycles
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose parent was killed must not go on writing beside the next ingest."""
    multiprocessing.connection.wait([multiprocessing.parent_process().sentinel])
    os._exit(1)


def _results(tasks: list[Task], jobs: int) -> Iterator[Result]:
    size = sum(file.bytes for task in tasks for file in task.files)
    if jobs == 1 or len(tasks) == 1 or size < _POOL_BYTES:
        for task in tasks:
            yield build(task)
        return
    # Forked before this process has threads of its own: nothing is imported again.
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    pool = concurrent.futures.ProcessPoolExecutor(
        min(jobs, len(tasks)), multiprocessing.get_context(method), initializer=_start_worker
    )
    try:
        largest_first = sorted(tasks, key=lambda task: -sum(file.bytes for file in task.files))
        waiting = [pool.submit(build, task) for task in largest_first]
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
    on_start: Callable[[int], None] = lambda n_files: None,
    on_progress: Callable[[int], None] = lambda n_files: None,
) -> IngestReport:
    """Bring the lake up to date with the folders given (default: see `default_roots`).

    The caller holds the writer's lock. `on_start` is told how many trace files will be read,
    `on_progress` how many more have been. Raises UsageError for roots that cannot be scanned and,
    when `is_strict`, MadwError for rejected files, with nothing written.
    """
    create_home(home)
    lake = Lake(home.lake)
    if paths:
        roots, notes = list(dict.fromkeys(root_of(path, dataset) for path in paths)), []
    elif dataset:
        raise UsageError("--dataset needs a PATH.")
    else:
        roots, notes = default_roots(home, lake)
    if n_left := lake.recover():
        notes.append(f"{n_left:,} runs were left half done by an earlier call.")
    if n_outdated := lake.drop_outdated():
        notes.append(f"{n_outdated} data sets were of an older lake format and are read again.")
    known = lake.source_rows()
    skip = {os.path.realpath(home.lake), os.path.realpath(home.build)}
    for root in roots:
        if strangers := strangers_in(root.folder):
            skip |= {os.fspath(root.folder / path) for path in strangers}
            notes.append(
                f"{len(strangers):,} files in {root.folder} did not come with the set fetched "
                f"there, so they are not read: {', '.join(strangers[:3])}"
            )
    plan = make_plan(roots, known, lake, frozenset(skip))
    run_tasks = [task for task in plan.tasks if isinstance(task, RunTask)]
    n_read = sum(len(task.files) for task in run_tasks)
    on_start(n_read)

    sources = {name: list(rows) for name, rows in plan.kept.items()}
    results = _followed(_results(plan.tasks, jobs), sources, on_progress)
    if is_strict:
        results = _unless_rejected(lake, results, sources)

    changed: set[tuple[str, str | None]] = {(task.dataset, task.run_id) for task in plan.tasks}
    changed |= set(plan.gone)
    lake.ensure_tables()
    lake.put_roots(lake.roots() | {(os.fspath(root.folder), root.dataset) for root in roots})
    lake.mark_pending(changed)
    known_datasets = lake.datasets()
    for name in sources:
        row = dataset_row([r for r in roots if r.dataset == name], known_datasets.get(name))
        if row != known_datasets.get(name):
            lake.put_table("datasets", name, [tuple(row)])
    for name, run_id in plan.gone:
        lake.drop_run(name, run_id)
    changed -= set(plan.gone)
    flushed = time.monotonic()
    try:
        for result in results:
            if result.written:
                lake.put_run(result.dataset, result.run_id, result.written)
            else:
                lake.drop_run(result.dataset, result.run_id)
            changed.discard((result.dataset, result.run_id))
            if time.monotonic() - flushed > _FLUSH_SECONDS:
                _flush(lake, sources, known, changed)
                flushed = time.monotonic()
    finally:  # an interrupt too keeps what is finished
        _flush(lake, sources, known, changed)
    shutil.rmtree(lake.incoming, ignore_errors=True)
    notes += _drop_samples(lake, roots)
    n_built = len(run_tasks) + sum(run_id is not None for _, run_id in plan.gone)
    return IngestReport(sources, n_read, n_built, plan.n_vanished, notes)


def _flush(
    lake: Lake,
    sources: dict[str, list[SourceRow]],
    known: dict[str, dict[str, SourceRow]],
    changed: set[tuple[str, str | None]],
) -> None:
    """Write what is finished: the `source_files` that differ from `known`, and what is left."""
    for name, rows in sources.items():
        finished = [row for row in rows if (name, _owner(row)) not in changed]
        if {row.path: row for row in finished} != known.get(name):
            lake.put_sources(name, finished)
    lake.mark_pending(changed)


def _owner(row: SourceRow) -> str | None:
    """The run a row's file belongs to; no run at all owns an ignored file or a card."""
    return row.run_id if row.kind in INPUT_KINDS else ""


def _followed(
    results: Iterator[Result],
    sources: dict[str, list[SourceRow]],
    on_progress: Callable[[int], None],
) -> Iterator[Result]:
    """The results as they come, each added to `sources` and told to `on_progress`."""
    for result in results:
        sources[result.dataset] += result.sources
        if result.run_id is not None:
            on_progress(len(result.sources))
        yield result


def _unless_rejected(
    lake: Lake, results: Iterable[Result], sources: dict[str, list[SourceRow]]
) -> list[Result]:
    """All results, once they are there; raises MadwError, with nothing written, if one rejects."""
    try:
        finished = list(results)
        bad = [(n, row) for n, rows in sources.items() for row in rows if row.status == "rejected"]
        if bad:
            name, row = bad[0]
            raise MadwError(
                f"--strict: {len(bad)} of the files cannot be used, so nothing was written. "
                f"The first: {name}/{row.path}: {row.error_code}: {row.error}"
            )
    except BaseException:
        shutil.rmtree(lake.incoming, ignore_errors=True)
        with contextlib.suppress(OSError):  # a lake that was there before stays
            lake.folder.rmdir()
        raise
    return finished


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


def forget(home: Home, dataset: str) -> list[str]:
    """Take a data set out of the lake; return its folders in raw/, which the next call would read.

    Raises UsageError where there is none of that name.
    """
    lake = Lake(home.lake)
    lake.recover()
    loaded = sorted({*lake.datasets(), *lake.source_rows()})
    if dataset not in loaded:
        there = ", ".join(loaded) or "none"
        raise UsageError(f"There is no data set {dataset!r} in the lake. There: {there}.")
    in_raw = [
        folder
        for folder, name in lake.roots()
        if name == dataset and folder.startswith(os.path.join(home.raw.resolve(), ""))
    ]
    lake.drop_dataset(dataset)
    return in_raw
