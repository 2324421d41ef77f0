"""Each table of the lake, read as one data set by the libraries that people read Parquet with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import RUN, ingest, trace, write_run

from ingest.home import Home
from ingest.schemas import TABLES

LONG_RUN = f"{RUN} é 100% {'x' * 170}"  # its folder in the lake has a shorter name
Read = Callable[[Path], pa.Table]


# The calls a user needs. `dataset` and `run_id` are columns of every file; taken from the names of
# the folders instead, a long one would be cut short, and pandas finds two types for one column.


def with_pandas(folder: Path) -> pa.Table:
    frame = pd.read_parquet(folder, partitioning=None)
    return pa.Table.from_pandas(frame, TABLES[folder.name].schema, preserve_index=False)


def with_polars(folder: Path) -> pa.Table:
    return pl.read_parquet(folder, hive_partitioning=False).to_arrow()


def with_pyarrow(folder: Path) -> pa.Table:
    return pq.read_table(folder, partitioning=None)


def with_duckdb(folder: Path) -> pa.Table:
    query = "from read_parquet(? || '/**/*.parquet', hive_partitioning = false)"
    return duckdb.sql(query, params=[str(folder)]).to_arrow_table()


def in_order(table: pa.Table) -> pa.Table:
    """The rows in one order, whatever the order of the files; every kind of text is a string."""
    kinds = {pa.large_string(): pa.string(), pa.string_view(): pa.string()}
    fields = [pa.field(field.name, kinds.get(field.type, field.type)) for field in table.schema]
    table = table.cast(pa.schema(fields))
    return table.sort_by([(name, "ascending") for name in table.column_names])


@pytest.fixture(scope="module")
def odd_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of one run with a long and odd name, most of its tables empty."""
    folder = tmp_path_factory.mktemp("odd")
    write_run(folder / "raw" / LONG_RUN, [trace()])
    ingest(folder / "home", folder / "raw")
    return Home(folder / "home").lake


@pytest.fixture(scope="module", params=["sample", "odd"])
def lake(request: pytest.FixtureRequest) -> Path:
    """The lake of the bundled samples, and the odd one."""
    if request.param == "odd":
        return request.getfixturevalue("odd_lake")
    return Home(request.getfixturevalue("sample_warehouse")).lake


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "read", [with_pandas, with_polars, with_pyarrow, with_duckdb], ids=lambda read: read.__name__
)
def test_a_table_of_the_lake_reads_as_the_sum_of_its_files(read: Read, table: str, lake: Path):
    files = sorted((lake / table).rglob("*.parquet"))
    expected = pa.concat_tables(pq.ParquetFile(file).read() for file in files)

    told = in_order(read(lake / table))

    assert told.schema.equals(TABLES[table].schema)
    assert told.equals(in_order(expected))


def test_the_long_run_is_the_one_that_folder_names_cut_short(odd_lake):
    (run_id,) = with_polars(odd_lake / "runs")["run_id"].to_pylist()

    assert run_id == f"raw/{LONG_RUN}"
    assert pl.read_parquet(odd_lake / "runs")["run_id"].to_list() != [run_id]


def test_a_table_of_the_lake_has_as_many_rows_as_its_staging_model(sample_warehouse):
    home = Home(sample_warehouse)
    manifest = json.loads((home.build / "target" / "manifest.json").read_text("utf-8"))
    models = {  # table of the lake -> the model that stages it
        source.split(".")[-1]: node["name"]
        for node in manifest["nodes"].values()
        if node["resource_type"] == "model"
        for source in node["depends_on"]["nodes"]
        if source.startswith("source.")
    }
    with duckdb.connect(str(home.work_database), read_only=True) as connection:
        connection.execute("set variable lake = ?", [str(home.lake)])
        staged = {
            table: connection.execute(f"select count(*) from {model}").fetchone()[0]
            for table, model in models.items()
        }
    assert staged == {table: with_pyarrow(home.lake / table).num_rows for table in TABLES}
