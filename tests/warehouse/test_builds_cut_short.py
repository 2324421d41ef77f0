"""Builds that cannot start or do not end leave the published file, and say what happened."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from builds import BIN, content, dbt, madw

from ingest.home import Home, writer


@pytest.fixture
def home(sample_warehouse: Path, tmp_path: Path) -> Path:
    """A copy of the built sample that a test may change."""
    copy = tmp_path / "home"
    shutil.copytree(sample_warehouse, copy)
    return copy


def test_a_second_writer_is_told_who_holds_the_lock(home):
    with writer(Home(home), "a test of mine"):
        for done in (madw(home, "build"), dbt(home, "build")):
            assert done.returncode != 0
            assert f"`a test of mine` (pid {os.getpid()}" in done.stdout + done.stderr
            assert "Traceback" not in done.stdout + done.stderr


def test_dbt_without_a_lake_names_the_command_that_makes_one(tmp_path):
    done = dbt(tmp_path, "build")
    assert done.returncode != 0
    assert "run `madw ingest` first" in done.stdout
    assert not (tmp_path / "mad.duckdb").exists()


def test_dbt_after_an_ingest_cut_short_names_the_command_that_mends_it(home):
    (home / "lake" / "pending.json").write_text('[["madbench-sample-v1", "x"]]', "utf-8")
    done = dbt(home, "build")
    assert done.returncode != 0
    assert "The last ingest was cut short: run `madw ingest` first" in done.stdout


def test_an_interrupt_leaves_the_file_and_ends_with_a_sentence(home):
    before = (home / "mad.duckdb").read_bytes()
    process = subprocess.Popen(
        [str(BIN / "madw"), "build", "--home", str(home)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    for line in process.stdout:
        if line.startswith("dbt build:"):
            break
    os.killpg(process.pid, signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait(timeout=60) == 1
    assert "interrupted" in rest and "Traceback" not in rest
    assert (home / "mad.duckdb").read_bytes() == before


def _kill_builds(home: Path, n_kills: int) -> None:
    chance = random.Random(n_kills)
    file = home / "mad.duckdb"
    expected = content(file)
    for _ in range(n_kills):
        process = subprocess.Popen(
            [str(BIN / "madw"), "build", "--home", str(home)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(timeout=chance.uniform(0.2, 25))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        assert content(file) == expected
    done = madw(home, "build")
    assert done.returncode == 0, done.stdout + done.stderr
    assert content(file) == expected
    assert [path.name for path in home.glob(".mad.duckdb*")] == []


def test_a_build_killed_at_any_moment_leaves_a_file_that_opens(home):
    _kill_builds(home, 3)


@pytest.mark.soak
def test_twenty_killed_builds_leave_a_file_that_opens(home):
    _kill_builds(home, 20)
