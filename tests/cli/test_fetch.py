"""`madw fetch` against a small Hub on 127.0.0.1 that can be told to misbehave."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from builders import RUN, madw, room, trace, trace_stem, write_file

from ingest import fetch
from ingest.errors import MadwError
from ingest.home import Home, writer
from ingest.hub import TRIES, SetFile, _asked_wait
from ingest.lake import Lake

PAGE = 3  # files on one page of a listing
BENCH, MAD = "hww123/MADBench", "mcemri/MAST-Data"
HUMAN, FULL = "MAD_human_labelled_dataset.json", "MAD_full_dataset.json"
FIRST, SECOND = "1" * 40, "2" * 40  # commits


class Hub:
    """What the server holds, what it was asked, and what it shall do wrong."""

    def __init__(self) -> None:
        self.commits: dict[tuple[str, str], dict[str, bytes]] = {}
        self.branches: dict[tuple[str, str], str] = {}
        self.in_lfs: set[str] = set()
        self.licence: str | None = "mit"
        self.faults: dict[
            str, list
        ] = {}  # path of a file, `info` or `tree` -> one for each request
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()

    def put(self, repo: str, commit: str, files: dict[str, bytes], branch: str = "main") -> None:
        self.commits[repo, commit] = files
        self.branches[repo, branch] = self.branches[repo, commit] = commit

    def entry(self, path: str, content: bytes) -> dict:
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        if path not in self.in_lfs:
            return {"type": "file", "path": path, "size": len(content), "oid": blob}
        lfs = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
        return {"type": "file", "path": path, "size": len(content), "oid": "f" * 40, "lfs": lfs}

    def fetched(self) -> list[str]:
        """Paths of the files asked for, in order of name; a repeated request counts again."""
        found = [re.fullmatch(r"/datasets/.+?/resolve/\w+/(.+)", path) for path, _ in self.asked]
        return sorted(unquote(match[1]) for match in found if match)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, *args) -> None:
        pass

    def do_GET(self) -> None:
        hub = self.hub
        with hub.lock:
            hub.asked.append((self.path, dict(self.headers)))
            hub.at_once += 1
            hub.most_at_once = max(hub.most_at_once, hub.at_once)
        try:
            self.route(urlsplit(self.path))
        finally:
            with hub.lock:
                hub.at_once -= 1

    def route(self, url) -> None:
        if match := re.fullmatch(r"/api/datasets/(\w+/[\w-]+)/revision/(.+)", url.path):
            self.info(match[1], unquote(match[2]))
        elif match := re.fullmatch(r"/api/datasets/(\w+/[\w-]+)/tree/(\w+)", url.path):
            self.tree(match[1], match[2], int(parse_qs(url.query).get("cursor", ["0"])[0]))
        elif match := re.fullmatch(r"/(datasets|cdn)/(\w+/[\w-]+)/resolve/(\w+)/(.+)", url.path):
            self.file(match[1] == "cdn", match[2], match[3], unquote(match[4]))
        else:
            self.answer(404)

    def fault(self, place: str) -> dict:
        faults = self.hub.faults.get(place)
        return faults.pop(0) if faults else {}

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def info(self, repo: str, revision: str) -> None:
        if fault := self.fault("info"):
            return self.answer(**fault)
        if not any(held == repo for held, _ in self.hub.branches):
            return self.answer(401, X_Error_Message="Invalid username or password.")
        commit = self.hub.branches.get((repo, revision))
        if commit is None:
            return self.answer(404, X_Error_Code="RevisionNotFound")
        card = {"license": self.hub.licence} if self.hub.licence else {}
        self.answer(200, json.dumps({"id": repo, "sha": commit, "cardData": card}).encode())

    def tree(self, repo: str, commit: str, start: int) -> None:
        if fault := self.fault("tree"):
            return self.answer(**fault)
        files = self.hub.commits[repo, commit]
        entries = [{"type": "directory", "path": "a folder", "oid": "0" * 40, "size": 0}]
        entries += [self.hub.entry(path, content) for path, content in files.items()]
        headers = {}
        if len(entries) > start + PAGE:
            here = f"http://{self.headers['Host']}/api/datasets/{repo}/tree/{commit}"
            headers["Link"] = f'<{here}?recursive=true&cursor={start + PAGE}>; rel="next"'
        self.answer(200, json.dumps(entries[start : start + PAGE]).encode(), **headers)

    def file(self, is_cdn: bool, repo: str, commit: str, path: str) -> None:
        content = self.hub.commits[repo, commit][path]
        if path in self.hub.in_lfs and not is_cdn:
            return self.answer(302, Location=self.path.replace("/datasets/", "/cdn/", 1))
        fault = self.fault(path)
        if "status" in fault:
            return self.answer(**fault)
        if "sleep" in fault:
            time.sleep(fault["sleep"])
        content = fault.get("bytes", content)
        start = 0
        if given := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")):
            start = int(given[1])
        if start and not fault.get("no_range"):
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            content = content[start:]
        else:
            self.send_response(200)
        self.send_header("ETag", f'"{self.hub.entry(path, content)["oid"]}"')
        self.send_header("X-Repo-Commit", commit)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: fault.get("drop_at", len(content))])
        if "drop_at" in fault:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub with MADBench and MAD, to which the program goes; waits are short."""
    held = Hub()
    held.put(BENCH, FIRST, bench_files())
    held.put(MAD, FIRST, mad_files())
    held.in_lfs = {FULL}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"hub": held}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setattr("ingest.hub.FIRST_WAIT_S", 0.01)
    yield held
    server.shutdown()
    server.server_close()


def bench_files(n: int = 4) -> dict[str, bytes]:
    files = {f"{RUN}/{trace_stem(i)}.json": trace_bytes(i) for i in range(n)}
    files[f"{RUN}/{trace_stem(n)}.json.gz"] = gzip.compress(trace_bytes(n), mtime=0)
    files["rooms.jsonl"] = json.dumps(room()).encode()
    files["README.md"] = b"# card"
    files["assets/figure.png"] = b"\x89PNG"
    return files


def trace_bytes(number: int) -> bytes:
    return json.dumps(trace(number=number)).encode()


def mad_files() -> dict[str, bytes]:
    return {
        "README.md": b"x",
        HUMAN: b"[]",
        FULL: b"[" + b" " * 3_000_000 + b"]",
        "extra.json": b"{}",
    }


def tree(folder: Path) -> dict[str, bytes]:
    """Content of every file below, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def data_of(files: dict[str, bytes]) -> dict[str, bytes]:
    return {
        path: files[path] for path in sorted(files) if path.endswith((".json", ".gz", ".jsonl"))
    }


def fetched(folder: Path) -> dict[str, bytes]:
    """The files of a fetched set, without what the fetch adds."""
    files = tree(folder)
    return {path: files[path] for path in files if path not in (".fetched.json", "dataset.json")}


def raw_names(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "raw").iterdir())


# A set that comes


def test_a_set_is_fetched_with_the_files_that_are_data_and_no_others(home, hub):
    result = madw("fetch", "madbench", "--home", home)

    folder, files = home / "raw/madbench", data_of(bench_files())
    size = sum(len(content) for content in files.values())
    assert (result.exit_code, fetched(folder)) == (0, files)
    assert result.stdout.splitlines() == [
        f"madbench: 6 files, {size:,} bytes, verified in {folder}; 6 fetched now",
        f"{BENCH} at {FIRST}. Next: madw build",
    ]
    assert raw_names(home) == ["madbench"]


def test_a_set_says_what_it_is_and_what_belongs_to_it(home, hub):
    madw("fetch", "mad", "--home", home)

    folder = home / "raw/mad"
    card = json.loads((folder / "dataset.json").read_text())
    description = card.pop("description")
    assert card == {
        "dataset": "mad",
        "is_synthetic": False,
        "source": f"Hugging Face data set {MAD}",
        "licence": "MIT",  # what the card on the Hub says
        "revision": FIRST,
    }
    assert description.startswith("MAD: ")
    listed = json.loads((folder / ".fetched.json").read_text())
    assert (listed["repo"], listed["revision"]) == (MAD, FIRST)
    assert [(file["path"], file["bytes"], file["algorithm"]) for file in listed["files"]] == [
        (FULL, 3_000_002, "sha256"),
        (HUMAN, 2, "git-sha1"),
        ("dataset.json", len((folder / "dataset.json").read_bytes()), "sha256"),
    ]
    assert listed["files"][0]["hash"] == hashlib.sha256(mad_files()[FULL]).hexdigest()


def test_strangers_are_the_files_that_the_fetch_did_not_bring(home, hub, tmp_path):
    madw("fetch", "mad", "--home", home)
    for path in ("b.json", "runs/a.json", ".hidden.json", ".cache/c.json"):
        write_file(home / "raw/mad" / path, "{}")
    write_file(tmp_path / "own/a.json", "{}")

    assert fetch.strangers_in(home / "raw/mad") == ["b.json", "runs/a.json"]
    assert fetch.strangers_in(tmp_path / "own") == []


def test_the_licence_is_the_known_one_where_the_hub_names_none(home, hub):
    hub.licence = None

    madw("fetch", "mad", "--home", home)

    assert json.loads((home / "raw/mad/dataset.json").read_text())["licence"] == "CC-BY-4.0"


@pytest.mark.parametrize(
    ("name", "repo"),
    [
        ("madbench", "hww123/MADBench"),
        ("madbench-full", "hww123/MADBench-full"),
        ("madbench-eval", "hww123/MADBench-eval"),
    ],
)
def test_each_name_stands_for_its_data_set(home, hub, name, repo):
    hub.put(repo, SECOND, {f"{name}.json": b"{}"})

    result = madw("fetch", name, "--home", home)

    assert (result.exit_code, fetched(home / "raw" / name)) == (0, {f"{name}.json": b"{}"})


def test_ingest_reads_what_was_fetched_and_datasets_has_its_revision(home, hub):
    madw("fetch", "madbench", "--home", home)

    result = madw("ingest", "--home", home)

    assert result.exit_code == 0
    assert "madbench: 5 traces, 10 steps, 1 room definition, 0 files rejected" in result.stdout
    row = Lake(home / "lake").datasets()["madbench"]
    assert (row.revision, row.licence, row.is_synthetic) == (FIRST, "MIT", False)


def test_a_revision_is_resolved_to_its_commit_and_all_files_are_of_that(home, hub):
    hub.put(BENCH, SECOND, {"a.json": b"[1]"}, branch="refs/pr/7")

    result = madw("fetch", "madbench", "--revision", "refs/pr/7", "--home", home)

    assert (result.exit_code, fetched(home / "raw/madbench")) == (0, {"a.json": b"[1]"})
    assert any(path.endswith("/revision/refs%2Fpr%2F7") for path, _ in hub.asked)
    assert any(path.endswith(f"/resolve/{SECOND}/a.json") for path, _ in hub.asked)


def test_odd_names_and_empty_files_come_too(home, hub):
    files = {f"{name}/a b#1?.json": name.encode() for name in ("é", "50%", "it's [x]")}
    files["empty.json"] = b""
    hub.put(BENCH, FIRST, files)

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, fetched(home / "raw/madbench")) == (0, files)


def test_no_token_is_sent_and_nothing_is_reported(home, hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_" + "x" * 34)

    madw("fetch", "mad", "--home", home)

    assert {name.lower() for _, headers in hub.asked for name in headers}.isdisjoint(
        {"authorization", "cookie"}
    )
    routes = ("/api/datasets/mcemri/", "/datasets/mcemri/", "/cdn/mcemri/")
    assert [path for path, _ in hub.asked if not path.startswith(routes)] == []
    agents = {headers.get("User-Agent", headers.get("user-agent")) for _, headers in hub.asked}
    assert not [agent for agent in agents if "agent/" in agent or "torch/" in agent]


def test_few_files_come_at_a_time(home, hub):
    files = {f"{number}.json": b"[]" for number in range(20)}
    hub.put(BENCH, FIRST, files)
    hub.faults = {path: [{"sleep": 0.02}] for path in files}

    result = madw("fetch", "madbench", "--home", home)

    assert result.exit_code == 0
    assert 1 < hub.most_at_once <= fetch.WORKERS
    assert result.stderr.splitlines()[-1] == "fetch madbench: 20 of 20 files"


# A set that is there


def test_a_second_fetch_asks_for_no_file_and_touches_none(home, hub):
    madw("fetch", "madbench", "--home", home)
    before = {path: path.stat() for path in (home / "raw/madbench").rglob("*")}
    hub.asked.clear()

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, hub.fetched()) == (0, [])
    assert "; 0 fetched now" in result.stdout
    after = {path: path.stat() for path in (home / "raw/madbench").rglob("*")}
    assert {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in after.items()} == {
        path: (stat.st_ino, stat.st_mtime_ns) for path, stat in before.items()
    }


def test_the_recorded_revision_stays_until_another_is_asked_for(home, hub):
    madw("fetch", "madbench", "--home", home)
    newer = {**bench_files(), "new.json": b"{}"}
    del newer["rooms.jsonl"]
    hub.put(BENCH, SECOND, newer)
    hub.asked.clear()

    stays = madw("fetch", "madbench", "--home", home)
    moves = madw("fetch", "madbench", "--revision", "main", "--home", home)

    assert f"at {FIRST}." in stays.stdout
    assert f"at {SECOND}." in moves.stdout
    assert hub.fetched() == ["new.json"]
    assert fetched(home / "raw/madbench") == data_of(newer)
    assert moves.stderr.splitlines() == ["fetch madbench: 1 of 1 files"]
    assert raw_names(home) == ["madbench"]


def test_a_lost_file_is_fetched_again(home, hub):
    madw("fetch", "madbench", "--home", home)
    (home / "raw/madbench/rooms.jsonl").unlink()
    hub.asked.clear()

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, hub.fetched()) == (0, ["rooms.jsonl"])
    assert fetched(home / "raw/madbench") == data_of(bench_files())


def test_strangers_and_changed_files_are_moved_aside_and_told(home, hub):
    madw("fetch", "mad", "--home", home)
    folder = home / "raw/mad"
    write_file(folder / "mine/run.json", "{}")
    write_file(folder / HUMAN, "[1]")

    first = madw("fetch", "mad", "--home", home)
    write_file(folder / HUMAN, "[2]")
    second = madw("fetch", "mad", "--home", home)

    aside = home / "raw/.mad.strangers"
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert fetched(folder) == {path: mad_files()[path] for path in (FULL, HUMAN)}
    assert tree(aside) == {HUMAN: b"[1]", f"{HUMAN}.2": b"[2]", "mine/run.json": b"{}"}
    assert first.stderr.splitlines()[-3:] == [
        f"2 files in {folder} are not of {MAD}, or were changed. They are in {aside} now, "
        "which is not read:",
        f"  {HUMAN}",
        "  mine/run.json",
    ]


def test_strangers_beside_a_complete_set_are_moved_without_a_download(home, hub):
    madw("fetch", "madbench", "--home", home)
    write_file(home / "raw/madbench" / RUN / "mine.json", trace())
    hub.asked.clear()

    madw("fetch", "madbench", "--home", home)

    assert hub.fetched() == []
    assert fetched(home / "raw/madbench") == data_of(bench_files())
    assert list(tree(home / "raw/.madbench.strangers")) == [f"{RUN}/mine.json"]


def test_a_folder_that_was_not_fetched_is_left_alone(home, hub):
    write_file(home / "raw/madbench/mine.json", "{}")

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, hub.asked) == (1, [])
    assert result.stderr == (
        f"madw: {home / 'raw/madbench'} was not made by madw fetch and is not empty. "
        "Move it to another name.\n"
    )
    assert tree(home / "raw") == {"madbench/mine.json": b"{}"}


def test_a_linked_folder_is_left_alone(home, hub, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (home / "raw").mkdir(parents=True)
    (home / "raw/madbench").symlink_to(tmp_path / "elsewhere")

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, hub.asked) == (1, [])
    assert "is a link" in result.stderr


@pytest.mark.parametrize("content", ["", "{", "[]", '{"repo": "x", "revision": "y", "files": [1]}'])
def test_a_broken_manifest_is_told(home, hub, content):
    madw("fetch", "mad", "--home", home)
    write_file(home / "raw/mad/.fetched.json", content)

    result = madw("fetch", "mad", "--home", home)

    assert result.exit_code == 1
    assert "cannot be used, so nobody knows what belongs to" in result.stderr


# A Hub that is busy, and lines that break


BUSY = {
    "429 with seconds": {"status": 429, "Retry_After": "0"},
    "429 with a date": {"status": 429, "Retry_After": "Wed, 21 Oct 2015 07:28:00 GMT"},
    "429 with a window": {"status": 429, "RateLimit": '"resolvers";r=0;t=0'},
    "429 with nothing": {"status": 429},
    "503": {"status": 503},
}


@pytest.mark.parametrize("place", ["info", "tree", "rooms.jsonl"])
@pytest.mark.parametrize("fault", BUSY.values(), ids=list(BUSY))
def test_a_busy_answer_is_tried_again(home, hub, place, fault):
    hub.faults = {place: [fault] * 3}

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, fetched(home / "raw/madbench")) == (0, data_of(bench_files()))


def test_the_wait_the_hub_asks_for_is_kept(home, hub):
    hub.faults = {"rooms.jsonl": [{"status": 429, "Retry_After": "1"}]}
    began = time.monotonic()

    result = madw("fetch", "madbench", "--home", home)

    assert result.exit_code == 0
    assert time.monotonic() - began >= 1


def test_waits_are_read_from_each_header():
    in_a_minute = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)

    assert _asked_wait({"Retry-After": "7"}) == 7
    assert 55 < _asked_wait({"Retry-After": in_a_minute}) <= 60
    assert _asked_wait({"ratelimit": '"api";r=0;t=55'}) == 55
    assert _asked_wait({"ratelimit": '"api";r=9;t=55'}) is None
    assert _asked_wait({"Retry-After": "soon"}) is None


def test_a_wait_beyond_all_bounds_ends_the_call(home, hub):
    hub.faults = {"rooms.jsonl": [{"status": 429, "Retry_After": "86400"}]}

    result = madw("fetch", "madbench", "--home", home)

    assert result.exit_code == 1
    assert "asks not to be called for 86,400 seconds. " in result.stderr
    assert not (home / "raw/madbench").exists()


def test_a_hub_that_stays_busy_ends_the_call_and_the_next_one_goes_on(home, hub):
    hub.faults = {"rooms.jsonl": [{"status": 429}] * TRIES}

    first = madw("fetch", "madbench", "--home", home)
    hub.asked.clear()
    n_there = len(data_of(tree(home / "raw/.madbench.partial")))
    second = madw("fetch", "madbench", "--home", home)

    assert (first.exit_code, second.exit_code) == (1, 0)
    told = re.fullmatch(
        r"madw: http://127.0.0.1:\d+ answers with HTTP 429 \(Too Many Requests\)\. (\d) files? "
        r"(?:is|are) left of madbench, so raw/madbench is as it was; the same command goes on "
        r"with what is left\.",
        first.stderr.splitlines()[-1],
    )
    assert int(told[1]) == len(hub.fetched()) == 6 - n_there
    assert fetched(home / "raw/madbench") == data_of(bench_files())


def test_a_partial_set_is_not_read(home, hub):
    hub.faults = {"rooms.jsonl": [{"status": 404}]}
    madw("fetch", "madbench", "--home", home)

    result = madw("ingest", "--home", home)

    assert raw_names(home) == [".madbench.partial"]
    assert "madbench: " not in result.stdout


def test_a_file_the_hub_refuses_keeps_the_set_out_but_not_the_other_files(home, hub):
    hub.faults = {"rooms.jsonl": [{"status": 404}]}

    result = madw("fetch", "madbench", "--home", home)

    assert result.exit_code == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith("madw: rooms.jsonl: http://127.0.0.1:")
    assert "answers with HTTP 404 (Not Found). 1 file is left of madbench, so" in last
    assert len(data_of(tree(home / "raw/.madbench.partial"))) == 5


def test_a_broken_line_is_taken_up_where_it_broke(home, hub):
    hub.faults = {FULL: [{"drop_at": 2_000_000}, {"drop_at": 500_000}]}

    result = madw("fetch", "mad", "--home", home)

    ranges = [
        headers["Range"] for path, headers in hub.asked if "/cdn/" in path and "Range" in headers
    ]
    starts = [int(given.removeprefix("bytes=").removesuffix("-")) for given in ranges]
    assert (result.exit_code, len(starts)) == (0, 2)
    assert 0 < starts[0] <= 2_000_000 and starts[0] < starts[1] <= 2_500_000
    assert (home / "raw/mad" / FULL).read_bytes() == mad_files()[FULL]


def test_a_server_without_ranges_sends_the_whole_file_again(home, hub):
    hub.faults = {FULL: [{"drop_at": 2_000_000}, {"no_range": True}]}

    result = madw("fetch", "mad", "--home", home)

    assert result.exit_code == 0
    assert (home / "raw/mad" / FULL).read_bytes() == mad_files()[FULL]


def test_a_line_that_keeps_breaking_ends_the_call_and_the_next_one_goes_on(home, hub):
    hub.faults = {FULL: [{"drop_at": 300_000}] * TRIES}

    first = madw("fetch", "mad", "--home", home)
    hub.asked.clear()
    second = madw("fetch", "mad", "--home", home)

    assert (first.exit_code, second.exit_code) == (1, 0)
    assert "cannot be reached (" in first.stderr
    assert "1 file is left of mad, so raw/mad is as it was" in first.stderr
    assert HUMAN not in hub.fetched()
    assert next(headers["Range"] for path, headers in hub.asked if "/cdn/" in path) > "bytes=1"


SHORT = mad_files()[FULL][:-10]
WRONG = {
    "other bytes of the same length": b"x" * 3_000_002,
    "too many bytes": mad_files()[FULL] + b" ",
    "too few bytes": SHORT,
    "none": b"",
}


@pytest.mark.parametrize("content", WRONG.values(), ids=list(WRONG))
def test_wrong_bytes_are_never_taken(home, hub, content):
    hub.faults = {FULL: [{"bytes": content}] * TRIES}

    result = madw("fetch", "mad", "--home", home)
    kept = tree(home / "raw")
    hub.faults = {}
    again = madw("fetch", "mad", "--home", home)

    assert (result.exit_code, again.exit_code) == (1, 0)
    assert f"madw: {FULL}: " in result.stderr
    assert f".mad.partial/{FULL}" not in kept
    assert fetched(home / "raw/mad") == {path: mad_files()[path] for path in (FULL, HUMAN)}


def test_wrong_bytes_once_are_made_good(home, hub):
    hub.faults = {FULL: [{"bytes": b"x" * 3_000_002}], HUMAN: [{"bytes": b"[ "}]}

    result = madw("fetch", "mad", "--home", home)

    assert result.exit_code == 0
    assert fetched(home / "raw/mad") == {path: mad_files()[path] for path in (FULL, HUMAN)}


def test_a_failed_fetch_leaves_the_set_that_was_there(home, hub):
    madw("fetch", "mad", "--home", home)
    before = tree(home / "raw/mad")
    hub.put(MAD, SECOND, {**mad_files(), FULL: b"[2]"})
    hub.faults = {FULL: [{"status": 403}]}

    result = madw("fetch", "mad", "--revision", SECOND, "--home", home)

    assert (result.exit_code, tree(home / "raw/mad")) == (1, before)


def test_what_came_of_one_revision_does_not_get_into_another(home, hub):
    hub.faults = {"rooms.jsonl": [{"status": 404}]}
    madw("fetch", "madbench", "--home", home)
    newer = {**bench_files(3), f"{RUN}/{trace_stem(0)}.json": b"[]"}
    newer |= {"rooms.jsonl/a.json": b"[]"}  # a folder where a file was
    del newer["rooms.jsonl"]
    hub.put(BENCH, SECOND, newer)

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, fetched(home / "raw/madbench")) == (0, data_of(newer))


def test_a_file_may_stand_where_a_folder_was(home, hub):
    hub.put(BENCH, FIRST, {"x.json/a.json": b"[]", "b.json": b"[]"})
    hub.faults = {"b.json": [{"status": 404}]}
    madw("fetch", "madbench", "--home", home)
    hub.put(BENCH, SECOND, {"x.json": b"[2]"})

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, fetched(home / "raw/madbench")) == (0, {"x.json": b"[2]"})


def test_a_killed_fetch_is_taken_up_by_the_next(home, hub):
    files = {f"{number:02d}.json": b"[%d]" % number for number in range(40)}
    hub.put(BENCH, FIRST, files)
    hub.faults = {path: [{"sleep": 0.05}] for path in files}
    command = [sys.executable, "-m", "ingest.cli", "fetch", "madbench", "--home", home]

    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(hub.fetched()) < 12:
        assert process.poll() is None
        time.sleep(0.005)
    process.kill()
    process.wait()
    n_there = len(data_of(tree(home / "raw/.madbench.partial")))
    hub.asked.clear()
    result = madw("fetch", "madbench", "--home", home)

    assert 0 < n_there < 40
    assert (result.exit_code, len(hub.fetched())) == (0, 40 - n_there)
    assert fetched(home / "raw/madbench") == files


# What cannot be fetched


def test_without_network_there_is_one_sentence(home, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{taken.getsockname()[1]}")

        result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, result.stdout) == (1, "")
    assert re.fullmatch(
        r"madw: http://127\.0\.0\.1:\d+ cannot be reached \(.*\)\. Nothing was changed\.\n",
        result.stderr,
    )
    assert not (home / "raw").exists()


def test_a_network_that_goes_away_is_told_with_what_is_left(home, hub, monkeypatch):
    hub.faults = {path: [{"drop_at": 0}] * TRIES for path in data_of(bench_files())}

    result = madw("fetch", "madbench", "--home", home)

    assert result.exit_code == 1
    assert "cannot be reached (" in result.stderr
    assert "are left of madbench, so raw/madbench is as it was" in result.stderr


def test_the_hub_is_not_asked_where_the_user_is_offline(home, hub):
    command = [sys.executable, "-m", "ingest.cli", "fetch", "mad", "--home", home]
    result = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "HF_HUB_OFFLINE": "1"}
    )

    assert (result.returncode, hub.asked) == (1, [])
    assert result.stderr == (
        "madw: HF_HUB_OFFLINE is set, so the Hub is not asked. Nothing was changed.\n"
    )


@pytest.mark.parametrize("value", ["ftp://x", "huggingface", "http://", "http://x:y", "http://[x"])
def test_an_endpoint_that_is_none_is_wrong_usage(home, monkeypatch, value):
    monkeypatch.setenv("HF_ENDPOINT", value)

    result = madw("fetch", "mad", "--home", home)

    assert result.exit_code == 2
    assert (
        result.stderr == f"madw: HF_ENDPOINT is {value!r}, which is no address of a web server.\n"
    )


def test_an_unknown_name_is_wrong_usage(home):
    result = madw("fetch", "madbnech", "--home", home)

    assert (result.exit_code, result.stderr) == (
        2,
        "madw: There is no data set 'madbnech' to fetch. "
        "There are: madbench, madbench-full, madbench-eval, mad.\n",
    )


def test_an_unknown_revision_is_wrong_usage(home, hub):
    result = madw("fetch", "mad", "--revision", "nosuch", "--home", home)

    assert (result.exit_code, result.stderr) == (
        2,
        f"madw: {MAD} has no revision 'nosuch'. Name another with --revision.\n",
    )


def test_a_data_set_that_is_gone_is_told(home, hub):
    result = madw("fetch", "madbench-eval", "--home", home)

    assert result.exit_code == 1
    assert "madw: hww123/MADBench-eval: http://127.0.0.1:" in result.stderr
    assert "answers with HTTP 401" in result.stderr


@pytest.mark.parametrize(
    ("place", "body"),
    [
        ("info", b"<html>log in</html>"),
        ("info", b"[]"),
        ("info", b"{}"),
        ("info", b'{"id": "a/b", "sha": null}'),
        ("tree", b"<html>log in</html>"),
        ("tree", b"{}"),
        ("tree", b"[1]"),
        ("tree", b'[{"type": "file"}]'),
        ("tree", b'[{"type": "file", "path": "a.json", "size": 1, "oid": "x"}]'),
    ],
)
def test_a_server_that_is_not_the_hub_is_told(home, hub, place, body):
    hub.faults = {place: [{"status": 200, "body": body}]}

    result = madw("fetch", "mad", "--home", home)

    assert result.exit_code == 1
    assert "does not answer as the Hugging Face Hub does." in result.stderr


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        pytest.param({"README.md": b""}, f"{FULL}", id="nothing"),
        pytest.param({HUMAN: b"[]"}, f"does not hold {FULL} at", id="half"),
        pytest.param({HUMAN: b"", f"old/{FULL}": b""}, f"does not hold {FULL} at", id="elsewhere"),
    ],
)
def test_a_revision_without_the_needed_files_is_told(home, hub, files, sentence):
    hub.put(MAD, SECOND, files)

    result = madw("fetch", "mad", "--home", home)

    assert (result.exit_code, hub.fetched()) == (1, [])
    assert sentence in result.stderr


@pytest.mark.parametrize(
    "path", ["../a.json", "a/../../b.json", "/etc/a.json", "a\\b.json", "./a.json"]
)
def test_a_path_that_leads_out_of_the_folder_is_refused(path):
    file = SetFile(path, 1, "sha256", "0" * 64)

    with pytest.raises(MadwError, match="cannot be written below a folder"):
        fetch.needed_files(fetch.SETS["madbench"], [file])


def test_hidden_files_and_a_foreign_dataset_card_are_not_needed():
    paths = ["dataset.json", ".cache/a.json", "a/.b.json", "a/dataset.json", "A.JSON"]
    listed = [SetFile(path, 1, "sha256", "0" * 64) for path in paths]

    needed = fetch.needed_files(fetch.SETS["madbench"], listed)

    assert [file.path for file in needed] == ["A.JSON", "a/dataset.json"]


def test_a_name_too_long_for_the_system_is_told_before_anything_comes(home, hub):
    hub.put(BENCH, FIRST, {"x" * 300 + ".json": b"{}", "a.json": b"{}"})

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, hub.fetched()) == (1, [])
    assert "is too long a path for this system (" in result.stderr
    assert "Choose a --home with a shorter one." in result.stderr


def test_a_home_whose_path_leaves_no_room_is_told_before_anything_comes(hub, tmp_path):
    home = tmp_path
    while len(str(home)) < 3900:
        home /= "d" * 100
    home /= "d" * (4060 - len(str(home)))
    home.parent.mkdir(parents=True)

    result = madw("fetch", "madbench", "--home", home)

    assert (result.exit_code, hub.fetched()) == (1, [])
    assert "is too long a path for this system (" in result.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told(home, hub):
    (home / "raw").mkdir(parents=True)
    (home / "raw").chmod(0o500)

    result = madw("fetch", "madbench", "--home", home)

    assert result.exit_code == 1
    assert "cannot be written: Permission denied." in result.stderr


def test_a_file_in_the_way_is_told(home, hub):
    write_file(home / "raw/.madbench.partial", "x")

    result = madw("fetch", "madbench", "--home", home)

    assert result.exit_code == 1
    assert ".madbench.partial cannot be written: File exists." in result.stderr


def test_a_fetch_is_a_writer(home, hub):
    home.mkdir()
    with writer(Home(home), "make-believe"):
        command = [sys.executable, "-m", "ingest.cli", "fetch", "madbench", "--home", home]
        result = subprocess.run(command, capture_output=True, text=True)

    assert (result.returncode, hub.asked) == (1, [])
    assert "is being written by `make-believe`" in result.stderr


def test_the_program_starts_without_huggingface_hub():
    code = "import sys, ingest.cli, ingest.fetch; print('huggingface_hub' in sys.modules)"

    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert told.stdout == "False\n"
