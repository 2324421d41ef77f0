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
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import MadwError, RejectedInput
from ingest.parse.json_text import clean_text
from ingest.read import SHARED_KINDS, InputFile
from ingest.schemas import LAKE_VERSION, TABLES
from ingest.write import write_file

SHARED_TABLES = tuple(  # of files that no run owns
    name
    for name, table in TABLES.items()
    if not table.by_run and name not in ("datasets", "source_files")
)
RUN_TABLES = tuple(name for name, table in TABLES.items() if table.by_run)
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


def _content(path: Path) -> pa.Table | None:
    """A file's rows; None where it is of another version. Raises ArrowInvalid for a cut one."""
    with pq.ParquetFile(path) as file:
        return file.read(use_threads=False) if _version(file) == LAKE_VERSION else None


class Lake:
    """The Parquet files below one folder. Only the holder of the writer's lock may change them."""

    def __init__(self, folder: Path) -> None:
        """`folder` need not exist yet."""
        self.folder = folder
        self.incoming = folder / ".incoming"  # runs being written, renamed into place when done
        self._pending_file = folder / "pending.json"
        self._roots_file = folder / "roots.json"

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

    def damaged(self) -> set[str]:
        """The data sets whose `source_files` cannot be read: `source_rows` is without them."""
        names = {_folder_name("dataset", name): name for name in self.datasets()}
        found = set()
        for path in self.folder.glob("source_files/*/data.parquet"):
            folder = path.parent.name
            try:
                _content(path)
            except pa.ArrowInvalid:
                found.add(names.get(folder) or unquote(folder.removeprefix("dataset=")))
        return found - {"_"}  # the empty file of `ensure_tables`

    def roots(self) -> set[tuple[str, str]]:
        """Every (folder, data set) ever scanned, whatever became of the rows since."""
        return {(folder, dataset) for folder, dataset in self._load(self._roots_file)}

    def _load(self, path: Path) -> list[list]:
        try:
            return json.loads(path.read_text("utf-8")) if path.exists() else []
        except ValueError:
            raise MadwError(f"{path} is broken. Remove {self.folder} and ingest again.") from None

    def _read(self, table: str) -> Iterable[tuple]:
        for path in sorted(self.folder.glob(f"{table}/*/data.parquet")):
            try:
                content = _content(path)
            except pa.ArrowInvalid:  # cut short by a crash of the machine: as if never written
                continue
            if content is not None:
                yield from zip(*(column.to_pylist() for column in content.columns), strict=True)

    # Changing it

    def put_roots(self, roots: Iterable[tuple[str, str]]) -> None:
        """Replace what `roots` returns."""
        roots = sorted(map(list, roots))
        if roots != self._load(self._roots_file):
            self._store(self._roots_file, roots)

    def _store(self, path: Path, value: list) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps(value), "utf-8")
        os.replace(temporary, path)

    def holds_run(self, dataset: str, run_id: str) -> bool:
        """True where the run's traces have their file."""
        return self.path_of("rooms", dataset, run_id).exists()

    def ensure_tables(self) -> None:
        """Give every table its typed, empty file, so that a glob finds each."""
        for name, table in TABLES.items():
            path = self.path_of(name, "_")
            if not path.exists() or not pq.read_schema(path).equals(table.schema):
                write_file(name, path, [], ())

    def put_run(self, dataset: str, run_id: str | None, files: dict[str, Path]) -> None:
        """Move the new files of a run, or of what no run owns (None), into place."""
        for table in SHARED_TABLES if run_id is None else RUN_TABLES:
            target = self.path_of(table, dataset, run_id)
            if table in files:
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(files[table], target)
            else:
                shutil.rmtree(target.parent, ignore_errors=True)

    def drop_run(self, dataset: str, run_id: str | None) -> None:
        """Take the rows of a run, or of what no run owns (None), out of every table."""
        self.put_run(dataset, run_id, {})

    def put_table(self, table: str, dataset: str, rows: list[tuple]) -> None:
        """Replace a data set's file of a table that has one file a data set."""
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
        self.put_roots(root for root in self.roots() if root[1] != dataset)

    def drop_outdated(self) -> int:
        """Take out data sets written by another version of the lake's schema; return how many."""
        outdated = []
        for path in sorted(self.folder.glob("source_files/*/data.parquet")):
            try:
                with pq.ParquetFile(path) as file:
                    is_outdated = _version(file) != LAKE_VERSION
            except pa.ArrowInvalid:
                is_outdated = True
            if is_outdated:
                outdated.append(path.parent.name)
        for name in outdated:
            for folder in self.folder.glob(f"*/{glob.escape(name)}"):
                shutil.rmtree(folder)
        return len([name for name in outdated if name != "dataset=_"])

    # What is half done

    def mark_pending(self, runs: Iterable[tuple[str, str | None]]) -> None:
        """Note the (data set, run) pairs about to change; a run of None: files no run owns."""
        runs = sorted(runs, key=str)
        if not runs:
            self._pending_file.unlink(missing_ok=True)
            return
        self._store(self._pending_file, runs)

    def recover(self) -> int:
        """Undo what an ingest that was cut short left behind; return how many runs it left.

        Such a run loses its rows and its `source_files`, so that it counts as never seen.
        """
        shutil.rmtree(self.incoming, ignore_errors=True)
        if not self._pending_file.exists():
            return 0
        pending = {(dataset, run) for dataset, run in self._load(self._pending_file)}
        for dataset, rows in self.source_rows().items():
            kept = [
                row
                for row in rows.values()
                if (dataset, row.run_id) not in pending
                or (row.run_id is None and row.kind not in SHARED_KINDS)
            ]
            if len(kept) < len(rows):
                self.put_sources(dataset, kept)
        for dataset, run_id in pending:
            self.drop_run(dataset, run_id)
        self.mark_pending([])
        return len(pending)
