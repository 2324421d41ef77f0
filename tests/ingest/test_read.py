"""Finding files below a root, and opening them."""

from __future__ import annotations

import gzip
import os

import pytest
from builders import MODIFIED, write_file

from ingest import read
from ingest.errors import MadwError, Reason, RejectedInput


def paths(root) -> list[str]:
    return [file.path for file in read.scan(root)]


def refusal(path) -> RejectedInput:
    with pytest.raises(RejectedInput) as caught:
        read.read_bytes(os.fspath(path))
    return caught.value


# Finding


def test_files_are_found_at_any_depth_sorted_by_path(raw):
    for name in ("b.json", "a/z.json", "a/b/c/d.json", "a.json"):
        write_file(raw / name, "{}")

    assert paths(raw) == ["a.json", "a/b/c/d.json", "a/z.json", "b.json"]


def test_a_file_is_told_by_size_and_time(raw):
    written = write_file(raw / "a.json", "12345")

    assert read.scan(raw) == [
        read.InputFile("a.json", os.fspath(raw), os.fspath(written), 5, MODIFIED * 1_000_000_000)
    ]


def test_hidden_files_and_folders_are_not_looked_at(raw):
    for name in (".hidden.json", ".cache/a.json", "run/.a.json.tmp", "run/b.json"):
        write_file(raw / name, "{}")

    assert paths(raw) == ["run/b.json"]


@pytest.mark.parametrize(
    "name", ["with space.json", "accent é.json", "bracket[1].json", "quote's.json", "100%.json"]
)
def test_odd_names_are_found_and_opened(raw, name):
    write_file(raw / "odd [é] 'x'" / name, "content")

    (file,) = read.scan(raw)

    assert file.path == f"odd [é] 'x'/{name}"
    assert read.read_bytes(file.location) == b"content"


def test_a_name_that_is_not_utf8_shows_its_byte_and_is_opened(raw):
    location = os.path.join(os.fsencode(raw), b"caf\xe9.json")
    with open(location, "wb") as file:
        file.write(b"content")

    (seen,) = read.scan(raw)

    assert seen.path == "caf\\xe9.json"
    assert read.read_bytes(seen.location) == b"content"


def test_a_link_to_a_folder_outside_is_entered(raw, tmp_path):
    write_file(tmp_path / "elsewhere" / "run" / "a.json", "{}")
    (raw / "linked").symlink_to(tmp_path / "elsewhere")

    assert paths(raw) == ["linked/run/a.json"]


def test_two_links_to_one_folder_are_entered_once(raw, tmp_path):
    write_file(tmp_path / "elsewhere" / "a.json", "{}")
    (raw / "one").symlink_to(tmp_path / "elsewhere")
    (raw / "two").symlink_to(tmp_path / "elsewhere")

    assert len(paths(raw)) == 1


def test_a_link_to_a_run_of_the_same_root_does_not_double_it(raw):
    write_file(raw / "run_1" / "a.json", "{}")
    (raw / "latest").symlink_to("run_1")

    assert paths(raw) == ["run_1/a.json"]


def test_a_link_into_a_hidden_folder_of_the_root_is_entered(raw):
    write_file(raw / ".store" / "a.json", "{}")
    (raw / "run_1").symlink_to(".store")

    assert paths(raw) == ["run_1/a.json"]


@pytest.mark.parametrize("target", [".", "..", "../..", "../run"])
def test_a_loop_of_folders_ends(raw, target):
    write_file(raw / "run" / "a.json", "{}")
    (raw / "run" / "loop").symlink_to(target)

    assert paths(raw) == ["run/a.json"]


def test_a_link_to_nothing_is_a_file_that_cannot_be_read(raw):
    (raw / "gone.json").symlink_to("nowhere.json")
    (raw / "self.json").symlink_to("self.json")

    gone, itself = read.scan(raw)

    assert (gone.path, gone.bytes, gone.mtime_ns) == ("gone.json", 0, 0)
    assert (itself.path, itself.bytes, itself.mtime_ns) == ("self.json", 0, 0)
    assert refusal(gone.location).code == Reason.UNREADABLE
    assert refusal(itself.location).code == Reason.UNREADABLE


def test_a_folder_that_cannot_be_listed_stops_the_scan(raw, monkeypatch):
    monkeypatch.chdir(raw)
    for _ in range(20):  # a path too long for the system, made a step at a time
        os.mkdir("n" * 250)
        os.chdir("n" * 250)

    with pytest.raises(MadwError, match="cannot be listed: File name too long"):
        read.scan(raw)


# Kinds


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("run/x.json", "trace"),
        ("run/x.json.gz", "trace"),
        ("run/X.JSON", "trace"),
        ("rooms.jsonl", "rooms"),
        ("deep/nightmare_rooms.jsonl.gz", "rooms"),
        ("metadata.jsonl", "metadata"),
        ("run/metadata.jsonl.gz", "metadata"),
        ("run/run.log", "log"),
        ("run/summary.csv", "summary"),
        ("dataset.json", "dataset_card"),
        ("run/dataset.json", "trace"),
        ("README.md", "other"),
        ("archive.tar.gz", "other"),
        ("json", "other"),
    ],
)
def test_the_name_tells_the_kind(path, kind):
    assert read.kind_of(path) == kind


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("run/x_failed.json", "x_failed"),
        ("run/x_failed.json.gz", "x_failed"),
        ("run/x_failed.JSON", "x_failed"),
        ("x.y.json", "x.y"),
        ("x.json.json", "x.json"),
    ],
)
def test_the_stem_is_the_name_without_its_ending(path, stem):
    assert read.stem_of(path) == stem


# Opening


def test_a_gzip_file_is_opened_whatever_its_name(raw):
    packed = write_file(raw / "a.json.gz", gzip.compress(b"content"))
    misnamed = write_file(raw / "b.json", gzip.compress(b"content"))
    plain = write_file(raw / "c.json.gz", b"content")

    assert [read.read_bytes(str(path)) for path in (packed, misnamed, plain)] == [b"content"] * 3


def test_a_gzip_file_of_several_members_is_read_whole(raw):
    written = write_file(raw / "a.json.gz", gzip.compress(b"con") + gzip.compress(b"tent"))

    assert read.read_bytes(str(written)) == b"content"


def test_a_gzip_file_padded_with_zeros_is_read(raw):
    written = write_file(raw / "a.json.gz", gzip.compress(b"content") + b"\0" * 512)

    assert read.read_bytes(str(written)) == b"content"


PACKED = gzip.compress(b"content " * 1000)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(PACKED[: len(PACKED) // 2], id="cut in half"),
        pytest.param(PACKED[:-1], id="cut by one byte"),
        pytest.param(PACKED[:2], id="its first bytes only"),
        pytest.param(PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:], id="a wrong checksum"),
        pytest.param(PACKED[:12] + b"\xff\xff\xff" + PACKED[15:], id="a broken stream"),
        pytest.param(PACKED + b"rest", id="something else behind it"),
    ],
)
def test_a_broken_gzip_file_is_rejected(raw, data):
    assert refusal(write_file(raw / "a.json.gz", data)).code == Reason.BAD_GZIP


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"x" * 1001, id="as it is"),
        pytest.param(gzip.compress(b"x" * 1001), id="when unpacked"),
        pytest.param(gzip.compress(b"x" * 600) * 2, id="when unpacked, in two members"),
    ],
)
def test_a_file_larger_than_the_limit_is_rejected(raw, monkeypatch, data):
    monkeypatch.setattr(read, "MAX_BYTES", 1000)

    assert refusal(write_file(raw / "a.json", data)).code == Reason.TOO_LARGE


def test_a_file_of_just_the_limit_is_read(raw, monkeypatch):
    monkeypatch.setattr(read, "MAX_BYTES", 1000)

    assert (
        read.read_bytes(str(write_file(raw / "a.json", gzip.compress(b"x" * 1000)))) == b"x" * 1000
    )


def test_the_digest_is_of_the_unpacked_bytes():
    assert read.sha256_of(b"abc") == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
