"""What the published file promises: complete, self-contained, swapped in whole or not at all."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builds import content, dbt, madw

from ingest.home import SAMPLE
from ingest.schemas import TABLES

PLAIN_TYPES = ("VARCHAR", "BOOLEAN", "INTEGER", "BIGINT", "DOUBLE", "DECIMAL", "DATE", "TIMESTAMP")
UNCHANGED = "mad.duckdb was left as it was"


@pytest.fixture
def home(sample_warehouse: Path, tmp_path: Path) -> Path:
    """A copy of the built sample that a test may change."""
    copy = tmp_path / "home"
    shutil.copytree(sample_warehouse, copy)
    return copy


def tamper(home: Path, table: str, change) -> None:
    """Rewrite one lake file of the older sample as no ingest would."""
    path = next((home / "lake" / table).glob("dataset=madbench-sample-v1/**/data.parquet"))
    rows = pq.read_table(path).to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=TABLES[table].schema), path)


def test_the_file_holds_described_tables_of_plain_types_and_nothing_else(sample_warehouse):
    with duckdb.connect(str(sample_warehouse / "mad.duckdb"), read_only=True) as connection:
        schemas = connection.execute(
            "select distinct schema_name from duckdb_tables() union select schema_name from "
            "duckdb_views() where not internal"
        ).fetchall()
        views = connection.execute(
            "select view_name from duckdb_views() where not internal"
        ).fetchall()
        bare = connection.execute(
            "select table_name, '' from duckdb_tables() where coalesce(comment, '') = '' union all "
            "select table_name, column_name from duckdb_columns() where coalesce(comment, '') = ''"
            " and not internal"
        ).fetchall()
        odd = [
            row
            for row in connection.execute(
                "select table_name, column_name, data_type from duckdb_columns() where not internal"
            ).fetchall()
            if not row[2].startswith(PLAIN_TYPES) or row[2].endswith("[]") or "ZONE" in row[2]
        ]
    assert schemas == [("main",)]
    assert views == []
    assert bare == []
    assert odd == []


def test_every_mart_is_published(sample_warehouse):
    manifest = json.loads((sample_warehouse / "build/target/manifest.json").read_text("utf-8"))
    marts = {
        node["name"]
        for node in manifest["nodes"].values()
        if node["resource_type"] == "model"
        and node["fqn"][1] == "marts"
        and node["name"] != "published_tables"
    }
    with duckdb.connect(str(sample_warehouse / "mad.duckdb"), read_only=True) as connection:
        assert {name for (name,) in connection.execute("show tables").fetchall()} == marts


def test_a_plain_dbt_build_publishes_the_same_content_beside_an_open_reader(home):
    file = home / "mad.duckdb"
    before = content(file)
    first_inode = file.stat().st_ino
    with duckdb.connect(str(file), read_only=True) as reader:
        done = dbt(home, "build", "--threads", "16")
        assert done.returncode == 0, done.stdout
        assert reader.execute("select count(*) from steps").fetchone() == (1505,)
    assert "Published" in done.stdout
    assert file.stat().st_ino != first_inode
    assert content(file) == before


def test_what_is_not_a_complete_build_leaves_the_file_and_says_so(home):
    file = home / "mad.duckdb"
    before = file.read_bytes()
    for arguments in (
        ("run",),
        ("build", "--select", "escape_rates+"),
        ("build", "--exclude-resource-type", "test"),
    ):
        done = dbt(home, *arguments)
        assert done.returncode == 0, done.stdout
        assert done.stdout.count(UNCHANGED) == 1, arguments
        assert "Published" not in done.stdout
    assert file.read_bytes() == before


def test_a_failing_data_test_leaves_the_file_and_shows_test_and_rows(home):
    file = home / "mad.duckdb"
    before = file.read_bytes()

    def one_step_more(rows):
        row = next(row for row in rows if row["kind"] == "trace")
        row["n_steps"] += 1

    tamper(home, "source_files", one_step_more)
    done = dbt(home, "build", "--exclude-resource-type", "unit_test")
    assert done.returncode == 1
    assert "FAILED assert_every_loaded_step_is_published" in done.stdout
    assert "dataset = madbench-sample-v1" in done.stdout
    assert UNCHANGED in done.stdout
    assert file.read_bytes() == before


def test_adding_a_run_changes_only_its_rows(tmp_path):
    corpus, home = tmp_path / "corpus", tmp_path / "home"
    runs = sorted((SAMPLE / "madbench-sample-v1").glob("run_*"))
    for run in runs[:2]:
        shutil.copytree(run, corpus / run.name)
    assert madw(home, "build", str(corpus)).returncode == 0
    before = content(home / "mad.duckdb")
    shutil.copytree(runs[2], corpus / runs[2].name)
    done = madw(home, "build", str(corpus))
    assert done.returncode == 0, done.stderr
    assert "1 changed run" in done.stdout
    after = content(home / "mad.duckdb")
    added = f"corpus/{runs[2].name}"
    for table in ("runs", "rooms", "attempts", "steps", "step_texts", "first_wrong_steps"):
        more = set(after[table]) - set(before[table])
        assert set(before[table]) <= set(after[table]), table
        assert more or table == "first_wrong_steps"
        assert all(any(str(cell).startswith(added) for cell in row) for row in more), table


def test_any_home_path_and_any_model_name_will_do(tmp_path):
    home = tmp_path / "ho me [1]* é 'x'"
    run = tmp_path / "corpus" / "run_20260101_000000_o'model_0.0"
    run.mkdir(parents=True)
    source = next((SAMPLE / "madbench-sample-v1").glob("run_*_gpt-4.1_0.0/*_room_0000_*.json"))
    document = json.loads(source.read_text("utf-8"))
    document["config"]["llm"]["model"] = 'some/o\'model "x"'
    (run / source.name).write_text(json.dumps(document), "utf-8")
    done = madw(home, "build", "corpus", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(str(home / "mad.duckdb"), read_only=True) as connection:
        assert connection.execute("select model, n_rooms from escape_rates").fetchall() == [
            ('o\'model "x"', 1)
        ]
