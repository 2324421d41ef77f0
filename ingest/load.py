"""`madw ingest`: find what changed below the roots, read it again, and put it into the lake.

The way of one trace: `read.scan` sees its file, `plan.make_plan` finds it new or changed and with
it its run, `flatten.build_run` (in a worker process) reads every file of that run and writes the
run's Parquet files aside, `ingest` renames them into place and, last, writes `source_files`.
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
from ingest.flatten import RunResult, build_definitions, build_run
from ingest.home import Home, create_home
from ingest.lake import Lake, SourceRow
from ingest.plan import RunTask, make_plan
from ingest.roots import Root, dataset_row, default_roots, root_of

_FLUSH_SECONDS = 5.0  # how much finished work a kill may cost
_POOL_BYTES = 16 << 20  # below this, starting worker processes costs more than it saves


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
    else:  # before `recover`, which may take out the last that tells of a root
        roots, notes = default_roots(home, lake)
    notes += [f"{run} was left half done by an earlier call." for run in lake.recover()]
    if n_outdated := lake.drop_outdated():
        notes.append(f"{n_outdated} data sets were of an older lake format and left it.")
    known = lake.source_rows()
    skip = frozenset({os.path.realpath(home.lake), os.path.realpath(home.build)})
    plan = make_plan(roots, known, lake.incoming, skip)
    n_read = sum(len(task.files) for task in plan.tasks)
    on_start(n_read)

    definitions = {name: build_definitions(files) for name, files in plan.room_files.items()}
    sources = {name: list(rows) for name, rows in plan.kept.items()}
    for name, read_again in definitions.items():
        sources[name] += read_again.sources
    results = _followed(_results(plan.tasks, jobs), sources, on_progress)
    if is_strict:
        results = _unless_rejected(lake, results, sources)

    changed: set[tuple[str, str | None]] = {(task.dataset, task.run_id) for task in plan.tasks}
    changed |= set(plan.gone_runs) | {(name, None) for name in definitions}
    lake.ensure_tables()
    lake.mark_pending(changed)
    known_datasets = lake.datasets()
    for name in sources:
        row = dataset_row([r for r in roots if r.dataset == name], known_datasets.get(name))
        if row != known_datasets.get(name):
            lake.put_table("datasets", name, [tuple(row)])
    for name, read_again in definitions.items():
        lake.put_table("room_definitions", name, read_again.rooms)
        lake.put_table("puzzle_definitions", name, read_again.puzzles)
    for name, run_id in plan.gone_runs:
        lake.drop_run(name, run_id)
    flushed = time.monotonic()
    for result in results:
        if result.written:
            lake.put_run(result.dataset, result.run_id, result.written)
        else:
            lake.drop_run(result.dataset, result.run_id)
        changed.discard((result.dataset, result.run_id))
        if time.monotonic() - flushed > _FLUSH_SECONDS:
            for name, rows in sources.items():
                lake.put_sources(name, rows)
            lake.mark_pending(changed)
            flushed = time.monotonic()
    for name, rows in sources.items():
        if {row.path: row for row in rows} != known.get(name):
            lake.put_sources(name, rows)
    shutil.rmtree(lake.incoming, ignore_errors=True)
    lake.mark_pending([])
    notes += _drop_samples(lake, roots)
    n_built = len(plan.tasks) + len(plan.gone_runs)
    return IngestReport(sources, n_read, n_built, plan.n_vanished, notes)


def _followed(
    results: Iterator[RunResult],
    sources: dict[str, list[SourceRow]],
    on_progress: Callable[[int], None],
) -> Iterator[RunResult]:
    """The results as they come, each added to `sources` and told to `on_progress`."""
    for result in results:
        sources[result.dataset] += result.sources
        on_progress(len(result.sources))
        yield result


def _unless_rejected(
    lake: Lake, results: Iterable[RunResult], sources: dict[str, list[SourceRow]]
) -> list[RunResult]:
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


def forget(home: Home, dataset: str) -> None:
    """Take a data set out of the lake. Raises UsageError where there is none of that name."""
    lake = Lake(home.lake)
    lake.recover()
    loaded = sorted({*lake.datasets(), *lake.source_rows()})
    if dataset not in loaded:
        there = ", ".join(loaded) or "none"
        raise UsageError(f"There is no data set {dataset!r} in the lake. There: {there}.")
    lake.drop_dataset(dataset)
