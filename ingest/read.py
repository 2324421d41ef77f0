"""Finding and opening input files: the only place that reads what the user gave us."""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from pathlib import Path
from typing import NamedTuple

from ingest.errors import MadwError, Reason, RejectedInput
from ingest.parse import mad, mast_repo, names

MAX_BYTES = 1 << 30  # of one decompressed file; the largest published one has 200 MB
MAD_KINDS = frozenset({"mad_human", "mad_full", "mast_definitions", "mast_judge", "mast_trace"})
SHARED_KINDS = MAD_KINDS | {"rooms"}  # of files that no run owns
INPUT_KINDS = SHARED_KINDS | {"trace"}  # what a root must hold some of
_ENDING = re.compile(r"(\.json)?(\.gz)?$", re.IGNORECASE)
_HEADS = (1 << 16, 1 << 20, 1 << 24, MAX_BYTES)  # bytes looked at, until they tell


class InputFile(NamedTuple):
    """A file below a root: its path from there ("/" between parts), and what stat says."""

    path: str
    root: str
    location: str
    bytes: int
    mtime_ns: int


def scan(root: Path, skip: frozenset[str] = frozenset()) -> list[InputFile]:
    """Every file below `root`, sorted by path. Names that begin with a dot, and the paths in
    `skip`, are not looked at.

    Linked files count as files. A linked folder is entered only where its files are not seen anyway
    (`latest` -> `run_...` is not), nor where it leads round to the root. Raises MadwError for a
    folder that cannot be listed: its files must not count as vanished.
    """
    seen: list[InputFile] = []
    top = os.fspath(root)
    home = os.path.realpath(root)
    entered = [home]
    folders = [(top, "")]
    while folders:
        folder, prefix = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            raise MadwError(f"{_storable(folder)} cannot be listed: {error.strerror}.") from None
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.path in skip:
                continue
            if not _is_folder(entry):
                seen.append(_input_file(entry, top, prefix))
                continue
            if entry.is_symlink():
                real = os.path.realpath(entry.path)
                if _leads_to(real, home) or any(_leads_to(tree, real) for tree in entered):
                    continue
                entered.append(real)
            folders.append((entry.path, f"{prefix}{_storable(entry.name)}/"))
    seen.sort()
    return seen


def _is_folder(entry: os.DirEntry) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _input_file(entry: os.DirEntry, root: str, prefix: str) -> InputFile:
    try:
        stat = entry.stat()
        size, mtime = stat.st_size, stat.st_mtime_ns
    except OSError:  # a link to nothing: it is read, and rejected, as any other file
        size, mtime = 0, 0
    return InputFile(prefix + _storable(entry.name), root, entry.path, size, mtime)


def _leads_to(tree: str, folder: str) -> bool:
    """True where a walk of `tree`, which leaves out hidden names, comes to `folder`."""
    below = os.path.join(tree, "")
    return folder == tree or (
        folder.startswith(below) and f"{os.sep}." not in folder[len(below) - 1 :]
    )


def _storable(name: str) -> str:
    """A file name as text; bytes that are not UTF-8 show as escapes."""
    if name.isascii():
        return name
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def kind_of(path: str) -> str:
    """What a file is by its path below the root; its content may tell more: `kind_of_file`."""
    if path == "dataset.json":
        return "dataset_card"
    name = path.rsplit("/", 1)[-1].lower().removesuffix(".gz")
    if name == "metadata.jsonl":
        return "metadata"
    for ending, kind in (
        (".json", "trace"),
        (".jsonl", "rooms"),
        (".log", "log"),
        (".csv", "summary"),
    ):
        if name.endswith(ending):
            return kind
    return "other"


def kind_of_file(path: str, location: str) -> str:
    """What a file is, by its path and, where names do not tell, by its first bytes.

    MAD's files and those of the MAST repository have names as any other: a .json whose name is not
    a trace's, a .txt and an .ipynb are opened. A file that will not open is what its name says.
    """
    kind = kind_of(path)
    name = path.lower().removesuffix(".gz")
    if kind == "trace" and names.file_name(stem_of(path)).started_at is None:
        return _kind_of_json(location) or kind
    if name.endswith(".txt"):
        return mast_repo.kind_of_text(path, read_head(location, _HEADS[0])) or kind
    if name.endswith(".ipynb"):
        return mast_repo.kind_of_notebook(read_head(location, MAX_BYTES)) or kind
    return kind


def _kind_of_json(location: str) -> str:
    for n_bytes in _HEADS:
        head = read_head(location, n_bytes)
        kind = mad.kind_of_head(head, is_whole=len(head) < n_bytes or n_bytes == _HEADS[-1])
        if kind is not None:
            return kind
    return ""


def read_head(location: str, n_bytes: int) -> bytes:
    """The first decompressed bytes of a file, as far as it gives any; never raises for a file."""
    try:
        with open(location, "rb", buffering=0) as file:
            data = file.read(n_bytes)
    except OSError:
        return b""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return zlib.decompressobj(wbits=31).decompress(data, n_bytes)
    except zlib.error:
        return b""


def stem_of(path: str) -> str:
    """The file's name without folder and ending (`.json`, `.json.gz`)."""
    return _ENDING.sub("", path.rsplit("/", 1)[-1])


def read_bytes(location: str) -> bytes:
    """The decompressed bytes of a file.

    Raises RejectedInput (`unreadable`, `bad_gzip`, `too_large`).
    """
    try:
        with open(location, "rb", buffering=0) as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                raise _too_large()
            data = file.readall()
    except OSError as error:
        raise RejectedInput(
            Reason.UNREADABLE, f"The file cannot be read: {error.strerror}."
        ) from None
    return _gunzip(data) if data.startswith(b"\x1f\x8b") else data


def _too_large() -> RejectedInput:
    return RejectedInput(Reason.TOO_LARGE, f"The file holds more than {MAX_BYTES:,} bytes.")


def _gunzip(data: bytes) -> bytes:
    members, left = [], MAX_BYTES
    while data:
        inflate = zlib.decompressobj(wbits=31)
        try:
            members.append(inflate.decompress(data, left + 1))
        except zlib.error as error:
            raise RejectedInput(Reason.BAD_GZIP, f"The gzip stream is broken: {error}.") from None
        left -= len(members[-1])
        if left < 0:
            raise _too_large()
        if not inflate.eof:
            raise RejectedInput(Reason.BAD_GZIP, "The gzip stream ends before it is complete.")
        data = inflate.unused_data.lstrip(b"\0")
    return b"".join(members)


def sha256_of(data: bytes) -> str:
    """Hex digest of the decompressed bytes."""
    return hashlib.sha256(data).hexdigest()
