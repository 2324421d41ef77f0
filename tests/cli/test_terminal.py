"""What reaches a terminal, a closed stream and a pipe nobody reads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from builders import RUN, madw, write_file, write_run

from ingest.headline import print_headline
from ingest.home import Home
from ingest.terminal import count, is_terminal, printable

MADW = [sys.executable, "-m", "ingest.cli"]
RATE = {
    "dataset": "'d:smile:[/b]\x1b[2J'",
    "model": "'[red]m\n:smile:'",
    "temperature": "0.0",
    "split": "'test\x9b'",
    "clue_domain": "'gsm-hard'",
    "unit_tools": "false",
    "injection": "'none'",
    "n_escaped": "1",
    "n_rooms": "3",
    "n_unknown_outcome": "1",
    "escape_rate": "0.5",
    "ci_low": "0.1",
    "ci_high": "0.9",
}


def publish(home: Path) -> Path:
    """Make a published file with one escape rate and no figure of the audit."""
    home.mkdir(parents=True)
    columns = ", ".join(f"{value} as {name}" for name, value in RATE.items())
    with duckdb.connect(str(home / "mad.duckdb")) as connection:
        connection.execute(f"create table escape_rates_by_split as select {columns}")
        connection.execute("create table datasets as select '' as dataset, true as is_synthetic")
        figures = "finding, check_id, figure, published_value, observed_value, verdict"
        connection.execute(
            f"create table audit_findings as select '' as {figures.replace(', ', ', null as ')} "
            "where false"
        )
    return home


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 🙂 a\\b [x] :smile:", "plain é 漢 🙂 a\\b [x] :smile:"),
        ("\x1b[31m\x07\r\n\t\x00\x7f", r"\x1b[31m\x07\r\n\t\x00\x7f"),
        ("\x85\x9b", r"\x85\x9b"),
        ("\u2028\u202e\udc80", r"\u2028\u202e\udc80"),
    ],
)
def test_what_acts_on_a_terminal_is_shown_escaped(text, shown):
    assert printable(text) == shown


def test_a_closed_stream_is_no_terminal():
    assert not is_terminal(None)


@pytest.mark.parametrize(("n", "told"), [(0, "0 runs"), (1, "1 run"), (2_000, "2,000 runs")])
def test_one_is_not_many(n, told):
    assert count(n, "run") == told


def test_the_headline_shows_names_as_they_are(tmp_path, capsys):
    home = publish(tmp_path / "mk[/w]:smile:")

    print_headline(Home(home))

    told = capsys.readouterr().out
    assert r"Escape rates of d:smile:[/b]\x1b[2J" in told.splitlines()
    assert r"[red]m\n:smile:" in told
    assert r"test\x9b" in told
    assert f"The warehouse is {home}/mad.duckdb." in told.splitlines()
    assert "\x1b" not in told


def test_names_of_files_and_folders_are_shown_escaped(home, tmp_path):
    raw = tmp_path / "raw\x1b[2J"
    write_file(raw / RUN / "cut\n\x9b.json", "{")
    write_run(raw / RUN)

    read = madw("ingest", raw, "--dataset", "raw", "--home", home)
    told = madw("status", "--home", home).stdout
    refused = madw("ingest", f"{raw}x", "--home", home).stderr

    assert rf"rejected raw/{RUN}/cut\n\x9b.json: truncated: " in read.stderr
    assert rf"    {RUN}/cut\n\x9b.json: truncated: " in told
    assert rf"  from {tmp_path}/raw\x1b[2J" in told.splitlines()
    assert refused == rf"madw: {tmp_path}/raw\x1b[2Jx does not exist." + "\n"
    assert not {"\x1b", "\x9b"} & set(read.output + told + refused)


@pytest.mark.parametrize("closing", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize("command", ["ingest", "status", "audit", "headline"])
def test_a_closed_stream_stops_nothing(home, raw, command, closing):
    publish(home)
    write_run(raw / RUN)
    madw("ingest", raw, "--home", home)
    words = {
        "ingest": [*MADW, "ingest", raw, "--home", home],
        "headline": [
            sys.executable,
            "-c",
            "import sys; from ingest.headline import print_headline; "
            "from ingest.home import find_home; print_headline(find_home(sys.argv[1]))",
            home,
        ],
    }.get(command, [*MADW, command, "--home", home])

    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closing}', "sh", *words], capture_output=True, text=True
    )

    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


@pytest.mark.parametrize("command", ["status", "audit"])
def test_a_reader_that_leaves_is_no_error_to_tell(home, raw, command):
    publish(home)
    write_run(raw / RUN)
    madw("ingest", raw, "--home", home)
    reading, writing = os.pipe()
    os.close(reading)

    with os.fdopen(writing) as pipe:
        done = subprocess.run(
            [*MADW, command, "--home", home], stdout=pipe, stderr=subprocess.PIPE, text=True
        )

    assert (done.returncode, done.stderr) == (1, "")
