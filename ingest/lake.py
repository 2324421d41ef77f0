"""The lake on disk: where its files stand, what it knows of its sources, what is half done."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pyarrow.parquet as pq

from ingest.errors import RejectedInput
from ingest.parse.json_text import clean_text
from ingest.read import InputFile
from ingest.schemas import LAKE_VERSION, TABLES
from ingest.write import write_file

_NAME_LIMIT = 180  # of a partition folder; file systems stop at 255 bytes


class SourceRow(NamedTuple):
    """One row of `source_files`, without the data set."""

    path: str
    root: str
    bytes: int
    mtime_ns: int
    sha256: str | None
    kind: str
    run_id: str | None
    status: str
    error_code: str | None = None
    error: str | None = None
    error_at: str | None = None
    n_rooms: int | None = None
    n_puzzles: int | None = None
    n_steps: int | None = None
    unknown_keys_json: str | None = None

    @classmethod
    def of(cls, file: InputFile, kind: str, status: str, **facts: Any) -> SourceRow:
        """The row of a file of a kind and status; `facts` are the other fields known of it."""
        facts = {"sha256": None, "run_id": None, **facts}
        return cls(
            path=file.path,
            root=file.root,
            bytes=file.bytes,
            mtime_ns=file.mtime_ns,
            kind=kind,
            status=status,
            **facts,
        )

    @classmethod
    def rejected(cls, file: InputFile, kind: str, error: RejectedInput, **facts: Any) -> SourceRow:
        """The row of a file that cannot be used, with code, sentence and place."""
        return cls.of(
            file,
            kind,
            "rejected",
            error_code=str(error.code),
            error=clean_text(error.message),
            error_at=error.at or None,
            **facts,
        )


class DatasetRow(NamedTuple):
    """One row of `datasets`, without its name."""

    is_synthetic: bool | None = None
    description: str | None = None
    source: str | None = None
    licence: str | None = None
    revision: str | None = None
    is_bundled: bool = False


def _folder_name(key: str, value: str) -> str:
    name = quote(value, safe=" ").replace(" ", "%20")
    if len(name) > _NAME_LIMIT:
        name = f"{name[:_NAME_LIMIT]}-{hashlib.sha256(value.encode()).hexdigest()[:16]}"
    return f"{key}={name}"


def _version(file: pq.ParquetFile) -> str:
    return (file.metadata.metadata or {}).get(b"lake_version", b"").decode()


class Lake:
    """The Parquet files below one folder. Only the holder of the writer's lock may change them."""

    def __init__(self, folder: Path) -> None:
        """`folder` need not exist yet."""
        self.folder = folder
        self.incoming = folder / ".incoming"  # runs being written, renamed into place when done
        self._pending_file = folder / "pending.json"

    def path_of(self, table: str, dataset: str, run_id: str | None = None) -> Path:
        """The file of a table's partition."""
        folder = self.folder / table / _folder_name("dataset", dataset)
        if TABLES[table].by_run:
            folder /= _folder_name("run_id", run_id or "_")
        return folder / "data.parquet"

    # What is there

    def datasets(self) -> dict[str, DatasetRow]:
        """Every data set of the lake, by name."""
        return {row[0]: DatasetRow(*row[1:]) for row in self._read("datasets")}

    def source_rows(self) -> dict[str, dict[str, SourceRow]]:
        """Data set -> path -> row; empty where the lake is of another version."""
        found: dict[str, dict[str, SourceRow]] = {}
        for dataset, *row in self._read("source_files"):
            found.setdefault(dataset, {})[row[0]] = SourceRow(*row)
        return found

    def _read(self, table: str) -> Iterable[tuple]:
        for path in sorted(self.folder.glob(f"{table}/*/data.parquet")):
            with pq.ParquetFile(path) as file:
                if _version(file) != LAKE_VERSION:
                    continue
                content = file.read(use_threads=False)
            yield from zip(*(column.to_pylist() for column in content.columns), strict=True)

    # Changing it

    def ensure_tables(self) -> None:
        """Give every table its typed, empty file, so that a glob finds each."""
        for name, table in TABLES.items():
            path = self.path_of(name, "_")
            if not path.exists() or not pq.read_schema(path).equals(table.schema):
                write_file(name, path, [], ())

    def put_run(self, dataset: str, run_id: str, files: dict[str, Path]) -> None:
        """Move a run's new files into place."""
        for table, path in files.items():
            target = self.path_of(table, dataset, run_id)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, target)

    def drop_run(self, dataset: str, run_id: str) -> None:
        """Take a run's rows out of every table."""
        for name, table in TABLES.items():
            if table.by_run:
                shutil.rmtree(self.path_of(name, dataset, run_id).parent, ignore_errors=True)

    def put_table(self, table: str, dataset: str, rows: list[tuple]) -> None:
        """Replace a data set's file of a table that no run owns."""
        write_file(table, self.path_of(table, dataset), rows, (dataset,))

    def put_sources(self, dataset: str, rows: Iterable[SourceRow]) -> None:
        """Replace a data set's `source_files`: the last thing written, so it is the truth."""
        self.put_table("source_files", dataset, sorted(rows))

    def drop_dataset(self, dataset: str) -> None:
        """Take a data set out; its `source_files` go first, its name last."""
        order = ["source_files", *(n for n in TABLES if n not in ("source_files", "datasets"))]
        for name in [*order, "datasets"]:
            folder = self.folder / name / _folder_name("dataset", dataset)
            shutil.rmtree(folder, ignore_errors=True)

    def drop_outdated(self) -> int:
        """Take out data sets written by another version of the lake's schema; return how many."""
        outdated = []
        for path in sorted(self.folder.glob("source_files/*/data.parquet")):
            with pq.ParquetFile(path) as file:
                if _version(file) != LAKE_VERSION:
                    outdated.append(path.parent.name)
        for name in outdated:
            for folder in self.folder.glob(f"*/{glob.escape(name)}"):
                shutil.rmtree(folder)
        return len([name for name in outdated if name != "dataset=_"])

    # What is half done

    def mark_pending(self, runs: Iterable[tuple[str, str | None]]) -> None:
        """Note the (data set, run) pairs about to change; a run of None is the room files."""
        runs = sorted(runs, key=str)
        if not runs:
            self._pending_file.unlink(missing_ok=True)
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self._pending_file.with_suffix(".tmp")
        temporary.write_text(json.dumps(runs), "utf-8")
        os.replace(temporary, self._pending_file)

    def recover(self) -> list[str]:
        """Undo what an ingest that was cut short left behind; return the runs to be read again.

        Such a run loses its rows and its `source_files`, so that it counts as never seen.
        """
        shutil.rmtree(self.incoming, ignore_errors=True)
        if not self._pending_file.exists():
            return []
        pending = {
            (dataset, run) for dataset, run in json.loads(self._pending_file.read_text("utf-8"))
        }
        for dataset, rows in self.source_rows().items():
            kept = [
                row
                for row in rows.values()
                if (dataset, row.run_id) not in pending
                or (row.run_id is None and row.kind != "rooms")
            ]
            if len(kept) < len(rows):
                self.put_sources(dataset, kept)
        for dataset, run_id in pending:
            if run_id is None:
                for table in ("room_definitions", "puzzle_definitions"):
                    self.put_table(table, dataset, [])
            else:
                self.drop_run(dataset, run_id)
        self.mark_pending([])
        return sorted(run_id or f"{dataset} (room files)" for dataset, run_id in pending)
