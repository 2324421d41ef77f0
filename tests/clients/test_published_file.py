"""The published file in the programs people open it with, also while a build replaces it."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from builders import RUN, trace, write_run
from programs import (
    NODE_CLIENTS,
    PYTHON_CLIENTS,
    UTC_OFFSET,
    Client,
    Reader,
    differences,
    engine_facts,
    read_once,
)
from readers.facts import digest

BI_TYPES = {"VARCHAR", "BOOLEAN", "INTEGER", "BIGINT", "DOUBLE", "DECIMAL", "DATE", "TIMESTAMP"}
ODD_MODEL = """O'Neil "quoted" <script>alert(1) é 模型 🦆"""
ODD_FOLDER = "any path [1] é 'x'"
EVERY_CLIENT = [
    *(pytest.param(client, id=str(client)) for client in PYTHON_CLIENTS),
    *(pytest.param(client, id=str(client), marks=pytest.mark.clients) for client in NODE_CLIENTS),
]


# One client, one file


class Reading(NamedTuple):
    """What a client told of a file that lay alone in a folder, and what it left there."""

    client: Client
    greeting: dict[str, str]
    facts: dict[str, Any]
    expected: dict[str, Any]
    made_files: list[str]
    is_folder_unchanged: bool


def _content(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.iterdir()
    }


@pytest.fixture(scope="module")
def lone_file(sample_warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the published sample, alone in a folder with an odd name."""
    folder = tmp_path_factory.mktemp("published") / ODD_FOLDER
    folder.mkdir()
    return Path(shutil.copy(sample_warehouse / "mad.duckdb", folder))


@pytest.fixture(scope="module")
def sample_facts(sample_warehouse: Path) -> dict[str, Any]:
    """What the engine says of the published sample."""
    return engine_facts(sample_warehouse / "mad.duckdb")


@pytest.fixture(scope="module", params=EVERY_CLIENT)
def reading(request: pytest.FixtureRequest, lone_file: Path, sample_facts) -> Reading:
    """The sample, read by each client."""
    before = _content(lone_file.parent)
    with Reader(request.param, lone_file) as reader:
        facts = reader.read()
    return Reading(
        request.param,
        reader.greeting,
        facts,
        sample_facts,
        reader.made_files,
        _content(lone_file.parent) == before,
    )


def test_the_client_is_of_its_version_and_in_the_odd_time_zone(reading):
    assert reading.greeting["version"].startswith(f"{reading.client.version}.")
    assert reading.greeting["utc_offset"] == UTC_OFFSET


def test_every_value_of_every_table_reaches_the_client(reading):
    assert differences(reading.expected, reading.facts) == []


def test_the_client_sees_a_description_of_every_table_and_column(reading):
    bare = [
        (table, name)
        for table, facts in reading.facts.items()
        for name, described in [("", facts), *facts["columns"].items()]
        if not described["comment"]
    ]
    assert reading.facts
    assert bare == []


def test_the_client_sees_only_types_that_a_bi_driver_knows(reading):
    types = {
        column["type"].split("(")[0]
        for table in reading.facts.values()
        for column in table["columns"].values()
    }
    assert types <= BI_TYPES
    assert "TIMESTAMP" in types  # or no shifted time could show


def test_reading_changes_nothing_and_leaves_nothing(reading):
    assert reading.is_folder_unchanged
    assert reading.made_files == []


# All clients, while a build replaces the file


class Replacement(NamedTuple):
    """What clients told while a real build replaced the file they read."""

    before: dict[str, Any]
    after: dict[str, Any]
    is_new_file: bool
    during: dict[Client, list[dict[str, Any]]]  # in the order of reading, the last after the build
    held: dict[Client, dict[str, Any]]  # read after the swap, through a file opened before it
    files: tuple[list[str], list[str]]  # of the home, before and after


def _build_odd_model(home: Path, corpus: Path) -> subprocess.Popen:
    llm = {"provider": "openai", "model": ODD_MODEL, "temperature": 0.0}
    write_run(corpus / RUN, [trace(config={"llm": llm})])
    command = [Path(sys.executable).with_name("madw"), "build", corpus, "--home", home]
    with corpus.with_name("build.log").open("w") as log:
        return subprocess.Popen(command, stdout=log, stderr=log)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(PYTHON_CLIENTS, id="python"),
        pytest.param(NODE_CLIENTS, id="node", marks=pytest.mark.clients),
    ],
)
def replacement(
    request: pytest.FixtureRequest,
    sample_warehouse: Path,
    sample_facts: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Replacement:
    """The sample, replaced by one trace of a model with an odd name while all clients read."""
    folder = tmp_path_factory.mktemp("replaced")
    home = shutil.copytree(sample_warehouse, folder / "home")
    file = home / "mad.duckdb"
    names, inode = sorted(path.name for path in home.iterdir()), file.stat().st_ino
    corpus = folder / "corpus"
    during = {client: [] for client in request.param}
    with contextlib.ExitStack() as held_open:
        holders = [held_open.enter_context(Reader(client, file)) for client in request.param]
        with _build_odd_model(home, corpus) as build:
            while build.poll() is None:
                for client, told in during.items():
                    told.append(read_once(client, file))
        assert build.returncode == 0, (folder / "build.log").read_text("utf-8")
        held = {holder.client: holder.read() for holder in holders}
    for client, told in during.items():
        told.append(read_once(client, file))
    return Replacement(
        sample_facts,
        engine_facts(file),
        file.stat().st_ino != inode,
        during,
        held,
        (names, sorted(path.name for path in home.iterdir())),
    )


def test_the_file_was_replaced_by_another_content(replacement):
    assert replacement.is_new_file
    assert replacement.before["rooms"]["n_rows"] > replacement.after["rooms"]["n_rows"] == 1


def test_every_reading_during_the_build_is_of_the_old_file_or_of_the_new_one(replacement):
    for client, told in replacement.during.items():
        is_old = [facts == replacement.before for facts in told]
        assert not is_old[-1], f"{client} did not read the new file"
        n_old = is_old.index(False)
        assert n_old > 0, f"{client} did not read before the swap"
        for facts in told[n_old:]:
            assert differences(replacement.after, facts) == [], client.name


def test_a_client_that_holds_the_old_file_open_still_reads_all_of_it(replacement):
    for client, facts in replacement.held.items():
        assert differences(replacement.before, facts) == [], client.name


def test_readers_and_build_leave_no_file_beside_the_published_one(replacement):
    before, after = replacement.files
    assert after == before


def test_an_odd_model_name_reaches_every_client_unchanged(replacement):
    for client, told in replacement.during.items():
        model = told[-1]["runs"]["columns"]["model"]
        assert model["n_values"] == 1, client.name
        assert model["sha256"] == digest([ODD_MODEL]), client.name
