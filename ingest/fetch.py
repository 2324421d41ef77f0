"""`madw fetch`: a published data set, from the Hugging Face Hub into `raw/`, pinned and verified.

A set is brought together in `raw/.<name>.partial`, a name that ingest does not read, and takes the
place of `raw/<name>` by rename when every file is there. A file has its own name in it only once
size and hash are right, so a later call needs no record of progress: it checks what is there and
asks for the rest. `.fetched.json` lists the files of a complete set; others found beside them are
strangers, which are moved aside.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from ingest.errors import MadwError
from ingest.home import Home
from ingest.hub import PARTS, GaveUp, Hub, Refused, SetFile, is_right

WORKERS = 4  # the Hub answers many small requests at once with 429
_MANIFEST = ".fetched.json"
_CARD = "dataset.json"


class HubSet(NamedTuple):
    """A data set that can be fetched."""

    repo: str
    licence: str  # where the Hub's card names none
    description: str
    patterns: tuple[str, ...]  # of the paths needed, in lower case; "*" goes across folders
    required: tuple[str, ...] = ()  # paths without which the set is not the one we know


_TRACES = ("*.json", "*.json.gz", "*.jsonl")
_MAD_FILES = ("MAD_human_labelled_dataset.json", "MAD_full_dataset.json")

SETS = {
    "madbench": HubSet(
        "hww123/MADBench",
        "MIT",
        "MADBench: traces of a three-agent team in escape rooms, one folder per run.",
        _TRACES,
    ),
    "madbench-full": HubSet(
        "hww123/MADBench-full",
        "MIT",
        "MADBench-full: MADBench traces of four difficulties, one folder per model.",
        _TRACES,
    ),
    "madbench-eval": HubSet(
        "hww123/MADBench-eval",
        "MIT",
        "MADBench-eval: the evaluation split of MADBench, one folder per model.",
        _TRACES,
    ),
    "mad": HubSet(
        "mcemri/MAST-Data",
        "CC-BY-4.0",
        "MAD: traces of multi-agent frameworks with failure-mode annotations.",
        tuple(name.lower() for name in _MAD_FILES),
        _MAD_FILES,
    ),
}


class Manifest(NamedTuple):
    """What a complete set consists of: `.fetched.json`."""

    repo: str
    revision: str  # the commit
    files: list[SetFile]


class FetchReport(NamedTuple):
    """What a fetch did, for the user."""

    repo: str
    revision: str  # the commit
    folder: Path
    n_files: int
    n_bytes: int
    n_fetched: int
    strangers: list[str]  # paths that were moved aside
    aside: Path  # where to


def fetch(
    home: Home,
    name: str,
    revision: str | None = None,
    *,
    on_start: Callable[[int], None] = lambda n_files: None,
    on_progress: Callable[[int], None] = lambda n_files: None,
    on_wait: Callable[[float], None] = lambda seconds: None,
) -> FetchReport:
    """Bring the set `name` into `raw/` at `revision` (default: the one recorded there, else main).

    The caller holds the writer's lock. `on_start` is told how many files have to come,
    `on_progress` how many more have, `on_wait` how long the Hub makes us wait. Raises UsageError
    for a revision that is not there, MadwError for everything else that keeps the set from being
    complete; the folder is then as it was.
    """
    wanted = SETS[name]
    folder, partial = home.raw / name, home.raw / f".{name}.partial"
    before = _checked_manifest(folder)
    hub = Hub(on_wait)
    commit, licence = hub.resolve(wanted.repo, revision or (before and before.revision) or "main")
    files = needed_files(wanted, hub.list_files(wanted.repo, commit))
    card = _card(name, wanted, commit, licence)
    manifest = Manifest(wanted.repo, commit, [*files, _file_of(_CARD, card)])

    recorded = before.files if before else []
    intact = {file for file in recorded if is_right(folder / file.path, file)}
    is_complete = before == manifest and len(intact) == len(manifest.files)
    missing: list[SetFile] = []
    if not is_complete:
        with _told_as_madw_error(partial):
            _prepare(partial, files)
            missing = _collect(files, folder, intact, partial)
        on_start(len(missing))
        _download(hub, name, wanted.repo, commit, missing, partial, on_progress)
    aside = home.raw / f".{name}.strangers"
    with _told_as_madw_error(home.raw):
        strangers = _set_aside(folder, {file.path for file in intact}, aside)
        if not is_complete:
            _finish(partial, folder, card, manifest)
    size = sum(file.bytes for file in files)
    return FetchReport(
        wanted.repo, commit, folder, len(files), size, len(missing), strangers, aside
    )


def strangers_in(folder: Path) -> list[str]:
    """Paths of the files below a fetched set's folder that are not of the set, but for hidden ones.

    None of a folder that was not fetched. Raises MadwError for a manifest that cannot be used.
    """
    manifest = _read_manifest(folder)
    if manifest is None:
        return []
    listed = {file.path for file in manifest.files} | {_CARD}  # which fetch writes itself
    return sorted(
        path
        for path in _files_below(folder)
        if path not in listed and not any(part.startswith(".") for part in path.split("/"))
    )


# Which files


def needed_files(wanted: HubSet, listed: Iterable[SetFile]) -> list[SetFile]:
    """The files of the listing that are data, by path; raises MadwError where they are no set."""
    files = []
    for file in sorted(listed):
        if not any(fnmatch.fnmatchcase(file.path.lower(), one) for one in wanted.patterns):
            continue
        _check_path(wanted.repo, file.path)
        is_hidden = any(part.startswith(".") for part in file.path.split("/"))
        if not is_hidden and file.path != _CARD:  # ours takes its place
            files.append(file)
    absent = [path for path in wanted.required if path not in {file.path for file in files}]
    if absent or not files:
        raise MadwError(
            f"{wanted.repo} does not hold {' and '.join(absent) or 'any trace'} at this revision."
        )
    return files


def _check_path(repo: str, path: str) -> None:
    """Raise MadwError for a path that would lead out of the set's folder."""
    unusable = r'[\x00-\x1f\\:*?"<>|]' if os.name == "nt" else r"[\x00-\x1f\\]"
    if any(part in ("", ".", "..") or re.search(unusable, part) for part in path.split("/")):
        raise MadwError(f"{repo} lists a file that cannot be written below a folder: {path!r}.")


# What is there


def _file_of(path: str, content: bytes) -> SetFile:
    return SetFile(path, len(content), "sha256", hashlib.sha256(content).hexdigest())


def _collect(
    files: list[SetFile], folder: Path, intact: Iterable[SetFile], partial: Path
) -> list[SetFile]:
    """Take over the files that are `intact` in the set's folder; return those that are nowhere."""
    missing = []
    for file in files:
        target = partial / file.path
        if is_right(target, file):
            continue
        target.unlink(missing_ok=True)  # of another revision
        if file not in intact:
            missing.append(file)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(folder / file.path, target)
        except OSError:  # a file system without hard links
            shutil.copy2(folder / file.path, target)
    return missing


def _files_below(folder: Path) -> Iterator[str]:
    """Paths of all files below `folder`, hidden ones and links included."""
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        for name in (*names, *links):
            yield Path(place, name).relative_to(folder).as_posix()


# The folders


def _prepare(partial: Path, files: list[SetFile]) -> None:
    """Make the folder to bring the files together in; leave in it only what may be of use.

    Raises MadwError where a path is too long for the system, before anything is downloaded.
    """
    partial.mkdir(parents=True, exist_ok=True)
    paths = {file.path for file in files}
    for path in list(_files_below(partial)):
        if path not in paths and not path.startswith(f"{PARTS}/"):
            (partial / path).unlink()
    for place, _, _ in os.walk(partial, topdown=False):
        with contextlib.suppress(OSError):  # not empty
            os.rmdir(place)
    partial.mkdir(exist_ok=True)
    for path in {
        max(paths, key=len),
        max(paths, key=lambda path: max(len(os.fsencode(part)) for part in path.split("/"))),
    }:
        target = partial / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.touch()
                target.unlink()
        except OSError as error:
            if error.errno not in (errno.ENAMETOOLONG, errno.ENOENT):  # Windows says ENOENT
                raise
            raise MadwError(
                f"{target} is too long a path for this system ({len(str(target))} characters). "
                "Choose a --home with a shorter one."
            ) from None


def _set_aside(folder: Path, intact: set[str], aside: Path) -> list[str]:
    """Move every file out of `folder` that is not one of the set, or was changed."""
    strangers = sorted(
        path for path in _files_below(folder) if path != _MANIFEST and path not in intact
    )
    for path in strangers:
        target = aside / path
        number = 1
        while os.path.lexists(target):
            number += 1
            target = aside / f"{path}.{number}"
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(folder / path, target)
    return strangers


def _finish(partial: Path, folder: Path, card: bytes, manifest: Manifest) -> None:
    """Put the complete set in place of what is there."""
    shutil.rmtree(partial / PARTS, ignore_errors=True)
    (partial / _CARD).write_bytes(card)
    listed = [file._asdict() for file in manifest.files]
    (partial / _MANIFEST).write_bytes(_json_bytes({**manifest._asdict(), "files": listed}))
    replaced = partial.with_name(f".{folder.name}.replaced")
    shutil.rmtree(replaced, ignore_errors=True)  # of a call that was killed here
    if folder.exists():
        os.rename(folder, replaced)
    os.rename(partial, folder)
    shutil.rmtree(replaced, ignore_errors=True)


@contextlib.contextmanager
def _told_as_madw_error(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MadwError(
            f"{error.filename or place} cannot be written: {error.strerror or error}."
        ) from None


def _card(name: str, wanted: HubSet, commit: str, licence: str | None) -> bytes:
    card = {
        "dataset": name,
        "is_synthetic": False,
        "description": wanted.description,
        "source": f"Hugging Face data set {wanted.repo}",
        "licence": (licence or wanted.licence).upper(),
        "revision": commit,
    }
    return _json_bytes(card)


def _json_bytes(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a fetched set, or None; raises MadwError for one that cannot be used."""
    path = folder / _MANIFEST
    try:
        read = json.loads(path.read_text("utf-8"))
        return Manifest(
            read["repo"], read["revision"], [SetFile(**entry) for entry in read["files"]]
        )
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise MadwError(
            f"{path} cannot be used, so nobody knows what belongs to {folder}. "
            "Move the folder out of raw/ and fetch again."
        ) from None


def _checked_manifest(folder: Path) -> Manifest | None:
    """What is recorded of the set in `folder`; raises MadwError for a folder that is not ours."""
    if folder.is_symlink():
        raise MadwError(f"{folder} is a link, and a fetch replaces the folder. Move it away.")
    manifest = _read_manifest(folder)
    if manifest is None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise MadwError(
            f"{folder} was not made by madw fetch and is not empty. Move it to another name."
        )
    return manifest


# The download


def _download(
    hub: Hub,
    name: str,
    repo: str,
    commit: str,
    files: list[SetFile],
    partial: Path,
    on_progress: Callable[[int], None],
) -> None:
    """Fetch the files, a few at a time; raises MadwError, saying how many are left, if any is."""
    failures: list[str] = []
    pool = ThreadPoolExecutor(WORKERS)
    try:
        waiting = {pool.submit(hub.download, repo, commit, file, partial): file for file in files}
        for done in as_completed(waiting):
            try:
                done.result()
                on_progress(1)
            except Refused as error:
                failures.append(f"{waiting[done].path}: {error}")
    except GaveUp as error:
        failures.insert(0, str(error))
    except OSError as error:
        place = error.filename or partial
        failures.insert(0, f"{place} cannot be written: {error.strerror or error}.")
    finally:
        hub.stop()
        pool.shutdown(wait=True, cancel_futures=True)
    if failures:
        n_left = sum(not (partial / file.path).exists() for file in files)
        raise MadwError(
            f"{failures[0]} {n_left:,} file{' is' if n_left == 1 else 's are'} left of {name}, so "
            f"raw/{name} is as it was; the same command goes on with what is left."
        )
