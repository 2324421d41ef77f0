"""`make docs`: one page, of the whole project, that needs nothing else."""

from __future__ import annotations

import json
import shutil
from html.parser import HTMLParser

import pytest
from builds import make

from ingest.home import Home


@pytest.fixture(scope="module")
def documented(sample_warehouse, tmp_path_factory) -> Home:
    """A home, with a space in its path, whose documentation was made."""
    home = Home(tmp_path_factory.mktemp("docs") / "a home")
    shutil.copytree(sample_warehouse, home.root)
    made = make("docs", home.root)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout == f"Open {home.root / 'docs.html'}\n"
    return home


@pytest.fixture(scope="module")
def catalog(documented) -> dict:
    return json.loads((documented.build / "target" / "catalog.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def manifest(documented) -> dict:
    return json.loads((documented.build / "target" / "manifest.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def page(documented) -> str:
    return (documented.root / "docs.html").read_text("utf-8")


def test_the_page_holds_the_whole_project(page, manifest):
    overview = manifest["docs"]["doc.mad_warehouse.__overview__"]
    assert json.dumps(overview["block_contents"]) in page
    for node in manifest["nodes"].values():
        if node["resource_type"] in ("model", "seed"):
            assert f'"unique_id": "{node["unique_id"]}"' in page
            assert json.dumps(node["description"]) in page


class _Loads(HTMLParser):
    """Collects what a page makes a browser load; dbt left the path of its icon unresolved."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "link" and given.get("rel") == "canonical":
            return
        address = given.get("src") or (given.get("href") if tag == "link" else None)
        if address and not address.startswith(("data:", "${require(")):
            self.addresses.append(address)


def loads(page: str) -> list[str]:
    parser = _Loads()
    parser.feed(page)
    return parser.addresses


def test_the_page_loads_nothing(page):
    assert loads(page) == []
    assert loads(page.replace("<head>", '<head><script src="https://x/y.js">', 1)) == [
        "https://x/y.js"
    ]


def test_every_model_and_seed_shows_its_real_columns_and_types(catalog, manifest):
    built = {
        key: node
        for key, node in manifest["nodes"].items()
        if node["resource_type"] in ("model", "seed")
    }
    assert set(catalog["nodes"]) == set(built)
    for key, node in built.items():
        assert set(catalog["nodes"][key]["columns"]) == set(node["columns"]), key
        assert all(column["type"] for column in catalog["nodes"][key]["columns"].values())


def test_every_published_table_shows_its_rows(catalog, sample):
    for (name,) in sample.execute("select table_name from duckdb_tables()").fetchall():
        (n_rows,) = sample.execute(f"select count(*) from {name}").fetchone()
        shown = catalog["nodes"][f"model.mad_warehouse.{name}"]["stats"]["n_rows"]
        assert (shown["label"], shown["value"]) == ("Rows", n_rows), name


def test_making_the_docs_changes_no_published_file(documented, sample_warehouse):
    assert documented.published.read_bytes() == (sample_warehouse / "mad.duckdb").read_bytes()


def test_without_a_build_one_sentence_names_the_way_to_make_it(tmp_path):
    made = make("docs", tmp_path / "nowhere")
    missing = tmp_path / "nowhere" / "build" / "work.duckdb"
    assert made.returncode != 0
    assert made.stdout == f"There is no {missing} yet: run make build.\n"
    assert not (tmp_path / "nowhere").exists()
