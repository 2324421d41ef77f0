"""The client programs under test, and what the engine itself says of a file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

READERS = Path(__file__).parent / "readers"
CLIENTS = Path(sys.prefix) / "clients"  # an environment a client, made by the Makefile
SHELL = Path(sys.executable).with_name("duckdb")
TIME_ZONE, UTC_OFFSET = "Asia/Kathmandu", "+0545"  # a zone that no mistake ends up in by chance

# how the engine writes a value as the readers do
TEXTS = {
    "DOUBLE": "format('{{:.16e}}', {0})",
    "DATE": "strftime({0}, '%Y-%m-%d')",
    "TIMESTAMP": "strftime({0}, '%Y-%m-%dT%H:%M:%S.%f')",
}


class Client(NamedTuple):
    """A program that reads the file: its version, its call, and what `make` installs for it."""

    name: str
    version: str
    command: tuple[str | Path, ...]
    needs: Path
    target: str = "setup"

    def __str__(self) -> str:
        return self.name


def _in_python(package: str, version: str, reader: str) -> Client:
    environment = CLIENTS / f"{package}-{version}"
    command = (environment / "bin" / "python", READERS / reader)
    return Client(environment.name, version, command, environment / ".installed")


PYTHON_CLIENTS = (
    Client("duckdb-shell", "1.5", (sys.executable, READERS / "duckdb_shell.py", SHELL), SHELL),
    _in_python("duckdb", "1.2", "duckdb_python.py"),
    _in_python("duckdb", "1.3", "duckdb_python.py"),
    _in_python("duckdb", "1.4", "duckdb_python.py"),
    _in_python("sqlalchemy", "1.4", "sqlalchemy_reflection.py"),
    _in_python("sqlalchemy", "2.0", "sqlalchemy_reflection.py"),
)
NODE_CLIENTS = (
    Client(
        "node",
        "1.4",
        ("node", READERS / "node.cjs"),
        CLIENTS / "node" / ".installed",
        "test-clients",
    ),
)


class Reader:
    """A running client that holds a file open, in an empty folder of its own."""

    def __init__(self, client: Client, file: Path) -> None:
        """Start the client and wait until it has opened the file."""
        if not (client.needs.exists() and shutil.which(client.command[0])):
            pytest.fail(f"The client {client} is not installed: run `make {client.target}` first.")
        self.client = client
        self._folder = tempfile.TemporaryDirectory()
        self._home = Path(self._folder.name) / "home"
        self._home.mkdir()
        self._errors = self._home.with_name("errors.txt")
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                [*client.command, file],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
                cwd=self._home,
                env={
                    **os.environ,
                    "HOME": str(self._home),
                    "TZ": TIME_ZONE,
                    "NODE_PATH": str(CLIENTS / "node" / "node_modules"),
                },
            )
        self.greeting = self._answer()

    def read(self) -> dict[str, Any]:
        """Everything in the file, as the client tells it."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._answer()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        """End the client; it must end well, unless something failed already."""
        if failure:
            self._process.kill()
            self._process.wait()
            return
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()
        if self._process.returncode != 0:
            self._fail()
        self.made_files = os.listdir(self._home)
        self._folder.cleanup()

    def _answer(self) -> dict[str, Any]:
        return json.loads(self._process.stdout.readline() or self._fail())

    def _fail(self) -> str:
        self._process.kill()
        self._process.wait()
        errors = self._errors.read_text("utf-8")
        pytest.fail(f"{self.client} ended with {self._process.returncode}:\n{errors}")


def read_once(client: Client, file: Path) -> dict[str, Any]:
    """Everything in the file, read by a client started for it."""
    with Reader(client, file) as reader:
        return reader.read()


def engine_facts(file: Path) -> dict[str, Any]:
    """What the engine that wrote the file says of it, counted and hashed in SQL, not in Python."""
    with duckdb.connect(str(file), read_only=True) as connection:
        tables = connection.execute(
            "select table_name, comment from duckdb_tables() where not internal"
        ).fetchall()
        return {
            table: {"comment": comment, **_table_facts(connection, table)}
            for table, comment in tables
        }


def _table_facts(connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, Any]:
    columns = connection.execute(
        "select column_name, data_type, comment from duckdb_columns() where table_name = ? "
        "and not internal order by column_index",
        [table],
    ).fetchall()
    measures = ", ".join(_measures(name, kind) for name, kind, _ in columns)
    query = f'select count(*), {measures} from "{table}"'
    n_rows, *measured = connection.execute(query).fetchone()
    facts = {}
    for index, (name, kind, comment) in enumerate(columns):
        n_values, sha256, low, high = measured[4 * index : 4 * index + 4]
        facts[name] = {"type": kind, "comment": comment, "n_values": n_values, "sha256": sha256}
        if n_values and kind in ("DATE", "TIMESTAMP"):
            facts[name] |= {"min": low, "max": high}
    return {"n_rows": n_rows, "columns": facts}


def _measures(name: str, kind: str) -> str:
    """SQL of the four measures of a column: values, digest, lowest, highest."""
    column = f'"{name}"'
    text = TEXTS.get(kind, "cast({0} as varchar)")
    value = text.format(column)
    return (
        f"count({column}), "
        f"sha256(coalesce(string_agg(coalesce(strlen({value}) || ':' || {value}, '-'), '' "
        f"order by rowid), '')), "
        f"{text.format(f'min({column})')}, {text.format(f'max({column})')}"
    )


def differences(expected: dict[str, Any], told: dict[str, Any], place: str = "") -> list[str]:
    """Where two facts differ, a line a place: a diff of the whole would fill the screen."""
    lines = []
    for key in sorted(expected.keys() | told.keys()):
        here, there = expected.get(key), told.get(key)
        if isinstance(here, dict) and isinstance(there, dict):
            lines += differences(here, there, f"{place}{key}.")
        elif key not in expected or key not in told or here != there:
            lines.append(f"{place}{key}: {here!r} expected, {there!r} told")
    return lines
