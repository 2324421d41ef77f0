"""What a process costs, and the table that says so: shared by the benchmarks."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rich import box
from rich.table import Table

HERE = Path(__file__).parent
REPEATS = 3


class Cost(NamedTuple):
    """What one process cost: wall seconds and peak memory in MB."""

    seconds: float
    peak_mb: float


def run(command: list[str], environment: dict[str, str] | None = None) -> Cost:
    """Run a command to its end; raises CalledProcessError where it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=HERE.parent,
        env={**os.environ, **(environment or {})},
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(seconds, usage.ru_maxrss / 1024)


def median_of(costs: list[Cost]) -> Cost:
    """The median of several measurements, figure by figure."""
    return Cost(
        statistics.median(cost.seconds for cost in costs),
        statistics.median(cost.peak_mb for cost in costs),
    )


def median(measure: Callable[[], Cost]) -> Cost:
    """The median of three measurements, figure by figure."""
    return median_of([measure() for _ in range(REPEATS)])


def new_table(title: str) -> Table:
    """An empty table of costs."""
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for name in ("what", "seconds", "MB/s", "peak MB", "beside", "target"):
        table.add_column(name, justify="left" if name in ("what", "beside", "target") else "right")
    return table


def add_row(
    table: Table, what: str, cost: Cost, beside: str = "", target: str = "", *, read_mb: float = 0
) -> None:
    """Add what one measurement gave."""
    speed = f"{read_mb / cost.seconds:,.0f}" if read_mb else ""
    table.add_row(what, f"{cost.seconds:.2f}", speed, f"{cost.peak_mb:,.0f}", beside, target)
