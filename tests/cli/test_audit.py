"""`madw audit` on small published files made here."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from builders import madw, write_file

from ingest.audit import TITLES

COLUMNS = ("finding", "check_id", "figure", "published_value", "observed_value", "verdict")
ROWS = [
    ("kappa", "kappa/literal", "kappa by literal code", "+0.13", "+0.13", "match"),
    ("H", "H/pairs/10", "pairs that are different", "97", "97", "match"),
    ("H", "H/pairs/2", "pairs that are similar", "8", "8", "match"),
    ("F", "F/bodies", "bodies equal to the file", "2", None, "not loaded"),
    ("A", "A/bytes", "bytes of [the] human-labelled file", "2662908", "1234", "differs"),
]


def publish(home: Path, rows: list[tuple] = ROWS) -> Path:
    """Make a published file with these rows of `audit_findings`."""
    home.mkdir()
    with duckdb.connect(str(home / "mad.duckdb")) as connection:
        columns = ", ".join(f"{name} varchar" for name in COLUMNS)
        connection.execute(f"create table audit_findings ({columns})")
        for row in rows:
            connection.execute("insert into audit_findings values (?, ?, ?, ?, ?, ?)", row)
    return home


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_the_report_shows_published_beside_observed_in_the_audits_order(home):
    result = madw("audit", "--home", publish(home))

    told = [line for line in lines(result.stdout) if line and not line.startswith(("figure", "─"))]
    assert (result.exit_code, result.stderr) == (0, "")
    assert told == [
        "A File identity",
        "bytes of [the] human-labelled file 2662908 1234 differs",
        "F Traces on GitHub against the file",
        "bodies equal to the file 2 - not loaded",
        "H Keys that collide",
        "pairs that are similar 8 8 match",
        "pairs that are different 97 97 match",
        "kappa Agreement of human majority and judge (Cohen's kappa)",
        "kappa by literal code +0.13 +0.13 match",
        "5 figures: 3 match, 1 differs, 1 not loaded",
        "differs: A/bytes",
        "not loaded: F/bodies",
        "Each figure's row: `make shell`, then `from audit_findings;`.",
    ]


def test_every_finding_of_the_audit_has_a_title(home):
    assert list(TITLES) == [*"ABCDEFGHI", "kappa"]
    rows = [(finding, f"{finding}1", "x", "1", "1", "match") for finding in reversed(TITLES)]

    result = madw("audit", "--home", publish(home, rows))

    at = [result.stdout.index(f"\n{finding}  {title}\n") for finding, title in TITLES.items()]
    assert at == sorted(at)


def test_a_finding_and_a_verdict_nobody_knows_are_shown_last(home):
    rows = [*ROWS, ("Z", "Z/1", "something new", "1", "2", "unheard of")]

    result = madw("audit", "--home", publish(home, rows))

    assert lines(result.stdout)[-6:-1] == [
        "",
        "6 figures: 3 match, 1 differs, 1 not loaded, 1 unheard of",
        "differs: A/bytes",
        "not loaded: F/bodies",
        "unheard of: Z/1",
    ]


def test_long_values_are_folded_not_cut(home):
    publish(home, [("A", "A/sha256", "digest", "x" * 64, "z" * 64, "differs")])

    result = madw("audit", "--home", home)

    shown = result.stdout[: result.stdout.index("1 figure:")]
    assert max(map(len, shown.splitlines())) <= 100
    assert shown.count("x") == shown.count("z") == 64


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        pytest.param(ROWS, 4, id="a figure differs"),
        pytest.param(ROWS[:4], 0, id="one is not loaded"),
        pytest.param(ROWS[:3], 0, id="all match"),
        pytest.param([], 0, id="there is none"),
    ],
)
def test_check_is_exit_code_4_only_where_a_figure_differs(home, rows, code):
    publish(home, rows)

    assert madw("audit", "--check", "--home", home).exit_code == code
    assert madw("audit", "--home", home).exit_code == 0


def test_json_has_an_object_for_each_figure(home, tmp_path):
    file = tmp_path / "audit é.json"

    result = madw("audit", "--check", "--json", file, "--home", publish(home))

    listed = json.loads(file.read_text("utf-8"))
    assert result.exit_code == 4
    assert [row["check_id"] for row in listed] == [
        "A/bytes",
        "F/bodies",
        "H/pairs/2",
        "H/pairs/10",
        "kappa/literal",
    ]
    assert listed[1] == dict(zip(COLUMNS, ROWS[3], strict=True))


def test_json_that_cannot_be_written_is_told(home, tmp_path):
    result = madw("audit", "--json", tmp_path / "missing/x.json", "--home", publish(home))

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("x.json cannot be written: No such file or directory.\n")


def test_json_does_not_replace_a_part_of_the_warehouse(home):
    published = publish(home) / "mad.duckdb"
    before = published.read_bytes()

    result = madw("audit", "--json", published, "--home", home)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "is a part of the warehouse itself" in result.stderr
    assert published.read_bytes() == before


def test_text_is_shown_as_it_is_and_never_acts_on_the_terminal(home):
    row = ("Z", ":smile:", "[red]x\x1b[2J", "[/b]", "\x9b1m", "new\nverdict")

    result = madw("audit", "--home", publish(home, [row]))

    assert result.exit_code == 0
    assert r"[red]x\x1b[2J [/b] \x9b1m new\nverdict" in lines(result.stdout)
    assert r"new\nverdict: :smile:" in lines(result.stdout)


def test_without_a_published_file_it_says_what_to_do(home):
    result = madw("audit", "--check", "--home", home)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"madw: There is no {home / 'mad.duckdb'}: run `madw build` first.\n"
    assert not home.exists()


def test_without_the_table_it_says_what_to_do(home):
    home.mkdir()
    duckdb.connect(str(home / "mad.duckdb")).close()

    result = madw("audit", "--check", "--home", home)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"madw: {home / 'mad.duckdb'} has no table audit_findings: "
        "run `madw build` to make it anew.\n"
    )


def test_a_file_that_is_no_database_is_told(home):
    write_file(home / "mad.duckdb", "not a database" * 100)

    result = madw("audit", "--home", home)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"madw: {home / 'mad.duckdb'} cannot be read: ")
    assert result.stderr.count("\n") == 1
