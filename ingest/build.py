"""Running dbt over the lake, in this process, for `madw build`."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from ingest.errors import MadwError
from ingest.home import PROJECT, Home


@contextlib.contextmanager
def _environment(home: Home) -> Iterator[None]:
    """What dbt and its plugin read from the environment, put back afterwards."""
    ours = {
        "MADW_HOME": str(home.root),
        "DBT_TARGET_PATH": str(home.build / "target"),
        "DBT_LOG_PATH": str(home.build / "logs"),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _interrupt() -> Iterator[Callable[[], bool]]:
    """A function that tells whether Ctrl-C was pressed in this block.

    dbt's threads may end in any error then, and say so at length: they are silenced.
    """
    pressed = False

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        logging.disable()
        threading.excepthook = lambda _: None
        signal.default_int_handler(number, frame)

    if threading.current_thread() is not threading.main_thread():  # the others get no signal
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)
        logging.disable(logging.NOTSET)
        threading.excepthook = threading.__excepthook__


def run_dbt(
    home: Home,
    *,
    on_start: Callable[[int], None] = lambda n_nodes: None,
    on_progress: Callable[[int], None] = lambda n_nodes: None,
) -> None:
    """Build, test and publish everything. The caller holds the writer's lock.

    `on_start` is told how many nodes there are, `on_progress` how many more have been begun. Raises
    MadwError where a model or a test fails; dbt has then printed which, and the published file is
    the old one.
    """
    if not (PROJECT / "dbt_project.yml").is_file():
        raise MadwError(f"{PROJECT} holds no dbt project: madw runs from its checkout.")
    # A working database that a kill left half written must not decide the next build.
    for leftover in home.build.glob(f"{home.work_database.name}*"):
        leftover.unlink()
    with _environment(home):
        from dbt.cli.main import dbtRunner

        n_begun = 0

        def follow(event: Any) -> None:
            nonlocal n_begun
            if event.info.name != "LogStartLine":
                return
            if n_begun == 0:
                on_start(event.data.total)
            if event.data.index > n_begun:  # threads may tell them out of order
                on_progress(event.data.index - n_begun)
                n_begun = event.data.index

        published = home.published_identity()
        logging.raiseExceptions = False  # a log that a full disk cuts short is no news
        with _interrupt() as was_interrupted:
            result = dbtRunner(callbacks=[follow]).invoke(
                [
                    "--quiet",
                    "build",
                    "--project-dir",
                    str(PROJECT),
                    "--profiles-dir",
                    str(PROJECT),
                    "--exclude-resource-type",  # they test SQL, not data: `make test` runs them
                    "unit_test",
                ]
            )
    if was_interrupted():
        raise KeyboardInterrupt
    if result.exception is not None:
        is_old = home.published_identity() == published
        became = "was left as it was" if is_old else "is the new one already"
        why = " ".join(str(result.exception).split())
        raise MadwError(f"dbt could not run: {why}. {home.published} {became}.")
    if not result.success:
        bad = [row for row in result.result.results if str(row.status) in ("error", "fail")]
        names = ", ".join(row.node.name for row in bad[:5])
        raise MadwError(
            f"{len(bad)} of dbt's nodes failed ({names}). {home.published} was left as it was. "
            f"The log: {home.build / 'logs' / 'dbt.log'}"
        )
