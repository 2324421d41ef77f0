"""The programs as people run them, in a process of their own, and what a build published."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb

from ingest.home import PROJECT

BIN = Path(sys.executable).parent


def environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "MADW_HOME": str(home),
        "DBT_TARGET_PATH": str(home / "build" / "target"),
        "DBT_LOG_PATH": str(home / "build" / "logs"),
    }


def madw(home: Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess:
    command = [str(BIN / "madw"), *arguments, "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def dbt(home: Path, *arguments: str, cwd: Path = PROJECT) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(BIN / "dbt"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=environment(home),
    )


def make(
    target: str, home: Path, typed: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Make a target on a home, with the programs of the environment that the tests run in."""
    set_up = ["--old-file=.venv/.installed", f"BIN={BIN}"]
    return subprocess.run(
        ["make", "--silent", *set_up, target],
        cwd=PROJECT,
        env={**os.environ, "MADW_HOME": str(home), **environment},
        input=typed,
        capture_output=True,
        text=True,
        check=False,
    )


def content(file: Path) -> dict[str, list[tuple]]:
    """Every row of every table, sorted; without the time of the build."""
    with duckdb.connect(str(file), read_only=True) as connection:
        names = [name for (name,) in connection.execute("show tables").fetchall()]
        tables = {
            name: connection.execute(f"from {name} order by all").fetchall() for name in names
        }
    tables["about"] = [row for row in tables["about"] if row[0] != "built_at"]
    return tables
