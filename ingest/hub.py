"""The Hugging Face Hub's few routes, asked with patience, and what tells that bytes are right.

What the Hub answers: `/api/datasets/<repo>/revision/<revision>` names the commit; its `tree` lists
every file with size and hash (the sha256 of a file in LFS, else the sha1 git knows it by);
`/datasets/<repo>/resolve/<commit>/<path>` gives the bytes, perhaps by way of another host.

Of huggingface_hub this uses the session, the headers and the data set's info, not the downloader:
that one makes two requests for each small file, compares sizes only, waits as long as any server
tells it to, and lays folders of its own between ours, which makes long paths longer.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from ingest import __version__
from ingest.errors import MadwError, UsageError

TRIES = 6  # of one request, the first included
TRIES_OF_BYTES = 2  # of a file that came with other bytes than listed
FIRST_WAIT_S = 1.0  # doubles with each try, unless the Hub says how long
LONGEST_WAIT_S = 300  # its limits count by windows of five minutes
TIMEOUT_S = 30  # without a byte
PARTS = ".parts"  # below a folder that is downloaded to: files that are not complete
_CHUNK = 1 << 20
_BUSY = frozenset({408, 429, 500, 502, 503, 504})
_ENDPOINT = "https://huggingface.co"
_TREE_PAGES = 1000  # of a listing; a server that never comes to an end is none

Result = TypeVar("Result")


class SetFile(NamedTuple):
    """A file of a set, and what tells that its bytes are the right ones."""

    path: str
    bytes: int
    algorithm: str  # `sha256`, or `git-sha1`: of the blob's header and content
    hash: str


def is_right(path: Path, file: SetFile) -> bool:
    """True where `path` is a file with the size and hash of `file`."""
    try:
        return (
            not path.is_symlink()
            and path.stat().st_size == file.bytes
            and _digest(path, file.bytes, file.algorithm) == file.hash
        )
    except OSError:
        return False


def _digest(path: Path, size: int, algorithm: str) -> str:
    digest = hashlib.sha256() if algorithm == "sha256" else _git_sha1(size)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _git_sha1(size: int) -> Any:
    return hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)


class Refused(Exception):
    """The Hub will not give us this file: the others may still come."""


class GaveUp(Exception):
    """The Hub is out of reach or too busy: nothing more will come in this call."""


class _Again(Exception):
    """A try that failed and may be repeated.

    After the seconds the Hub asked for, where it did; not at all in a call that has had no answer
    yet, where `is_offline`; and when `n_tries` have failed, the error `last` takes its place.
    """

    def __init__(
        self,
        why: str,
        last: type[Refused | GaveUp],
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


class Hub:
    """The Hub's few routes, asked with patience: busy answers and broken lines are tried again."""

    def __init__(self, on_wait: Callable[[float], None]) -> None:
        # Read when huggingface_hub is first imported, hence before that: it must not report on us.
        for setting in ("HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_IMPLICIT_TOKEN"):
            os.environ[setting] = "1"
        from huggingface_hub.utils import build_hf_headers

        self._endpoint = _endpoint()
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

        Raises Refused for this file's failures, GaveUp for those that meet every file.
        """
        from huggingface_hub import hf_hub_url

        # Written under a short name, with what makes its bytes the right ones in it.
        key = hashlib.sha256(f"{file.path}\0{file.hash}".encode()).hexdigest()[:24]
        part = partial / PARTS / key
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
                raise _Again("the Hub does not know the rest of it.", Refused, asked_s=0)
            hf_raise_for_status(response)
            start = response.headers.get("Content-Range", "")
            goes_on = response.status_code == 206 and start.startswith(f"bytes {n_have}-")
            size = n_have if goes_on else 0
            with part.open("ab" if goes_on else "wb") as out:
                for chunk in response.iter_bytes():  # as they come: a break loses none
                    if self._stopped.is_set():
                        raise GaveUp("The download was stopped.")
                    size += len(chunk)
                    if size > file.bytes:
                        break
                    out.write(chunk)
        if size < file.bytes:
            raise _Again(f"only {size:,} of its {file.bytes:,} bytes came.", Refused)
        if size > file.bytes or not is_right(part, file):
            part.unlink()
            raise _Again(
                f"what came is not the {file.bytes:,} bytes with the {file.algorithm} of the "
                "Hub's list.",
                Refused,
                n_tries=TRIES_OF_BYTES,
            )

    def _answer(self, ask: Callable[[], Result], repo: str) -> Result:
        """What `ask` returns, with every failure told as MadwError."""
        try:
            return self._patiently(ask)
        except Refused as error:
            raise MadwError(f"{repo}: {error}") from None
        except GaveUp as error:
            raise MadwError(f"{error} Nothing was changed.") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise MadwError(
                f"{self._endpoint} does not answer as the Hugging Face Hub does."
            ) from None

    def _patiently(self, ask: Callable[[], Result]) -> Result:
        """What `ask` returns, tried again while there is hope; raises Refused or GaveUp."""
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
            raise GaveUp(f"{self._endpoint} asks not to be called for {wait_s:,.0f} seconds.")
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
            raise GaveUp("The download was stopped.")


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
    """Tell what the HTTP client raises as _Again, Refused or GaveUp."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        yield
    except OfflineModeIsEnabled:
        raise GaveUp("HF_HUB_OFFLINE is set, so the Hub is not asked.") from None
    except HfHubHTTPError as error:
        status = error.response.status_code
        why = f"{endpoint} answers with HTTP {status} ({error.response.reason_phrase})."
        if status not in _BUSY:
            raise Refused(why) from None
        asked_s = _asked_wait(error.response.headers)
        raise _Again(why, GaveUp, asked_s=asked_s) from None
    except httpx2.RequestError as error:
        never = (
            httpx2.ConnectError,
            httpx2.ConnectTimeout,
            httpx2.ProxyError,
            httpx2.UnsupportedProtocol,
        )
        why = f"{endpoint} cannot be reached ({str(error) or type(error).__name__})."
        raise _Again(why, GaveUp, is_offline=isinstance(error, never)) from None


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
