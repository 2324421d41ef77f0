"""The program as people call it: words, exit codes, one writer at a time, kills."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from builders import (
    RUN,
    ingest,
    lake_files,
    lake_inodes,
    madw,
    rejects,
    room,
    step,
    trace,
    trace_ids,
    trace_stem,
    write_file,
    write_lines,
    write_run,
)

from ingest import __version__
from ingest.cli import main
from ingest.home import Home, writer

MADW = [sys.executable, "-m", "ingest.cli"]
STEM = trace_stem()
POOL_RUNS = 36  # of a message of 256 kB each and two traces: enough for worker processes


def start(*words: str | Path) -> subprocess.Popen:
    """Start the program as a process of its own."""
    command = [*MADW, *(str(word) for word in words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# Words


def test_help_names_every_command():
    result = madw("--help")

    assert result.exit_code == 0
    for command in main.commands:
        assert f"\n  {command} " in result.stdout
        assert madw(command, "--help").stdout.startswith(f"Usage: main {command} ")


def test_the_program_is_installed_under_its_name():
    program = Path(sys.executable).with_name("madw")

    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)

    assert told.stdout == f"madw, version {__version__}\n"


def test_ingest_says_what_it_did(home, raw):
    write_run(raw / RUN, 2)
    write_lines(raw / "rooms.jsonl", [room()])

    result = madw("ingest", raw, "--home", home)

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "raw: 2 traces, 4 steps, 1 room definition, 0 files rejected",
        "Read 2 trace files in 1 changed run; 0 files had vanished.",
    ]
    assert result.stderr.splitlines() == ["ingest: 2 of 2 files"]


def test_ingest_of_nothing_new_says_so(home, raw):
    write_run(raw / RUN, 2)
    madw("ingest", raw, "--home", home)

    result = madw("ingest", raw, "--home", home)

    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == (
        "Read 0 trace files in 0 changed runs; 0 files had vanished."
    )


def test_rejected_files_are_named_and_the_exit_code_is_3(home, raw):
    write_run(raw / RUN, 3)
    write_file(raw / RUN / "cut.json", '{"room": {"room_id": "r')
    write_file(raw / RUN / "step.json", trace(trace=[{"agent": "a"}]))

    result = madw("ingest", raw, "--home", home)

    assert result.exit_code == 3
    assert "raw: 3 traces, 6 steps, 0 room definitions, 2 files rejected" in result.stdout
    assert result.stderr.splitlines()[-2:] == [
        f"rejected raw/{RUN}/cut.json: truncated: The JSON ends before it is complete "
        "(Unterminated string starting at). (line 1, column 22)",
        f"rejected raw/{RUN}/step.json: missing_required: `action` is missing. (/trace/0/action)",
    ]


def test_of_many_rejected_files_ten_are_named(home, raw):
    write_run(raw / RUN, ["{"] * 12)

    result = madw("ingest", raw, "--home", home)

    assert sum(line.startswith("rejected ") for line in result.stderr.splitlines()) == 10
    assert result.stderr.splitlines()[-1] == "... and 2 more: madw status --all"


def test_the_exit_code_stays_3_while_a_file_is_rejected(home, raw):
    write_run(raw / RUN, [trace(), "{"])

    codes = [madw("ingest", raw, "--home", home).exit_code for _ in range(2)]

    assert codes == [3, 3]


def test_strict_fails_and_writes_nothing(home, raw):
    write_run(raw / RUN)
    madw("ingest", raw, "--home", home)
    files, inodes = lake_files(home), lake_inodes(home)
    write_file(raw / RUN / "bad.json", "{")

    result = madw("ingest", raw, "--strict", "--home", home)

    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith(
        "madw: --strict: 1 of the files cannot be used, so nothing was written. "
        f"The first: raw/{RUN}/bad.json: truncated:"
    )
    assert (lake_files(home), lake_inodes(home)) == (files, inodes)


def write_nothing(folder: Path) -> None:
    """Leave the folder missing."""


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        pytest.param(write_nothing, "{} does not exist.", id="a missing folder"),
        pytest.param(
            Path.mkdir,
            "{} holds no trace (.json) and no room file (.jsonl).",
            id="an empty folder",
        ),
        pytest.param(
            Path.touch,
            "{} is not a folder. Give the folder that holds the traces.",
            id="a file",
        ),
    ],
)
def test_a_folder_without_input_is_wrong_usage(home, tmp_path, make, sentence):
    folder = tmp_path / "input"
    make(folder)

    result = madw("ingest", folder, "--home", home)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"madw: {sentence.format(folder)}\n"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["ingest", "--dataset", "x"], id="a name without a path"),
        pytest.param(["ingest", "RAW", "--dataset", "a/b"], id="a name with a slash"),
        pytest.param(["ingest", "RAW", "--jobs", "0"], id="no worker"),
        pytest.param(["ingest", "--no-such-option"], id="an unknown option"),
        pytest.param(["swallow"], id="an unknown command"),
        pytest.param(["forget"], id="nothing to forget"),
        pytest.param(["status"], id="no lake to tell of"),
        pytest.param(["forget", "x"], id="no lake to forget from"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_a_sentence(home, raw, words, monkeypatch):
    monkeypatch.setenv("MADW_HOME", str(home))
    write_run(raw / RUN)

    result = madw(*(str(raw) if word == "RAW" else word for word in words))

    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr) > 20
    assert "Traceback" not in result.stderr
    assert not (home / "lake").exists()


# Where the warehouse is


def test_the_home_is_taken_from_the_environment(home, raw):
    write_run(raw / RUN)

    result = madw("ingest", raw, MADW_HOME=str(home))

    assert (result.exit_code, trace_ids(home)) == (0, [f"raw/{RUN}/{STEM}"])


def test_the_home_option_wins_over_the_environment(home, raw, tmp_path):
    write_run(raw / RUN)

    madw("ingest", raw, "--home", home, MADW_HOME=str(tmp_path / "other"))

    assert trace_ids(home) == [f"raw/{RUN}/{STEM}"]
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("name", ["with space", "accent é", "bracket [x]*?", "quote's", "50%"])
def test_a_home_and_a_root_may_have_odd_names(tmp_path, name):
    home, raw = tmp_path / f"home {name}", tmp_path / name
    write_run(raw / RUN)

    first = madw("ingest", raw, "--home", home)
    second = madw("ingest", "--home", home)
    told = madw("status", "--home", home)

    assert (first.exit_code, second.exit_code, told.exit_code) == (0, 0, 0)
    assert "Read 0 trace files" in second.stdout
    assert trace_ids(home) == [f"{name}/{RUN}/{STEM}"]
    assert f"  from {raw}\n" in told.stdout


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        pytest.param("missing/home", "missing does not exist, so no warehouse", id="no parent"),
        pytest.param("raw/file", "is not a folder, so it cannot hold a warehouse", id="a file"),
    ],
)
def test_a_home_that_cannot_be_made_is_wrong_usage(raw, tmp_path, place, sentence):
    write_run(raw / RUN)
    write_file(raw / "file", "x")

    result = madw("ingest", raw, "--home", tmp_path / place)

    assert result.exit_code == 2
    assert sentence in result.stderr


# Status and forget


def test_status_tells_what_is_loaded_rejected_and_without_a_column(home, raw):
    write_run(raw / RUN, [trace(new=1, trace=[step(other=2), step(other=3)]), trace(), "{"])
    write_lines(raw / "rooms.jsonl", [room(), room()])
    for name in ("run.log", "summary.csv", "a.csv"):
        write_file(raw / name, "x")
    write_file(raw / "dataset.json", {"is_synthetic": True})
    madw("ingest", raw, "--home", home)

    result = madw("status", "--home", home)

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"Warehouse {home}; published file: none yet (madw build)",
        "Ignored key paths: none. Each key has a column or is kept as raw JSON.",
        "",
        "raw (synthetic)",
        f"  from {raw}",
        "  loaded: 2 traces in 1 run, 4 steps; 2 room definitions",
        "  ignored (known not to be data): 1 log, 2 summary",
        "  rejected: 1",
        f"    {RUN}/{trace_stem(2)}.json: truncated: The JSON ends before it is complete "
        "(Expecting property name enclosed in double quotes). (line 1, column 2)",
        "  without a column, or not usable in theirs (kept in extra_json):",
        "    new: 1",
        "    trace[].other: 2",
    ]


def test_status_shows_twenty_rejected_files_or_all(home, raw):
    write_run(raw / RUN, ["{"] * 22)
    madw("ingest", raw, "--home", home)

    some, every = madw("status", "--home", home), madw("status", "--all", "--home", home)

    assert some.stdout.count(": truncated: ") == 20
    assert some.stdout.splitlines()[-1] == "    ... and 2 more: madw status --all"
    assert every.stdout.count(": truncated: ") == 22


@pytest.mark.parametrize("n_bytes", [0, 1000])
def test_status_says_that_a_record_is_damaged_and_ingest_makes_it_good(home, raw, n_bytes):
    write_run(raw / RUN)
    madw("ingest", raw, "--home", home)
    whole = madw("status", "--home", home).stdout
    os.truncate(home / "lake" / "source_files" / "dataset=raw" / "data.parquet", n_bytes)

    damaged = madw("status", "--home", home)
    madw("ingest", "--home", home)

    assert damaged.exit_code == 0
    assert damaged.stdout.splitlines()[3:] == [
        "raw",
        "  The record of its files cannot be read: `madw ingest` reads them again.",
    ]
    assert madw("status", "--home", home).stdout == whole


def test_status_names_a_damaged_data_set_of_which_nothing_else_is_left(home, raw):
    write_run(raw / RUN)
    madw("ingest", raw, "--dataset", "a b", "--home", home)
    for table in ("datasets", "source_files"):
        os.truncate(home / "lake" / table / "dataset=a%20b" / "data.parquet", 0)

    told = madw("status", "--home", home).stdout.splitlines()

    assert told[2:4] == ["", "a b"]
    assert "cannot be read" in told[4]


def test_forget_takes_a_data_set_out(home, raw):
    write_run(raw / RUN)
    madw("ingest", raw, "--home", home)

    unknown = madw("forget", "x", "--home", home)
    known = madw("forget", "raw", "--home", home)

    assert (unknown.exit_code, known.exit_code) == (2, 0)
    assert unknown.stderr == "madw: There is no data set 'x' in the lake. There: raw.\n"
    assert known.stdout == "raw left the lake. `madw build` publishes without it.\n"
    assert trace_ids(home) == []


# One writer


@pytest.mark.parametrize("words", [["ingest", "RAW"], ["build", "RAW"], ["forget", "raw"]])
def test_a_second_writer_is_told_who_holds_the_lock(home, raw, words):
    write_run(raw / RUN)
    ingest(home, raw)
    before = lake_files(home)

    with writer(Home(home), "make-believe"):
        result = subprocess.run(
            [*MADW, *(str(raw) if word == "RAW" else word for word in words), "--home", home],
            capture_output=True,
            text=True,
        )

    assert result.returncode == 1
    assert result.stderr.startswith(
        f"madw: {home} is being written by `make-believe` (pid {os.getpid()}, since 20"
    )
    assert lake_files(home) == before


def test_status_needs_no_lock(home, raw):
    write_run(raw / RUN)
    ingest(home, raw)

    with writer(Home(home), "make-believe"):
        result = subprocess.run([*MADW, "status", "--home", home], capture_output=True, text=True)

    assert (result.returncode, result.stderr) == (0, "")


# Ends that come too early


def end_in_the_midst(process: subprocess.Popen, home: Path, number: int) -> str:
    """Signal an ingest once it has put a run in place; return what it had said on stderr.

    Waits until nobody, worker processes included, can write to its output any more.
    """
    while not any((home / "lake" / "rooms").glob("dataset=raw/*")):
        assert process.poll() is None, process.communicate()
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    return said


def write_large_runs(raw: Path) -> None:
    for number in range(POOL_RUNS):
        write_run(raw / f"run_{number:02d}", [trace(trace=[step(message="x" * (256 << 10))])] * 2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_after_a_kill_the_next_ingest_gives_the_lake_of_a_clean_one(raw, tmp_path, jobs):
    write_large_runs(raw)
    ingest(tmp_path / "clean", raw)
    killed = tmp_path / "killed"

    process = start("ingest", raw, "--jobs", jobs, "--home", killed)
    end_in_the_midst(process, killed, signal.SIGKILL)
    pending = (killed / "lake" / "pending.json").exists()
    again = madw("ingest", raw, "--home", killed)

    assert (process.returncode, pending, again.exit_code) == (-signal.SIGKILL, True, 0)
    assert "left half done by an earlier call." in again.stdout
    assert lake_files(killed) == lake_files(tmp_path / "clean")


def test_an_interrupt_is_told_in_a_sentence_and_made_good_by_the_next_ingest(raw, tmp_path):
    write_large_runs(raw)
    ingest(tmp_path / "clean", raw)
    ended = tmp_path / "ended"

    process = start("ingest", raw, "--jobs", 2, "--home", ended)
    said = end_in_the_midst(process, ended, signal.SIGINT)
    again = madw("ingest", raw, "--home", ended)

    assert process.returncode == 1
    assert said.splitlines()[-1] == (
        "madw: interrupted; what was finished is kept, the rest is read again."
    )
    assert again.exit_code == 0
    assert lake_files(ended) == lake_files(tmp_path / "clean")


def test_300_runs_need_few_open_files(home, raw):
    for number in range(300):
        write_run(raw / f"run_{number:03d}")

    result = subprocess.run(
        [*MADW, "ingest", raw, "--home", home, "--jobs", "2"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)),
    )

    assert (result.returncode, rejects(home)) == (0, {})
    assert len(trace_ids(home)) == 300


def test_the_holder_of_the_lock_is_not_asked_for_after_its_end(home, raw):
    write_run(raw / RUN)
    home.mkdir()
    write_file(home / ".lock-holder.json", {"command": "x", "pid": 1, "since": "long ago"})

    assert madw("ingest", raw, "--home", home).exit_code == 0
    assert json.loads((home / ".lock-holder.json").read_text())["command"] == "madw ingest"
