"""`madw fetch`: a published data set, from the Hugging Face Hub into `raw/`, pinned and verified.

What the Hub answers: `/api/datasets/<repo>/revision/<revision>` names the commit; its `tree` lists
every file with size and hash (the sha256 of a file in LFS, else the sha1 git knows it by);
`/datasets/<repo>/resolve/<commit>/<path>` gives the bytes, perhaps by way of another host.

A set is brought together in `raw/.<name>.partial`, a name that ingest does not read, and takes the
place of `raw/<name>` by rename when every file is there. A file has its own name in it only once
size and hash are right, so a later call needs no record of progress: it checks what is there and
asks for the rest. `.fetched.json` lists the files of a complete set; others found beside them are
strangers, which are moved aside.

Of huggingface_hub this uses the session, the headers and the data set's info, not the downloader:
that one makes two requests for each small file, compares sizes only, waits as long as any server
tells it to, and lays folders of its own between ours, which makes long paths longer.
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
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from ingest import __version__
from ingest.errors import MadwError, UsageError
from ingest.home import Home

WORKERS = 4  # the Hub answers many small requests at once with 429
TRIES = 6  # of one request, the first included
TRIES_OF_BYTES = 2  # of a file that came with other bytes than listed
FIRST_WAIT_S = 1.0  # doubles with each try, unless the Hub says how long
LONGEST_WAIT_S = 300  # its limits count by windows of five minutes
TIMEOUT_S = 30  # without a byte
_CHUNK = 1 << 20
_BUSY = frozenset({408, 429, 500, 502, 503, 504})
_MANIFEST = ".fetched.json"
_CARD = "dataset.json"
_PARTS = ".parts"  # of a partial set: files that are not complete
_ENDPOINT = "https://huggingface.co"
_TREE_PAGES = 1000  # of a listing; a server that never comes to an end is none

Result = TypeVar("Result")


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


class SetFile(NamedTuple):
    """A file of a set, and what tells that its bytes are the right ones."""

    path: str
    bytes: int
    algorithm: str  # `sha256`, or `git-sha1`: of the blob's header and content
    hash: str


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
    hub = _Hub(_endpoint(), on_wait)
    commit, licence = hub.resolve(wanted.repo, revision or (before and before.revision) or "main")
    files = needed_files(wanted, hub.list_files(wanted.repo, commit))
    card = _card(name, wanted, commit, licence)
    manifest = Manifest(wanted.repo, commit, [*files, _file_of(_CARD, card)])

    recorded = before.files if before else []
    intact = {file for file in recorded if _is_right(folder / file.path, file)}
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


def _digest(path: Path, size: int, algorithm: str) -> str:
    digest = hashlib.sha256() if algorithm == "sha256" else _git_sha1(size)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _git_sha1(size: int) -> Any:
    return hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)


def _file_of(path: str, content: bytes) -> SetFile:
    return SetFile(path, len(content), "sha256", hashlib.sha256(content).hexdigest())


def _is_right(path: Path, file: SetFile) -> bool:
    """True where `path` is a file with the size and hash of `file`."""
    try:
        return (
            not path.is_symlink()
            and path.stat().st_size == file.bytes
            and _digest(path, file.bytes, file.algorithm) == file.hash
        )
    except OSError:
        return False


def _collect(
    files: list[SetFile], folder: Path, intact: Iterable[SetFile], partial: Path
) -> list[SetFile]:
    """Take over the files that are `intact` in the set's folder; return those that are nowhere."""
    missing = []
    for file in files:
        target = partial / file.path
        if _is_right(target, file):
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
        if path not in paths and not path.startswith(f"{_PARTS}/"):
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
    shutil.rmtree(partial / _PARTS, ignore_errors=True)
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


# The Hub


class _Refused(Exception):
    """The Hub will not give us this file: the others may still come."""


class _GaveUp(Exception):
    """The Hub is out of reach or too busy: nothing more will come in this call."""


class _Again(Exception):
    """A try that failed and may be repeated.

    After the seconds the Hub asked for, where it did; not at all in a call that has had no answer
    yet, where `is_offline`; and when `n_tries` have failed, the error `last` takes its place.
    """

    def __init__(
        self,
        why: str,
        last: type[_Refused | _GaveUp],
        *,
        asked_s: float | None = None,
        n_tries: int | None = None,
        is_offline: bool = False,
    ) -> None:
        super().__init__(why)
        self.last = last
        self.asked_s = asked_s
        self.n_tries = n_tries or TRIES
        self.is_offline = is_offline


def _endpoint() -> str:
    """The Hub's address, or the one HF_ENDPOINT names instead."""
    given = os.environ.get("HF_ENDPOINT") or _ENDPOINT
    try:
        address = urlsplit(given)
        is_usable = address.scheme in ("http", "https") and bool(address.hostname)
        _ = address.port
    except ValueError:
        is_usable = False
    if not is_usable:
        raise UsageError(f"HF_ENDPOINT is {given!r}, which is no address of a web server.")
    return given.rstrip("/")


def _download(
    hub: _Hub,
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
            except _Refused as error:
                failures.append(f"{waiting[done].path}: {error}")
    except _GaveUp as error:
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


class _Hub:
    """The Hub's few routes, asked with patience: busy answers and broken lines are tried again."""

    def __init__(self, endpoint: str, on_wait: Callable[[float], None]) -> None:
        # Read when huggingface_hub is first imported, hence before that: it must not report on us.
        for setting in ("HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_IMPLICIT_TOKEN"):
            os.environ[setting] = "1"
        from huggingface_hub.utils import build_hf_headers

        self._endpoint = endpoint
        self._on_wait = on_wait
        self._headers = {
            **build_hf_headers(
                token=False, library_name="mad-warehouse", library_version=__version__
            ),
            "Accept-Encoding": "identity",  # sizes and ranges are those of the file
        }
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._resume_at = 0.0  # until then all workers wait
        self._was_reached = False

    def stop(self) -> None:
        """Make running downloads end soon."""
        self._stopped.set()

    def resolve(self, repo: str, revision: str) -> tuple[str, str | None]:
        """The commit a revision stands for, and the licence on the data set's card.

        Raises UsageError for a revision that is not there, MadwError for other failures.
        """
        from huggingface_hub import HfApi
        from huggingface_hub.errors import RevisionNotFoundError

        api = HfApi(self._endpoint, token=False)

        def ask() -> tuple[str, str | None]:
            try:
                info = api.dataset_info(repo, revision=revision, timeout=TIMEOUT_S)
            except RevisionNotFoundError:
                raise UsageError(
                    f"{repo} has no revision {revision!r}. Name another with --revision."
                ) from None
            if not re.fullmatch("[0-9a-f]{40}", info.sha or ""):
                raise ValueError("no commit")
            licence = (info.card_data or {}).get("license")
            return info.sha, licence if isinstance(licence, str) else None

        return self._answer(ask, repo)

    def list_files(self, repo: str, commit: str) -> list[SetFile]:
        """Every file of a commit; raises MadwError for failures."""
        from huggingface_hub import get_session, hf_raise_for_status

        files: list[SetFile] = []
        url: str | None = f"{self._endpoint}/api/datasets/{repo}/tree/{commit}?recursive=true"
        for _ in range(_TREE_PAGES):

            def ask(page: str = url) -> tuple[list[SetFile], str | None]:
                response = get_session().get(page, headers=self._headers, timeout=TIMEOUT_S)
                hf_raise_for_status(response)
                entries = response.json()
                if not isinstance(entries, list):
                    raise ValueError("no listing")
                listed = [_set_file(entry) for entry in entries if entry["type"] == "file"]
                return listed, response.links.get("next", {}).get("url")

            listed, url = self._answer(ask, repo)
            files += listed
            if url is None:
                return files
        raise MadwError(f"The list of files of {repo} does not come to an end.")

    def download(self, repo: str, commit: str, file: SetFile, partial: Path) -> None:
        """Fetch a file to its place in `partial`, which it takes when it is complete and right.

        Raises _Refused for this file's failures, _GaveUp for those that meet every file.
        """
        from huggingface_hub import hf_hub_url

        # Written under a short name, with what makes its bytes the right ones in it.
        key = hashlib.sha256(f"{file.path}\0{file.hash}".encode()).hexdigest()[:24]
        part = partial / _PARTS / key
        part.parent.mkdir(exist_ok=True)
        target = partial / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        url = hf_hub_url(
            repo, file.path, repo_type="dataset", revision=commit, endpoint=self._endpoint
        )
        self._patiently(lambda: self._receive(url, file, part))
        os.replace(part, target)

    def _receive(self, url: str, file: SetFile, part: Path) -> None:
        """One try: the bytes that `part` lacks, then the check of all of them."""
        from huggingface_hub import get_session, hf_raise_for_status

        n_have = part.stat().st_size if part.exists() else 0
        if n_have >= file.bytes:
            n_have = 0
        headers = {**self._headers, "Range": f"bytes={n_have}-"} if n_have else self._headers
        with get_session().stream("GET", url, headers=headers, timeout=TIMEOUT_S) as response:
            if response.status_code == 416:
                part.unlink()
                raise _Again("the Hub does not know the rest of it.", _Refused, asked_s=0)
            hf_raise_for_status(response)
            start = response.headers.get("Content-Range", "")
            goes_on = response.status_code == 206 and start.startswith(f"bytes {n_have}-")
            size = n_have if goes_on else 0
            with part.open("ab" if goes_on else "wb") as out:
                for chunk in response.iter_bytes():  # as they come: a break loses none
                    if self._stopped.is_set():
                        raise _GaveUp("The download was stopped.")
                    size += len(chunk)
                    if size > file.bytes:
                        break
                    out.write(chunk)
        if size < file.bytes:
            raise _Again(f"only {size:,} of its {file.bytes:,} bytes came.", _Refused)
        if size > file.bytes or not _is_right(part, file):
            part.unlink()
            raise _Again(
                f"what came is not the {file.bytes:,} bytes with the {file.algorithm} of the "
                "Hub's list.",
                _Refused,
                n_tries=TRIES_OF_BYTES,
            )

    def _answer(self, ask: Callable[[], Result], repo: str) -> Result:
        """What `ask` returns, with every failure told as MadwError."""
        try:
            return self._patiently(ask)
        except _Refused as error:
            raise MadwError(f"{repo}: {error}") from None
        except _GaveUp as error:
            raise MadwError(f"{error} Nothing was changed.") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise MadwError(
                f"{self._endpoint} does not answer as the Hugging Face Hub does."
            ) from None

    def _patiently(self, ask: Callable[[], Result]) -> Result:
        """What `ask` returns, tried again while there is hope; raises _Refused or _GaveUp."""
        number = 0
        while True:
            number += 1
            self._wait_for_turn()
            try:
                with _sorted_failures(self._endpoint):
                    result = ask()
                self._was_reached = True
                return result
            except _Again as again:
                if number >= again.n_tries or (again.is_offline and not self._was_reached):
                    raise again.last(str(again)) from None
                self._was_reached = self._was_reached or not again.is_offline
                self._hold(again, number)

    def _hold(self, again: _Again, number: int) -> None:
        """Let every worker wait: as long as the Hub asked, else longer with each try."""
        wait_s = FIRST_WAIT_S * 2 ** (number - 1) if again.asked_s is None else again.asked_s
        if wait_s > LONGEST_WAIT_S:
            raise _GaveUp(f"{self._endpoint} asks not to be called for {wait_s:,.0f} seconds.")
        with self._lock:
            is_news = time.monotonic() >= self._resume_at
            self._resume_at = max(self._resume_at, time.monotonic() + wait_s)
        if is_news:
            self._on_wait(wait_s)

    def _wait_for_turn(self) -> None:
        while (left_s := self._resume_at - time.monotonic()) > 0:
            if self._stopped.wait(left_s):
                break
        if self._stopped.is_set():
            raise _GaveUp("The download was stopped.")


def _set_file(entry: dict[str, Any]) -> SetFile:
    """A file of the Hub's tree; raises ValueError or KeyError for an entry that does not say."""
    lfs = entry.get("lfs")
    algorithm, n_digits = ("sha256", 64) if lfs else ("git-sha1", 40)
    file = SetFile(entry["path"], entry["size"], algorithm, (lfs or entry)["oid"])
    if not re.fullmatch(f"[0-9a-f]{{{n_digits}}}", file.hash) or not isinstance(file.bytes, int):
        raise ValueError("no hash or size")
    return file


@contextlib.contextmanager
def _sorted_failures(endpoint: str) -> Iterator[None]:
    """Tell what the HTTP client raises as _Again, _Refused or _GaveUp."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        yield
    except OfflineModeIsEnabled:
        raise _GaveUp("HF_HUB_OFFLINE is set, so the Hub is not asked.") from None
    except HfHubHTTPError as error:
        status = error.response.status_code
        why = f"{endpoint} answers with HTTP {status} ({error.response.reason_phrase})."
        if status not in _BUSY:
            raise _Refused(why) from None
        asked_s = _asked_wait(error.response.headers)
        raise _Again(why, _GaveUp, asked_s=asked_s) from None
    except httpx2.RequestError as error:
        never = (
            httpx2.ConnectError,
            httpx2.ConnectTimeout,
            httpx2.ProxyError,
            httpx2.UnsupportedProtocol,
        )
        why = f"{endpoint} cannot be reached ({str(error) or type(error).__name__})."
        raise _Again(why, _GaveUp, is_offline=isinstance(error, never)) from None


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds a busy Hub asks for: `Retry-After` (seconds or a date), else `RateLimit`."""
    from huggingface_hub.utils import parse_ratelimit_headers

    given = headers.get("Retry-After", "").strip()
    if given.isdecimal():
        return float(given)
    with contextlib.suppress(ValueError, TypeError):
        at = parsedate_to_datetime(given)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max((at - datetime.now(UTC)).total_seconds(), 0.0)
    limit = parse_ratelimit_headers(headers)
    return float(limit.reset_in_seconds) if limit and limit.remaining == 0 else None
