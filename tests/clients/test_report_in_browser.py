"""The report in headless Chromium: what people of several tastes meet who open it from disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest
from programs import CLIENTS, READERS
from report_page import Page, values

from ingest.home import Home
from ingest.report.page import write_report
from ingest.report.tables import QUERIES

pytestmark = pytest.mark.clients

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"
DRAWN = ("desktop", "dark", "phone")
QUERY_NAMES = sorted(path.stem for path in QUERIES.glob("*.sql"))


def look(page: Path, folder: Path) -> dict[str, Any]:
    """What the browser tells of a page; its screenshots and print are left in `folder`."""
    chromium = shutil.which("chromium")
    if not (chromium and (CLIENTS / "node" / ".installed").exists()):
        pytest.fail("The browser is not installed: run `make test-clients` first.")
    done = subprocess.run(
        ["node", READERS / "browser.cjs", page, folder],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={
            **os.environ,
            "HOME": str(folder),
            "CHROMIUM": chromium,
            "NODE_PATH": str(CLIENTS / "node" / "node_modules"),
        },
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def told(sample_warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The sample's report, looked at."""
    return look(sample_warehouse / "report.html", tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def evil(sample_warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of data that tries to be more than text, looked at."""
    folder = tmp_path_factory.mktemp("evil")
    shutil.copy(sample_warehouse / "mad.duckdb", folder)
    with duckdb.connect(str(folder / "mad.duckdb")) as connection:
        for table, column in (
            ("escape_rates", "model"),
            ("signal_frequencies", "action"),
            ("error_transmission", "upstream_action"),
            ("taxonomy_crosswalk", "mast14_name"),
            ("datasets", "source"),
            ("datasets", "dataset"),
        ):
            connection.execute(f"update {table} set {column} = $evil", {"evil": EVIL})
    return look(write_report(Home(folder), folder / "report.html"), folder)


@pytest.mark.parametrize("view", [*DRAWN, "no-script"])
def test_nothing_is_complained_of_and_nothing_is_loaded(told, view):
    seen = told["views"][view]
    assert seen["messages"] == []
    assert [url.partition(":")[0] for url in seen["requests"]] == ["file"]


@pytest.mark.parametrize("view", DRAWN)
def test_every_chart_is_drawn_with_a_mark_for_each_row(told, view, sample_warehouse):
    page = Page((sample_warehouse / "report.html").read_text("utf-8"))
    charts = told["views"][view]["charts"]

    assert charts.keys() == page.charts.keys()
    assert all(chart["pictures"] == 1 and chart["is_wide"] for chart in charts.values())
    assert {name: chart["words"] for name, chart in charts.items()} == page.descriptions
    for kind in ("escape", "published", "travel", "transmission", "modes", "crosswalk"):
        drawn = [chart["marks"][0] for name, chart in charts.items() if name.startswith(kind)]
        assert sum(drawn) == len(page.drawn(kind)) > 0, kind
    tiles, labels = (
        [chart["marks"][layer] for name, chart in charts.items() if name.startswith("signals")]
        for layer in (0, 1)
    )
    assert sum(tiles) == sum(row["rate"] is not None for row in page.drawn("signals")) > 0
    assert sum(labels) == len(page.drawn("signals"))


@pytest.mark.parametrize("name", QUERY_NAMES)
def test_every_number_on_the_screen_is_the_marts(told, sample, name):
    sql = (QUERIES / f"{name}.sql").read_text("utf-8")
    result = sample.execute(sql)
    described, expected = result.description, result.fetchall()

    _header, *rows = told["tables"].get(name) or [None]
    assert [values(row, described) for row in rows] == [list(row) for row in expected]


@pytest.mark.parametrize("view", DRAWN)
def test_no_accessibility_rule_is_broken(told, view):
    assert told["views"][view]["accessibility"] == []


def test_dark_is_dark_and_light_is_light(told):
    def brightness(view: str) -> float:
        colour = told["views"][view]["background"]
        return sum(int(part) for part in colour.strip("rgb()").split(",")[:3]) / 3

    assert brightness("dark") < 64 < 192 < brightness("desktop")


@pytest.mark.parametrize("view", DRAWN)
def test_no_page_is_wider_than_its_screen(told, view):
    assert told["views"][view]["overflow"] <= 0


@pytest.mark.parametrize(("direction", "order"), [("ascending", 1), ("descending", -1)])
def test_the_keyboard_sorts_a_table(told, direction, order):
    before, after = told["tables"]["escape_rates"], told["sorted"][direction]
    column = [text for text, _ in before[0]].index("escape rate")

    rates = [float(row[column][1]) for row in after["cells"][1:]]
    assert after["aria"] == direction
    assert rates == sorted(rates)[::order] and rates[0] != rates[-1]
    assert sorted(map(str, after["cells"])) == sorted(map(str, before))


def test_without_scripts_the_page_says_what_is_missing(told):
    assert "JavaScript, which is off" in told["views"]["no-script"]["text"]


@pytest.mark.parametrize("view", [*DRAWN, "no-script"])
def test_data_that_looks_like_a_page_is_shown_as_text(evil, view):
    seen = evil["views"][view]
    assert (seen["dialogs"], seen["messages"]) == ([], [])
    assert len(seen["requests"]) == 1


def test_data_that_looks_like_a_page_keeps_every_character(evil):
    header, *rows = evil["tables"]["escape_rates"]
    model = [text for text, _ in header].index("model")
    assert {row[model][0] for row in rows} == {EVIL}
