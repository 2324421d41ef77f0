"""The report: its numbers are the warehouse's, its data is text. tests/clients: in a browser."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest
from builders import madw
from report_page import Page, values

from ingest.home import Home
from ingest.report.page import MOST_BYTES, render, write_report
from ingest.report.tables import QUERIES, read_tables
from ingest.report.travel import place

EVIL = """<script>alert(1)</script><img src=x onerror=alert(2)> "quoted" & {{ 7 * 7 }} l'été"""


@pytest.fixture(scope="module")
def html(sample_warehouse: Path) -> str:
    return (sample_warehouse / "report.html").read_text("utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


@pytest.fixture
def changed(sample_warehouse: Path, tmp_path: Path):
    """Makes a home whose published file is the sample's, changed by these statements."""

    def change(*statements: str, values: dict | None = None) -> Home:
        shutil.copy(sample_warehouse / "mad.duckdb", tmp_path / "mad.duckdb")
        with duckdb.connect(str(tmp_path / "mad.duckdb")) as connection:
            for statement in statements:
                connection.execute(statement, values)
        return Home(tmp_path)

    return change


@pytest.mark.parametrize("name", sorted(path.stem for path in QUERIES.glob("*.sql")))
def test_every_number_of_a_table_is_what_its_query_gives(name, page, sample):
    result = sample.execute(page.queries[name])
    described, expected = result.description, result.fetchall()

    if not expected:
        assert name not in page.tables and "No rows." in page.text
        return
    header, *rows = page.tables[name]
    assert [text.replace(" ", "_") for text, _ in header] == [column for column, *_ in described]
    assert [values(row, described) for row in rows] == [list(row) for row in expected]
    assert page.n_rows[name] == len(expected)


def test_a_rounded_number_is_shown_beside_its_exact_value(page):
    header, *rows = page.tables["escape_rates"]
    place_of = [text for text, _ in header].index("escape rate")

    shown = {text: float(exact) for text, exact in (row[place_of] for row in rows)}
    assert shown["62.5 %"] == 0.625
    assert all(
        abs(float(text.removesuffix(" %")) - 100 * value) <= 0.05 for text, value in shown.items()
    )


def test_counts_added_over_models_are_those_of_the_rows_added_one_by_one(page, sample):
    dims = ["dataset", "clue_domain", "unit_tools", "injection"]
    cases = {
        "signals": (
            "signal_frequencies",
            ["action", "agent", "signal"],
            ["n_signal", "n_recorded"],
        ),
        "error_transmission": (
            "error_transmission",
            ["upstream_action", "downstream_action"],
            ["n_upstream_wrong", "n_both_wrong"],
        ),
        "error_starts": ("propagation_chains", ["first_wrong_action"], ["n_attempts", "n_solved"]),
    }
    for name, (mart, keys, counts) in cases.items():
        expected: dict[tuple, list[int]] = defaultdict(lambda: [0, 0])
        for *key, one, two in sample.execute(
            f"select {', '.join(dims + keys + counts)} from {mart}"
        ).fetchall():
            expected[tuple(key)][0] += one
            expected[tuple(key)][1] += two
        result = sample.execute(page.queries[name])
        columns = [column for column, *_ in result.description]
        counts = [column.replace("n_both_wrong", "n_transmitted") for column in counts]
        found = {
            tuple(row[columns.index(key)] for key in dims + keys): [
                row[columns.index(count)] for count in counts
            ]
            for row in result.fetchall()
        }
        assert found == dict(expected), name


def test_every_error_that_reached_an_action_was_transmitted_or_absorbed(page, sample):
    rows = sample.execute(page.queries["error_transmission"]).fetchall()
    columns = [column for column, *_ in sample.description]
    for row in rows:
        of = dict(zip(columns, row, strict=True))
        assert of["n_transmitted"] + of["n_absorbed"] == of["n_upstream_wrong"]


def test_every_chart_holds_the_rows_of_its_table(page, sample):
    (rates,) = sample.execute("select count(escape_rate) from escape_rates").fetchone()
    (compared,) = sample.execute(
        "select count(observed_pct) from escape_rate_reconciliation"
    ).fetchone()
    (cells,) = sample.execute(
        "select count(distinct (mast14_code, taxonomy)) from taxonomy_crosswalk "
        "where mast14_code is not null"
    ).fetchone()
    assert len(page.drawn("escape")) == rates > 0
    assert len(page.drawn("published")) == compared > 0
    assert len(page.drawn("crosswalk")) == cells > 0
    assert len(page.drawn("modes")) == page.n_rows["failure_modes"] > 0
    assert len(page.drawn("signals")) == page.n_rows["signals"] > 0
    assert len(page.drawn("travel")) == page.n_rows["error_transmission"] > 0
    transmission = page.drawn("transmission")
    header, *rows = page.tables["error_transmission"]
    reached = [text for text, _ in header].index("n upstream wrong")
    assert sum(row["attempts"] for row in transmission) == sum(int(row[reached][0]) for row in rows)


def test_every_chart_says_in_words_what_it_shows(page):
    assert page.charts and page.descriptions.keys() == page.charts.keys()
    assert all(re.search(r"\d", words) for words in page.descriptions.values())


def test_the_page_shows_the_queries_that_stand_in_the_project(page):
    for path in QUERIES.glob("*.sql"):
        sql = re.sub(r"^-- .*\n", "", path.read_text("utf-8"), flags=re.MULTILINE)
        assert page.queries[path.stem].strip() == sql.strip()


def test_the_page_loads_nothing_and_runs_only_its_own_scripts(html, page):
    policy = page.metas["Content-Security-Policy"]
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    ]

    assert policy.startswith("default-src 'none'")
    assert re.findall(r"'sha256-([^']+)'", policy) == hashes
    assert "unsafe-eval" not in policy and "unsafe-inline" not in policy.split("style-src")[0]
    assert not page.tags & {"link", "img", "iframe", "base", "object"}
    assert len(html.encode()) < MOST_BYTES


def test_simulated_data_is_announced_and_real_data_is_not(html, page, changed):
    assert "Simulated data." in page.text and "madbench-sample-v1" in page.text

    real = Page(render(read_tables(changed("update datasets set is_synthetic = false"))))
    assert "Simulated data." not in real.text

    unsaid = Page(render(read_tables(changed("update datasets set is_synthetic = null"))))
    assert "Simulated data." not in unsaid.text


def test_what_comes_from_traces_is_text(changed):
    home = changed(
        "update escape_rates set model = $evil",
        "update signal_frequencies set action = $evil",
        "update datasets set source = $evil",
        "update source_files set status = 'rejected', error = $evil where kind = 'rooms'",
        "update error_transmission set downstream_action = $evil",
        values={"evil": EVIL},
    )
    html = render(read_tables(home))
    page = Page(html)

    header, *rows = page.tables["escape_rates"]
    model = [text for text, _ in header].index("model")
    assert {row[model][0] for row in rows} == {EVIL}
    assert all(row["step"].startswith(EVIL) for row in page.drawn("signals"))
    assert len(re.findall(r"<script>", html)) == 2
    assert "img" not in page.tags and "49 l'été" not in page.text


def test_a_long_table_is_cut_and_says_so(changed):
    home = changed(
        "insert into escape_rates select escape_rates.* replace (model || i as model) "
        "from escape_rates, range(1500) series(i)"
    )
    html = render(read_tables(home))
    page = Page(html)

    total = page.n_rows["escape_rates"]
    shown = len(page.tables["escape_rates"]) - 1
    assert total == 1501 * 32 > shown >= 30
    assert f"The first {shown} of {total:,} rows" in page.text
    assert len(html.encode()) < MOST_BYTES
    assert len(page.drawn("escape")) < 3 * 200 + 1  # three conditions, however many models
    assert "(the first 200 of " in page.text


def test_a_warehouse_without_rows_has_a_page_too(sample, changed):
    tables = [
        name for (name,) in sample.execute("select table_name from duckdb_tables()").fetchall()
    ]
    home = changed(*(f"delete from {name}" for name in tables if name != "about"))
    page = Page(render(read_tables(home)))

    assert page.text.count("No rows.") == len(list(QUERIES.glob("*.sql"))) - 1
    assert page.charts == {}
    assert "0 traces" in page.text


def test_one_file_gives_the_same_page_wherever_it_is_written(sample_warehouse, html, tmp_path):
    written = write_report(Home(sample_warehouse), tmp_path / "elsewhere.html")

    assert written.read_text("utf-8") == html
    assert [path.name for path in tmp_path.iterdir()] == ["elsewhere.html"]


def test_actions_stand_below_those_they_build_on():
    edges = [("OBSERVE", "SOLVE"), ("SOLVE", "APPLY"), ("SOLVE", "TOOL"), ("TOOL", "APPLY")]
    places = place([*edges, ("ITEM", "APPLY")], {"SELECT"})

    assert {action: spot.y for action, spot in places.items()} == {
        "OBSERVE": 0, "ITEM": 0, "SELECT": 0, "SOLVE": 1, "TOOL": 2, "APPLY": 3,
    }  # fmt: skip
    assert [action for action, spot in places.items() if spot.is_aside] == ["TOOL"]
    spots = [(spot.x, spot.y) for spot in places.values()]
    assert len(set(spots)) == len(spots)


def test_report_says_where_the_page_is(sample_warehouse, tmp_path):
    out = tmp_path / "page with 'quotes' and é.html"
    result = madw("report", "--home", sample_warehouse, "--out", out)

    assert (result.exit_code, result.output) == (0, f"The report is {out}.\n")
    assert out.stat().st_size > 100_000


@pytest.mark.parametrize(
    ("content", "out", "exit_code", "said"),
    [
        pytest.param(None, None, 2, "run `madw build` first", id="nothing published"),
        pytest.param(b"not a database", None, 1, "cannot be read", id="no database"),
        pytest.param(b"", None, 1, "cannot be read", id="an empty file"),
        pytest.param(b"", "missing/page.html", 2, "does not exist", id="no folder to write to"),
        pytest.param(b"", ".", 2, "is a folder", id="a folder as file"),
        pytest.param(b"", "mad.duckdb", 2, "a part of the warehouse", id="the published file"),
        pytest.param(b"", "raw/d/x.json", 2, "a part of the warehouse", id="a raw trace"),
        pytest.param(b"", "lake/roots.json", 2, "a part of the warehouse", id="a lake file"),
    ],
)
def test_what_cannot_be_reported_is_said_in_a_sentence(content, out, exit_code, said, home):
    home.mkdir()
    if content is not None:
        (home / "mad.duckdb").write_bytes(content)
    result = madw("report", "--home", home, *(["--out", home / out] if out else []))

    assert result.exit_code == exit_code
    assert said in result.stderr and "Traceback" not in result.output
    assert not (home / "report.html").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("delete from about where fact = 'dbt_version'", "lacks dbt_version"),
        ("alter table escape_rates drop column ci_low", "run `madw build` again"),
        ("drop table key_uniqueness", "run `madw build` again"),
    ],
    ids=["a fact", "a column", "a table"],
)
def test_a_file_of_another_version_is_named(changed, change, said):
    result = madw("report", "--home", changed(change).root)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("madw: Another version wrote") and said in result.stderr


def test_the_page_is_written_through_a_link_and_keeps_the_mode(sample_warehouse, tmp_path):
    real, link = tmp_path / "real.html", tmp_path / "link.html"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    assert madw("report", "--home", sample_warehouse, "--out", link).exit_code == 0

    assert link.is_symlink() and real.stat().st_size > 100_000
    assert real.stat().st_mode & 0o777 == 0o600


def test_the_page_goes_into_a_pipe(sample_warehouse, tmp_path, html):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text, "utf-8")
        result = madw("report", "--home", sample_warehouse, "--out", pipe)
    assert (result.exit_code, result.stdout) == (0, "")
    assert read.result() == html
    assert pipe.is_fifo()


def test_a_build_that_publishes_meanwhile_is_the_one_reported(changed, monkeypatch):
    home = changed("update about set value = 'old' where fact = 'built_at'")
    file = home.published

    def read_then_publish(home: Home):
        tables = read_tables(home)
        if ("built_at", "old") in tables["about"].rows:
            newer = file.with_name("newer.duckdb")
            shutil.copy(file, newer)
            with duckdb.connect(str(newer)) as connection:
                connection.execute("update about set value = 'new' where fact = 'built_at'")
            newer.replace(file)
        return tables

    monkeypatch.setattr("ingest.report.page.read_tables", read_then_publish)
    assert Page(write_report(home).read_text("utf-8")).metas["built-at"] == "new"


def test_data_that_is_too_much_for_a_page_leaves_it_small(changed):
    home = changed(
        "update escape_rates set model = repeat(model, 500)",
        "insert into escape_rate_reconciliation select escape_rate_reconciliation.* "
        "replace (model || i as model) from escape_rate_reconciliation, range(200) series(i)",
        "insert into datasets select datasets.* replace (repeat(dataset, 20) || i as dataset) "
        "from datasets, range(3000) series(i)",
    )
    html = render(read_tables(home))
    page = Page(html)

    assert len(html.encode()) < MOST_BYTES
    assert len(page.drawn("published")) <= 200 * 8
    n_synthetic = sum(row["is_synthetic"] for row in read_tables(home)["datasets"].records())
    assert f"and {n_synthetic - 5} more: what is shown" in page.text


def test_a_key_without_rows_is_neither_unique_nor_not(changed):
    home = changed("update key_uniqueness set is_unique = null where source_table = 'rooms'")
    with duckdb.connect(str(home.published), read_only=True) as connection:
        n_unique, n_known, n_empty = connection.execute(
            "select count(*) filter (is_unique), count(is_unique), count(*) - count(is_unique) "
            "from key_uniqueness"
        ).fetchone()
    text = " ".join(Page(render(read_tables(home))).text.split())
    told = f"{n_unique} of {n_known} candidate keys that have rows are unique here"
    assert n_empty > 0 and f"{told}, {n_empty} have none." in text


def test_status_says_what_is_of_an_earlier_build(sample_warehouse, tmp_path):
    home = tmp_path / "home"
    shutil.copytree(sample_warehouse, home, ignore=shutil.ignore_patterns("build"))

    def head() -> str:
        return madw("status", "--home", home).stdout.splitlines()[0]

    assert head().endswith("bytes; report: report.html")

    (home / "mad.duckdb").touch()
    assert head().endswith("bytes; report.html is of an earlier build (madw report)")

    (home / "report.html").unlink()
    assert head().endswith("bytes; no report yet (madw report)")

    madw("forget", "madbench-sample-v1", "--home", home)
    assert "bytes; made of other files than the lake holds now (madw build); " in head()

    for dataset in ("madbench-sample-v3", "madbench-rooms", "mad-sample"):
        madw("forget", dataset, "--home", home)
    assert "The lake is empty." in madw("status", "--home", home).stdout

    (home / "mad.duckdb").write_bytes(b"not a database")
    assert "bytes; cannot be read (madw build); " in head()
