"""The rules of the dbt project, checked on its manifest and, each, on one that breaks it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator

import pytest

# what a model of a layer may read
READS = {
    "staging": {"source"},
    "intermediate": {"staging", "intermediate", "seed"},
    "facts": {"staging", "intermediate", "facts", "seed"},
    "marts": {"facts", "intermediate", "seed"},
    "publish": {"facts", "marts"},
}
PREFIX = {"staging": "stg_", "intermediate": "int_"}


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
        for column in node["columns"].values():
            if len(column["description"]) < 8 or column["description"] == column["name"]:
                yield f"{name}.{column['name']}: no description"
        if where in ("facts", "marts") and not node["config"]["contract"]["enforced"]:
            yield f"{name}: contract not enforced"
        if where != "publish" and key not in read_by_someone:
            yield f"{name}: nothing reads it"


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
    "a column without description": (
        lambda m: m["nodes"][RATES]["columns"]["n_rooms"].update(description="n_rooms"),
        "escape_rates.n_rooms: no description",
    ),
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
