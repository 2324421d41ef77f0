"""Where a warehouse lives, and the lock that lets one writer in at a time."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import filelock

from ingest.errors import MadwError, UsageError

PROJECT = Path(__file__).resolve().parent.parent
SAMPLE = PROJECT / "warehouse" / "sample"


class Home(NamedTuple):
    """The folder of one warehouse; every place below it has its name here and nowhere else."""

    root: Path

    @property
    def raw(self) -> Path:
        """Downloads and traces of the user: each folder in it is a data set."""
        return self.root / "raw"

    @property
    def lake(self) -> Path:
        """Parquet, written by ingest and read by the staging models."""
        return self.root / "lake"

    @property
    def build(self) -> Path:
        """What dbt works with: its database, target and logs."""
        return self.root / "build"

    @property
    def work_database(self) -> Path:
        """The database dbt builds in; the published file is a copy of its marts."""
        return self.build / "work.duckdb"

    @property
    def published(self) -> Path:
        """The file people open."""
        return self.root / "mad.duckdb"

    def published_identity(self) -> tuple[int, int] | None:
        """What changes when a build publishes; None where nothing is published."""
        if not self.published.is_file():
            return None
        found = self.published.stat()
        return found.st_ino, found.st_mtime_ns

    @property
    def report(self) -> Path:
        """The page of the published file, for those who would rather look than query."""
        return self.root / "report.html"


def find_home(given: str | os.PathLike | None = None) -> Home:
    """The home asked for: `given`, else `MADW_HOME`, else `warehouse/` of the project."""
    chosen = given or os.environ.get("MADW_HOME") or PROJECT / "warehouse"
    try:
        root = Path(chosen).expanduser().absolute()
        str(root).encode("utf-8")
    except RuntimeError:
        raise UsageError(f"{chosen} is of a user who is not known here.") from None
    except UnicodeEncodeError:
        raise UsageError(f"The name of the home {os.fsencode(chosen)!r} is not UTF-8.") from None
    return Home(root)


def check_output(home: Home, path: Path) -> None:
    """Raises UsageError where writing to `path` would destroy a part of the warehouse."""
    target = path.resolve()
    own = [home.published, home.raw, home.lake, home.build, SAMPLE]
    if any(target == place or place in target.parents for place in map(Path.resolve, own)):
        raise UsageError(f"{path} is a part of the warehouse itself: name another file.")


def create_home(home: Home) -> Home:
    """Make the home's folder and return the home; raises UsageError where its parent is missing."""
    if not home.root.parent.is_dir():
        raise UsageError(f"{home.root.parent} does not exist, so no warehouse can be made in it.")
    if home.root.exists() and not home.root.is_dir():
        raise UsageError(f"{home.root} is not a folder, so it cannot hold a warehouse.")
    home.build.mkdir(parents=True, exist_ok=True)
    return home


_locks: dict[Path, filelock.FileLock] = {}


def _holder(path: Path) -> str:
    try:
        holder = json.loads(path.read_text("utf-8"))
        return f"`{holder['command']}` (pid {holder['pid']}, since {holder['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def acquire_writer(home: Home, command: str) -> filelock.FileLock:
    """Take the writer's lock of `home`, for this process; released with it at the latest.

    A process that holds it already may take it again. Raises MadwError, naming the holder, when
    another process holds it.
    """
    lock = _locks.setdefault(
        home.root, filelock.FileLock(home.root / ".lock", timeout=0, thread_local=False)
    )
    info = home.root / ".lock-holder.json"
    try:
        lock.acquire()
    except filelock.Timeout:
        raise MadwError(
            f"{home.root} is being written by {_holder(info)}. Try again when that is done."
        ) from None
    except OSError as error:
        raise MadwError(f"{home.root} cannot be written: {error.strerror}.") from None
    if lock.lock_counter == 1:
        since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        info.write_text(
            json.dumps({"command": command, "pid": os.getpid(), "since": since}), "utf-8"
        )
    return lock


@contextlib.contextmanager
def writer(home: Home, command: str | None = None) -> Iterator[None]:
    """Hold the writer's lock for a block of work."""
    lock = acquire_writer(home, command or " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]]))
    try:
        yield
    finally:
        lock.release()
