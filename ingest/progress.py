"""How far long work has come: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from ingest.terminal import is_terminal


@contextmanager
def progress(task: str, unit: str) -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """(start, advance) of a bar on a terminal, and of a line a tenth of the way elsewhere."""
    if not is_terminal(sys.stderr):
        total = done = told = 0

        def start(n: int) -> None:
            nonlocal total
            total = n

        def advance(n: int) -> None:
            nonlocal done, told
            done += n
            if total and done * 10 // total > told:
                told = done * 10 // total
                click.echo(f"{task}: {done:,} of {total:,} {unit}", err=True)

        yield start, advance
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(task),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task_id = None

    def start_bar(n: int) -> None:
        nonlocal task_id
        if n and task_id is None:
            bar.start()
            task_id = bar.add_task(task, total=n)

    def advance_bar(n: int) -> None:
        if task_id is not None:
            bar.advance(task_id, n)

    try:
        yield start_bar, advance_bar
    finally:
        bar.stop()
