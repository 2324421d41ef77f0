"""Rows to Parquet files of the lake."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
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


class TableWriter:
    """Collects the rows of one run, or of a data set's files that no run owns, and writes them, a
    batch at a time, below a temporary folder.
    """

    def __init__(self, folder: Path, owner: Sequence[str], tables: Sequence[str]) -> None:
        """Files are written as `<folder>/<table>.parquet`; `owner` fills the first columns."""
        self._folder = folder
        self._owner = owner
        self._rows: dict[str, list[tuple]] = {name: [] for name in tables}
        self._ids: dict[str, list[str]] = {name: [] for name in tables}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._held = 0

    def add(self, row_id: str, rows: Mapping[str, Sequence[tuple]], size: int) -> None:
        """Take rows of one file, of `size` bytes; `row_id` fills the column after the owner's."""
        for name, more in rows.items():
            self._rows[name].extend(more)
            self._ids[name].extend([row_id] * len(more))
        self._held += size
        if self._held >= _BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        for name, rows in self._rows.items():
            if not rows:
                continue
            if name not in self._writers:
                self._writers[name] = open_writer(name, self._folder / f"{name}.parquet")
            self._writers[name].write_table(to_table(name, rows, self._owner, self._ids[name]))
            rows.clear()
            self._ids[name].clear()
        self._held = 0

    def close(self, last: Mapping[str, Sequence[tuple]] | None = None) -> dict[str, Path]:
        """Write what is left, and the `last` rows, which have no id of their own.

        Returns the path of each table that has rows.
        """
        for name, rows in (last or {}).items():
            self._rows[name].extend(rows)
        self._flush()
        for writer in self._writers.values():
            writer.close()
        return {name: self._folder / f"{name}.parquet" for name in self._writers}
