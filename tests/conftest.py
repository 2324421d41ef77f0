"""Fixtures of every test; `builders.py` beside this file holds what tests call themselves."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from builders import GOLDEN
from builds import madw
from filelock import FileLock

from ingest.home import PROJECT

Connect = Callable[[Path], duckdb.DuckDBPyConnection]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where a test's own warehouse is made; never the project's."""
    return tmp_path / "home"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """A folder for a test's input; its name is its data set's."""
    folder = tmp_path / "raw"
    folder.mkdir()
    return folder


def build(home: Path, *arguments: str) -> Path:
    """Run `madw build` as a user does, into `home`; fail with what it printed."""
    done = madw(home, "build", *arguments, "--jobs", "2", cwd=PROJECT)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(done.args)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return home


def build_once(name: str, factory: pytest.TempPathFactory, *arguments: str) -> Path:
    """The home of this name; of the workers that want it, the first builds it for all."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # a worker's own folder lies in that of the session
    folder /= name
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "built").exists():
            build(folder / "home", *arguments)
            (folder / "built").touch()
    return folder / "home"


@pytest.fixture(scope="session")
def sample_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a warehouse of the bundled data sets; read it, do not change it."""
    return build_once("sample", tmp_path_factory)


@pytest.fixture(scope="session")
def golden_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a warehouse of `tests/golden/traces`, the data set `golden`; likewise."""
    return build_once("golden", tmp_path_factory, str(GOLDEN / "traces"))


@pytest.fixture(scope="session")
def open_published() -> Iterator[Connect]:
    """Opens the published file of a home, read-only; closed when the tests are done."""
    with contextlib.ExitStack() as opened:

        def connect(home: Path) -> duckdb.DuckDBPyConnection:
            connection = duckdb.connect(str(home / "mad.duckdb"), read_only=True)
            opened.callback(connection.close)
            return connection

        yield connect


@pytest.fixture(scope="session")
def sample(sample_warehouse: Path, open_published: Connect) -> duckdb.DuckDBPyConnection:
    """The published file of the bundled data sets."""
    return open_published(sample_warehouse)


@pytest.fixture(scope="session")
def golden(golden_warehouse: Path, open_published: Connect) -> duckdb.DuckDBPyConnection:
    """The published file of the golden traces."""
    return open_published(golden_warehouse)
