"""Rows to Parquet files of the lake."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.schemas import LAKE_VERSION, TABLES

_BATCH_BYTES = 8 << 20  # raw input held as rows before a row group is written


def to_table(
    name: str, rows: Sequence[tuple], constants: Sequence[str], ids: Sequence[str] = ()
) -> pa.Table:
    """Rows as an Arrow table of the lake's schema.

    The schema's first columns are filled by `constants` and, where given, by `ids`, one a row.
    """
    schema = TABLES[name].schema
    if not rows:
        return schema.empty_table()
    columns: list = [pa.repeat(pa.scalar(value), len(rows)) for value in constants]
    if ids:
        columns.append(pa.array(ids, pa.string()))
    rest = list(schema)[len(columns) :]
    values = zip(*rows, strict=True)
    columns += [pa.array(column, field.type) for field, column in zip(rest, values, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def open_writer(name: str, path: Path) -> pq.ParquetWriter:
    """A Parquet writer for one file of a table; the caller closes it."""
    table = TABLES[name]
    writer = pq.ParquetWriter(
        path,
        table.schema,
        compression={n: "zstd" if n in table.long else "none" for n in table.schema.names},
        compression_level={name: 1 for name in table.long} or None,
        use_dictionary=[
            field.name
            for field in table.schema
            if field.name not in table.long and field.type != pa.float64()
        ],
        write_statistics=False,  # nothing reads a part of a file by its values
        store_schema=False,
    )
    writer.add_key_value_metadata({"lake_version": LAKE_VERSION})
    return writer


def write_file(name: str, path: Path, rows: Sequence[tuple], constants: Sequence[str]) -> None:
    """Write one whole file under a temporary name and rename it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    with open_writer(name, temporary) as writer:
        writer.write_table(to_table(name, rows, constants))
    os.replace(temporary, path)


class RunWriter:
    """Collects the rows of one run and writes them, a batch at a time, below a temporary folder."""

    def __init__(self, folder: Path, dataset: str, run_id: str) -> None:
        """Files are written as `<folder>/<table>.parquet`."""
        self._folder = folder
        self._constants = (dataset, run_id)
        self._rows: dict[str, list[tuple]] = {n: [] for n, t in TABLES.items() if t.by_run}
        self._ids: dict[str, list[str]] = {name: [] for name in self._rows}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._held = 0

    def add_trace(self, trace_id: str, rows: dict[str, list[tuple]], size: int) -> None:
        """Take the rows of one trace, whose file has `size` bytes."""
        for name, more in rows.items():
            self._rows[name].extend(more)
            self._ids[name].extend([trace_id] * len(more))
        self._held += size
        if self._held >= _BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        for name, rows in self._rows.items():
            if name not in self._writers:
                self._writers[name] = open_writer(name, self._folder / f"{name}.parquet")
            if rows:
                batch = to_table(name, rows, self._constants, self._ids[name])
                self._writers[name].write_table(batch)
                rows.clear()
                self._ids[name].clear()
        self._held = 0

    def close(self, run: tuple) -> dict[str, Path]:
        """Write what is left and the run's own row; return the path of each table's file."""
        self._rows["runs"].append(run)
        self._flush()
        for writer in self._writers.values():
            writer.close()
        return {name: self._folder / f"{name}.parquet" for name in self._writers}
