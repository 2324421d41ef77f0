"""The rules of the dbt project, checked on its manifest and, each, on one that breaks it."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
import yaml

from ingest.home import PROJECT

# what a model of a layer may read
READS = {
    "staging": {"source"},
    "intermediate": {"staging", "intermediate", "seed"},
    "facts": {"staging", "intermediate", "facts", "seed"},
    "marts": {"facts", "intermediate", "seed"},
    "publish": {"facts", "marts"},
}
PREFIX = {"staging": "stg_", "intermediate": "int_"}
PACKAGE = "mad_warehouse"
SHORTEST_DESCRIPTION = 8


def layer(node: dict) -> str:
    if node["resource_type"] in ("source", "seed"):
        return node["resource_type"]
    folders = node["fqn"][1:-1]
    if folders[:2] == ["marts", "mad"]:  # the facts of MAD
        return "facts"
    is_special = folders[0] == "marts" and folders[1] in ("facts", "publish")
    return folders[1] if is_special else folders[0]


def violations(manifest: dict) -> Iterator[str]:
    """Every breach of a rule, as `<model>: <rule>`."""
    nodes = {**manifest["nodes"], **manifest["sources"]}
    models = {key: node for key, node in nodes.items() if node["resource_type"] == "model"}
    read_by_someone = {parent for node in models.values() for parent in node["depends_on"]["nodes"]}
    keys = {
        (node["attached_node"], tuple(node["test_metadata"]["kwargs"]["columns"]))
        for node in nodes.values()
        if (node.get("test_metadata") or {}).get("name") == "unique_key"
    }
    for key, node in models.items():
        name, where = node["name"], layer(node)
        for parent in node["depends_on"]["nodes"]:
            if layer(nodes[parent]) not in READS[where]:
                yield f"{name}: {where} must not read {nodes[parent]['name']}"
        if not name.startswith(PREFIX.get(where, "")) or name.startswith(("stg_", "int_")) != (
            where in PREFIX
        ):
            yield f"{name}: name does not say its layer"
        if not node["description"].startswith("One row per "):
            yield f"{name}: description does not begin with its grain"
        grain = node["config"]["meta"].get("grain")
        if not grain:
            yield f"{name}: no grain"
        elif where in ("facts", "marts") and (key, tuple(grain)) not in keys:
            yield f"{name}: no unique_key test on its grain"
        if where in ("facts", "marts") and not node["config"]["contract"]["enforced"]:
            yield f"{name}: contract not enforced"
        if where != "publish" and key not in read_by_someone:
            yield f"{name}: nothing reads it"


def _says_something(text: str, name: str) -> bool:
    return len(text) >= SHORTEST_DESCRIPTION and text != name


def _parameters(macro_sql: str) -> list[str]:
    """Names of a macro's parameters, as its first line declares them."""
    declared = re.search(r"{%-?\s*(?:macro|test)\s+\w+\((.*?)\)\s*-?%}", macro_sql, re.DOTALL)
    return [part.split("=")[0].strip() for part in declared.group(1).split(",") if part.strip()]


def undescribed(manifest: dict) -> Iterator[str]:
    """Everything of the project that the documentation would show without a word on it."""
    tables = [
        node
        for node in [*manifest["nodes"].values(), *manifest["sources"].values()]
        if node["resource_type"] in ("model", "seed", "source")
    ]
    macros = [macro for macro in manifest["macros"].values() if macro["package_name"] == PACKAGE]
    others = [*manifest["exposures"].values(), *manifest["unit_tests"].values()]
    for node in [*tables, *macros, *others]:
        if not _says_something(node["description"], node["name"]):
            yield f"{node['name']}: no description"
    for table in tables:
        if not table["columns"]:
            yield f"{table['name']}: no columns"
        for column in table["columns"].values():
            if not _says_something(column["description"], column["name"]):
                yield f"{table['name']}.{column['name']}: no description"
    for macro in macros:
        described = {argument["name"]: argument["description"] for argument in macro["arguments"]}
        if list(described) != _parameters(macro["macro_sql"]):
            yield f"{macro['name']}: its arguments are not those described"
        for name, description in described.items():
            if not _says_something(description, name):
                yield f"{macro['name']}({name}): no description"


@pytest.fixture(scope="module")
def manifest(sample_warehouse) -> dict:
    return json.loads((sample_warehouse / "build/target/manifest.json").read_text("utf-8"))


def test_the_project_keeps_its_rules(manifest):
    assert list(violations(manifest)) == []


RATES = "model.mad_warehouse.escape_rates"
STAGED = "model.mad_warehouse.stg_madbench__steps"


def _drop_key_test(manifest: dict) -> None:
    for key, node in list(manifest["nodes"].items()):
        if node.get("attached_node") == RATES and node["test_metadata"]["name"] == "unique_key":
            del manifest["nodes"][key]


BREACHES = {
    "a mart reads staging": (
        lambda m: m["nodes"][RATES]["depends_on"]["nodes"].append(STAGED),
        "escape_rates: marts must not read stg_madbench__steps",
    ),
    "staging joins another model": (
        lambda m: m["nodes"][STAGED]["depends_on"]["nodes"].append(RATES),
        "stg_madbench__steps: staging must not read escape_rates",
    ),
    "a name without its layer": (
        lambda m: m["nodes"][STAGED].update(name="steps_raw"),
        "steps_raw: name does not say its layer",
    ),
    "a description without its grain": (
        lambda m: m["nodes"][RATES].update(description="Escape rates."),
        "escape_rates: description does not begin with its grain",
    ),
    "no grain": (
        lambda m: m["nodes"][RATES]["config"]["meta"].clear(),
        "escape_rates: no grain",
    ),
    "no key test on the grain": (_drop_key_test, "escape_rates: no unique_key test on its grain"),
    "no contract": (
        lambda m: m["nodes"][RATES]["config"]["contract"].update(enforced=False),
        "escape_rates: contract not enforced",
    ),
    "a mart that is not published": (
        lambda m: m["nodes"]["model.mad_warehouse.published_tables"]["depends_on"]["nodes"].remove(
            RATES
        ),
        "escape_rates: nothing reads it",
    ),
}


@pytest.mark.parametrize(("breach", "found"), BREACHES.values(), ids=list(BREACHES))
def test_each_rule_finds_its_breach(manifest, breach, found):
    broken = copy.deepcopy(manifest)
    breach(broken)
    assert list(violations(broken)) == [found]


def test_everything_is_described(manifest):
    assert list(undescribed(manifest)) == []


def _rename_parameter(manifest: dict) -> None:
    macro = manifest["macros"]["macro.mad_warehouse.name_key"]
    macro["macro_sql"] = macro["macro_sql"].replace("name_key(name)", "name_key(text)")


SILENCES = {
    "a model": (
        lambda m: m["nodes"][RATES].update(description=""),
        "escape_rates: no description",
    ),
    "a column that repeats its name": (
        lambda m: m["nodes"][RATES]["columns"]["n_rooms"].update(description="n_rooms"),
        "escape_rates.n_rooms: no description",
    ),
    "a model without columns": (
        lambda m: m["nodes"][STAGED]["columns"].clear(),
        "stg_madbench__steps: no columns",
    ),
    "a column of a seed": (
        lambda m: m["nodes"]["seed.mad_warehouse.unit_factors"]["columns"]["unit"].update(
            description=""
        ),
        "unit_factors.unit: no description",
    ),
    "a source": (
        lambda m: m["sources"]["source.mad_warehouse.madbench.steps"].update(description=""),
        "steps: no description",
    ),
    "a column of a source": (
        lambda m: m["sources"]["source.mad_warehouse.madbench.steps"]["columns"][
            "step_index"
        ].update(description=""),
        "steps.step_index: no description",
    ),
    "a macro": (
        lambda m: m["macros"]["macro.mad_warehouse.name_key"].update(description=""),
        "name_key: no description",
    ),
    "an argument": (
        lambda m: m["macros"]["macro.mad_warehouse.name_key"]["arguments"][0].update(
            description="name"
        ),
        "name_key(name): no description",
    ),
    "an argument under another name": (
        _rename_parameter,
        "name_key: its arguments are not those described",
    ),
    "a generic test": (
        lambda m: m["macros"]["macro.mad_warehouse.test_unique_key"].update(description=""),
        "test_unique_key: no description",
    ),
    "an exposure": (
        lambda m: m["exposures"]["exposure.mad_warehouse.bi_tools"].update(description=""),
        "bi_tools: no description",
    ),
}


@pytest.mark.parametrize(("silence", "found"), SILENCES.values(), ids=list(SILENCES))
def test_what_is_not_described_is_found(manifest, silence, found):
    broken = copy.deepcopy(manifest)
    silence(broken)
    assert list(undescribed(broken)) == [found]


def written_twice(documents: list[dict]) -> list[str]:
    """Descriptions that two columns have word for word, and not from one docs block."""
    tables = [
        table
        for document in documents
        for kind in ("models", "seeds", "sources")
        for entry in document.get(kind, [])
        for table in entry.get("tables", [entry])
    ]
    columns = {
        id(column): column for table in tables for column in table["columns"]
    }  # an alias is one
    counts = Counter(column["description"].strip() for column in columns.values())
    return [text for text, n in counts.items() if n > 1 and not text.startswith("{{ doc(")]


def test_a_meaning_is_written_once():
    files = [*PROJECT.glob("models/**/*__models.yml"), *PROJECT.glob("models/**/*__sources.yml")]
    files += PROJECT.glob("seeds/*.yml")
    assert len(files) > 20
    assert written_twice([yaml.safe_load(file.read_text("utf-8")) for file in files]) == []


def test_a_meaning_written_twice_is_found():
    models = """
        models:
          - name: a
            columns: [{name: x, description: "{{ doc('x') }}"}, &y {name: y, description: Once.}]
          - name: b
            columns: [{name: x, description: "{{ doc('x') }}"}, *y, {name: z, description: Twice.}]
    """
    sources = "sources: [{name: s, tables: [{name: t, columns: [{name: z, description: Twice.}]}]}]"
    assert written_twice([yaml.safe_load(models), yaml.safe_load(sources)]) == ["Twice."]


def tables_read(connection: duckdb.DuckDBPyConnection, queries: list[str]) -> set[str]:
    """Names of the tables that the queries read, by DuckDB's own parser."""
    assert queries
    read: set[str] = set()
    for query in queries:
        (parsed,) = connection.execute("select json_serialize_sql(?)", [query]).fetchone()
        tree = json.loads(parsed)
        assert not tree["error"], f"{tree}\n{query}"
        nodes = list(_nodes_of(tree))
        ctes = {entry["key"] for node in nodes for entry in node.get("cte_map", {}).get("map", [])}
        read |= {node["table_name"] for node in nodes if node.get("type") == "BASE_TABLE"} - ctes
    return read


def _nodes_of(tree: Any) -> Iterator[dict]:
    """Every object of a parsed query."""
    if isinstance(tree, dict):
        yield tree
        tree = list(tree.values())
    if isinstance(tree, list):
        for part in tree:
            yield from _nodes_of(part)


def queries_of_the_report() -> list[str]:
    return [
        path.read_text("utf-8")
        for path in sorted((PROJECT / "ingest/report/queries").glob("*.sql"))
    ]


def queries_of_the_guide() -> list[str]:
    guide = (PROJECT / "docs" / "queries.md").read_text("utf-8")
    return re.findall(r"^```sql\n(.+?)^```$", guide, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("exposure", "queries"),
    [("report_page", queries_of_the_report), ("shell_queries", queries_of_the_guide)],
)
def test_an_exposure_depends_on_the_tables_its_queries_read(manifest, sample, exposure, queries):
    assert _tables_of(manifest, exposure) == tables_read(sample, queries())


def test_bi_tools_see_every_published_table(manifest, sample):
    published = {
        name for (name,) in sample.execute("select table_name from duckdb_tables()").fetchall()
    }
    assert _tables_of(manifest, "bi_tools") == published


def test_the_tables_of_a_query_are_found_in_all_its_parts(sample):
    query = """
        with newest as (select * from rooms where is_latest)
        select (select count(*) from steps), newest.trace_id
        from newest inner join (select * from attempts) as tried using (trace_id)
        union all select 1, path from source_files
    """
    assert tables_read(sample, [query]) == {"rooms", "steps", "attempts", "source_files"}


def _tables_of(manifest: dict, exposure: str) -> set[str]:
    nodes = manifest["exposures"][f"exposure.{PACKAGE}.{exposure}"]["depends_on"]["nodes"]
    return {manifest["nodes"][node]["name"] for node in nodes}
