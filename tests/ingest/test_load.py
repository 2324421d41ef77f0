"""From folders to the lake: what is read, what is rebuilt, what is kept, and what is refused."""

from __future__ import annotations

import gzip
import json
import os
import shutil

import duckdb
import pyarrow.parquet as pq
import pytest
from builders import (
    MODIFIED,
    RUN,
    Cut,
    ingest,
    lake_files,
    lake_inodes,
    lake_rows,
    rejects,
    room,
    sources,
    step,
    trace,
    trace_ids,
    trace_stem,
    write_file,
    write_lines,
    write_run,
)

from ingest import load, read
from ingest.errors import MadwError, UsageError
from ingest.home import SAMPLE
from ingest.load import forget
from ingest.schemas import LAKE_VERSION, TABLES

STEM = trace_stem()
OTHER_RUN = "run_20260317_174255_model-b_0.3"


def run_files(home, run: str) -> dict[str, tuple[int, int]]:
    """The files a run owns, each with what changes when it is written again."""
    return {path: seen for path, seen in lake_inodes(home).items() if f"%2F{run}/" in path}


def datasets(home) -> list[str]:
    return [row["dataset"] for row in lake_rows(home, "datasets")]


# The first time


def test_a_run_is_loaded_into_every_table(home, raw):
    write_run(raw / RUN, [trace(), trace(trace=[step(action="SELECT_PUZZLE")])])

    report = ingest(home, raw)

    assert (report.n_read, report.n_runs_built, report.n_vanished) == (2, 1, 0)
    (run,) = lake_rows(home, "runs")
    assert (run["dataset"], run["run_id"], run["run_path"]) == ("raw", f"raw/{RUN}", RUN)
    assert (run["name_model"], run["name_temperature"], run["n_traces"]) == ("model-a", 0.0, 2)
    assert trace_ids(home) == [f"raw/{RUN}/{trace_stem(0)}", f"raw/{RUN}/{trace_stem(1)}"]
    assert [row["action"] for row in lake_rows(home, "steps")] == [
        "OBSERVE_CLUE",
        "SOLVE_CLUE",
        "SELECT_PUZZLE",
    ]
    assert {(row["run_id"], row["trace_id"]) for row in lake_rows(home, "step_texts")} == {
        (run["run_id"], trace_id) for trace_id in trace_ids(home)
    }
    assert [row["puzzle_id"] for row in lake_rows(home, "puzzles")] == ["P1", "P1"]


def test_a_loaded_file_has_its_row(home, raw):
    (written,) = write_run(raw / RUN)

    ingest(home, raw)

    assert sources(home)[f"{RUN}/{STEM}.json"] == {
        "dataset": "raw",
        "path": f"{RUN}/{STEM}.json",
        "root": str(raw),
        "bytes": written.stat().st_size,
        "mtime_ns": MODIFIED * 1_000_000_000,
        "sha256": read.sha256_of(written.read_bytes()),
        "kind": "trace",
        "run_id": f"raw/{RUN}",
        "status": "loaded",
        "error_code": None,
        "error": None,
        "error_at": None,
        "n_rooms": 1,
        "n_puzzles": 1,
        "n_steps": 2,
        "unknown_keys_json": None,
    }


def test_every_table_has_a_typed_file_even_when_nothing_fills_it(home, raw):
    write_run(raw / RUN, [trace(trace=[], room={"room_id": "r"})])

    ingest(home, raw)

    for name, table in TABLES.items():
        paths = list((home / "lake" / name).glob("**/*.parquet"))
        assert any("dataset=_" in str(path) for path in paths), name
        for path in paths:
            assert pq.read_schema(path).equals(table.schema), path
            assert pq.read_metadata(path).metadata[b"lake_version"] == LAKE_VERSION.encode()
    assert lake_rows(home, "steps") == []


def test_rooms_without_steps_and_with_steps_have_one_schema(home, raw):
    write_run(raw / "a", [trace(trace=[], failure_report={"error": "x"}) for _ in range(40)])
    write_run(raw / "b", 10)

    ingest(home, raw)

    pattern = str(home / "lake" / "steps" / "**" / "*.parquet")
    with duckdb.connect() as connection:
        (counted,) = connection.execute(
            "select count(*) from read_parquet($1, hive_partitioning = false)", [pattern]
        ).fetchall()
    assert counted == (20,)
    assert sum(row["n_steps"] for row in lake_rows(home, "rooms")) == 20


def test_duckdb_reads_names_with_odd_characters(home, raw):
    write_run(raw / "it's [é] 100% a=b" / RUN)

    ingest(home, raw, dataset="ö'[x]")

    pattern = str(home / "lake" / "rooms" / "*" / "*" / "data.parquet")
    with duckdb.connect() as connection:
        found = connection.execute(
            "select dataset, trace_id from read_parquet($1, hive_partitioning = false)", [pattern]
        ).fetchall()
    assert found == [("ö'[x]", f"ö'[x]/it's [é] 100% a=b/{RUN}/{STEM}")]


def test_a_long_path_fits_the_file_system(home, raw):
    folders = [letter * 200 for letter in "abc"]
    write_run(raw.joinpath(*folders, "one"))
    write_run(raw.joinpath(*folders, "two"))

    ingest(home, raw)

    assert [row["run_path"] for row in lake_rows(home, "runs")] in (
        ["/".join([*folders, "one"]), "/".join([*folders, "two"])],
        ["/".join([*folders, "two"]), "/".join([*folders, "one"])],
    )


# Again


def test_the_second_time_nothing_is_read_or_written(home, raw):
    write_run(raw / RUN, 3)
    write_lines(raw / "rooms.jsonl", [room()])
    write_file(raw / "broken.json", "{")
    write_file(raw / "dataset.json", {"description": "small"})
    write_file(raw / "run.log", "line")
    ingest(home, raw)
    files, inodes = lake_files(home), lake_inodes(home)

    report = ingest(home, raw)

    assert (report.n_read, report.n_runs_built, report.n_vanished) == (0, 0, 0)
    assert lake_files(home) == files
    kept = {path for path, seen in lake_inodes(home).items() if inodes[path] == seen}
    assert set(inodes) == kept


def test_a_touched_file_rebuilds_nothing(home, raw):
    (written,) = write_run(raw / RUN)
    ingest(home, raw)
    before = run_files(home, RUN)
    os.utime(written, (MODIFIED + 60, MODIFIED + 60))

    report = ingest(home, raw)

    assert report.n_read == 0
    assert run_files(home, RUN) == before
    assert sources(home)[f"{RUN}/{STEM}.json"]["mtime_ns"] == (MODIFIED + 60) * 1_000_000_000


def test_a_file_packed_without_change_rebuilds_nothing(home, raw):
    written = write_file(raw / RUN / "a.json.gz", json.dumps(trace()))
    ingest(home, raw)
    before = run_files(home, RUN)
    write_file(written, gzip.compress(json.dumps(trace()).encode()))

    assert ingest(home, raw).n_read == 0
    assert run_files(home, RUN) == before


def test_a_changed_trace_rebuilds_its_run_and_no_other(home, raw):
    first, _ = write_run(raw / RUN, 2)
    write_run(raw / OTHER_RUN)
    ingest(home, raw)
    ours, others = run_files(home, RUN), run_files(home, OTHER_RUN)
    write_file(first, trace(trace=[step(), step(), step()]))

    report = ingest(home, raw)

    assert (report.n_read, report.n_runs_built) == (2, 1)
    assert run_files(home, OTHER_RUN) == others
    assert all(run_files(home, RUN)[path] != seen for path, seen in ours.items())
    assert [row["n_steps"] for row in lake_rows(home, "rooms")] == [3, 2, 2]


def test_a_new_run_adds_its_files_and_touches_no_other(home, raw):
    write_run(raw / RUN)
    ingest(home, raw)
    before = run_files(home, RUN)
    write_run(raw / OTHER_RUN)

    report = ingest(home, raw)

    assert (report.n_read, report.n_runs_built) == (1, 1)
    assert run_files(home, RUN) == before
    assert len(run_files(home, OTHER_RUN)) == len(before)


def test_a_file_that_vanished_loses_its_rows(home, raw):
    first, second = write_run(raw / RUN, 2)
    ingest(home, raw)
    first.unlink()

    report = ingest(home, raw)

    assert (report.n_read, report.n_runs_built, report.n_vanished) == (1, 1, 1)
    assert trace_ids(home) == [f"raw/{RUN}/{second.stem}"]
    assert list(sources(home)) == [f"{RUN}/{second.name}"]
    assert {row["trace_id"] for row in lake_rows(home, "steps")} == set(trace_ids(home))


def test_a_run_that_vanished_loses_its_rows(home, raw):
    write_run(raw / RUN)
    write_run(raw / OTHER_RUN)
    ingest(home, raw)
    before = run_files(home, RUN)
    shutil.rmtree(raw / OTHER_RUN)

    report = ingest(home, raw)

    assert (report.n_read, report.n_runs_built, report.n_vanished) == (0, 1, 1)
    assert run_files(home, RUN) == before
    assert run_files(home, OTHER_RUN) == {}
    assert [row["run_id"] for row in lake_rows(home, "runs")] == [f"raw/{RUN}"]


def test_a_run_of_which_every_trace_broke_loses_its_rows(home, raw):
    (written,) = write_run(raw / RUN)
    write_run(raw / OTHER_RUN)
    ingest(home, raw)
    write_file(written, "{")

    ingest(home, raw)

    assert [row["run_id"] for row in lake_rows(home, "runs")] == [f"raw/{OTHER_RUN}"]
    assert rejects(home) == {f"{RUN}/{STEM}.json": "truncated"}


def test_a_broken_file_that_was_mended_is_loaded(home, raw):
    (written,) = write_run(raw / RUN, ["{"])
    write_run(raw / OTHER_RUN)
    ingest(home, raw)
    write_file(written, trace())

    ingest(home, raw)

    assert rejects(home) == {}
    assert len(trace_ids(home)) == 2


def test_a_file_that_could_not_be_read_is_tried_again(home, raw, tmp_path):
    write_run(raw / RUN)
    (raw / RUN / "linked.json").symlink_to(tmp_path / "later.json")
    ingest(home, raw)
    first = rejects(home)
    target = write_file(tmp_path / "later.json", "")
    os.utime(target, (0, 0))  # size and time are what they were for the link to nothing

    ingest(home, raw)

    assert first == {f"{RUN}/linked.json": "unreadable"}
    assert rejects(home) == {f"{RUN}/linked.json": "empty_file"}


def test_a_changed_room_file_is_read_again(home, raw):
    write_run(raw / RUN)
    written = write_lines(raw / "rooms.jsonl", [room("room_0001"), room("room_0002")])
    ingest(home, raw)
    before = run_files(home, RUN)
    write_lines(written, [room("room_0003", n_puzzles=2)])

    report = ingest(home, raw)

    assert (report.n_read, run_files(home, RUN)) == (0, before)
    assert [row["room_id"] for row in lake_rows(home, "room_definitions")] == ["room_0003"]
    assert [row["puzzle_id"] for row in lake_rows(home, "puzzle_definitions")] == ["P1", "P2"]


def test_a_room_file_that_vanished_loses_its_rows(home, raw):
    write_run(raw / RUN)
    written = write_lines(raw / "rooms.jsonl", [room()])
    ingest(home, raw)
    written.unlink()

    assert ingest(home, raw).n_vanished == 1
    assert lake_rows(home, "room_definitions") == []
    assert lake_rows(home, "puzzle_definitions") == []


# Roots


def test_two_roots_are_two_data_sets(home, tmp_path):
    write_run(tmp_path / "one" / RUN)
    write_run(tmp_path / "two" / RUN)

    ingest(home, tmp_path / "one", tmp_path / "two")

    assert trace_ids(home) == [f"one/{RUN}/{STEM}", f"two/{RUN}/{STEM}"]
    assert datasets(home) == ["one", "two"]


def test_a_root_that_is_gone_keeps_its_rows_until_it_is_scanned(home, tmp_path):
    write_run(tmp_path / "one" / RUN)
    write_run(tmp_path / "two" / RUN)
    ingest(home, tmp_path / "one")
    before = lake_files(home)
    shutil.rmtree(tmp_path / "one")

    report = ingest(home, tmp_path / "two")

    assert report.n_vanished == 0
    assert trace_ids(home) == [f"one/{RUN}/{STEM}", f"two/{RUN}/{STEM}"]
    assert {path: lake_files(home)[path] for path in before} == before


def test_a_root_that_is_gone_keeps_its_rows_in_a_shared_data_set(home, tmp_path):
    write_run(tmp_path / "one" / RUN)
    write_run(tmp_path / "two" / OTHER_RUN)
    ingest(home, tmp_path / "one", tmp_path / "two", dataset="both")
    shutil.rmtree(tmp_path / "one")

    report = ingest(home, tmp_path / "two", dataset="both")

    assert report.n_vanished == 0
    assert trace_ids(home) == [f"both/{RUN}/{STEM}", f"both/{OTHER_RUN}/{STEM}"]


def test_a_run_that_needs_a_root_that_is_gone_is_refused_and_kept(home, tmp_path):
    for root, stem in (("one", "a"), ("two", "b")):
        write_file(tmp_path / root / RUN / f"{stem}.json", trace())
    ingest(home, tmp_path / "one", dataset="d")
    ingest(home, tmp_path / "two", dataset="d")
    shutil.rmtree(tmp_path / "one")
    write_file(tmp_path / "two" / RUN / "c.json", trace())

    with pytest.raises(MadwError, match="which is not there now"):
        ingest(home, tmp_path / "two", dataset="d")

    assert trace_ids(home) == [f"d/{RUN}/a", f"d/{RUN}/b"]


def test_a_card_counts_for_its_data_set_when_another_root_is_scanned(home, tmp_path):
    write_run(tmp_path / "one" / "run_a")
    write_file(tmp_path / "one" / "dataset.json", {"is_synthetic": True})
    write_run(tmp_path / "two" / "run_b")
    ingest(home, tmp_path / "one", dataset="d")

    ingest(home, tmp_path / "two", dataset="d")

    assert [row["is_synthetic"] for row in lake_rows(home, "datasets")] == [True]


def test_a_home_inside_the_folder_it_reads_is_not_read(tmp_path):
    home = tmp_path / "raw" / "warehouse"
    write_run(tmp_path / "raw" / RUN)
    ingest(home, tmp_path / "raw")
    write_file(home / "build" / "target" / "manifest.json", {})

    report = ingest(home, tmp_path / "raw")

    assert (report.n_read, report.rejected) == (0, [])
    assert sorted(sources(home)) == [f"{RUN}/{STEM}.json"]


def test_what_stands_in_raw_without_data_is_told_and_left(home):
    write_run(home / "raw" / "good" / RUN)
    write_file(home / "raw" / "empty" / "README.md", "nothing here")
    write_file(home / "raw" / "loose.json", trace())

    report = ingest(home)

    assert datasets(home) == ["good"]
    assert sorted(report.notes) == [
        f"{home / 'raw' / 'empty'} holds nothing to read.",
        f"{home / 'raw' / 'loose.json'} is not in a folder of its own in raw/, so it is not read.",
    ]


def test_a_root_that_moved_keeps_its_rows_and_is_not_read(home, tmp_path):
    write_run(tmp_path / "here" / RUN)
    ingest(home, tmp_path / "here", dataset="mine")
    (tmp_path / "here").rename(tmp_path / "there")

    report = ingest(home, tmp_path / "there", dataset="mine")

    assert report.n_read == 0
    assert sources(home)[f"{RUN}/{STEM}.json"]["root"] == str(tmp_path / "there")


def test_one_path_from_two_roots_of_a_data_set_is_refused(home, tmp_path):
    write_run(tmp_path / "one" / RUN)
    write_run(tmp_path / "two" / RUN)

    with pytest.raises(UsageError, match=r"both would get .* from .*one and from .*two"):
        ingest(home, tmp_path / "one", tmp_path / "two", dataset="both")


def test_one_path_from_a_root_that_is_not_named_now_is_refused(home, tmp_path):
    write_run(tmp_path / "one" / RUN)
    write_run(tmp_path / "two" / RUN)
    ingest(home, tmp_path / "one", dataset="both")

    with pytest.raises(UsageError, match=r"both would get .* from .*one and from .*two"):
        ingest(home, tmp_path / "two", dataset="both")
    assert trace_ids(home) == [f"both/{RUN}/{STEM}"]


@pytest.mark.parametrize("spelling", ["raw/../raw", "raw/.", "link"])
def test_a_root_is_the_same_however_it_is_spelt(home, raw, tmp_path, spelling):
    write_run(raw / RUN)
    (tmp_path / "link").symlink_to(raw)
    ingest(home, tmp_path / spelling)

    report = ingest(home, raw)

    assert report.n_read == 0
    assert sources(home)[f"{RUN}/{STEM}.json"]["root"] == str(raw)


def test_without_a_path_every_known_root_is_scanned_again(home, tmp_path):
    write_run(tmp_path / "one" / RUN)
    write_run(tmp_path / "two" / RUN)
    ingest(home, tmp_path / "one", dataset="first")
    ingest(home, tmp_path / "two")
    write_run(tmp_path / "one" / OTHER_RUN)

    report = ingest(home)

    assert (report.n_read, sorted(report.sources)) == (1, ["first", "two"])
    assert f"first/{OTHER_RUN}/{STEM}" in trace_ids(home)


def test_without_a_path_each_folder_of_raw_is_a_data_set(home):
    write_run(home / "raw" / "one" / RUN)
    write_run(home / "raw" / "two" / RUN)
    (home / "raw" / "empty").mkdir()
    write_run(home / "raw" / ".hidden" / RUN)

    ingest(home)

    assert datasets(home) == ["one", "two"]


def test_a_folder_of_raw_keeps_the_name_it_was_given(home):
    write_run(home / "raw" / "one" / RUN)
    ingest(home, home / "raw" / "one", dataset="mine")

    report = ingest(home)

    assert (report.n_read, datasets(home)) == (0, ["mine"])


def test_a_known_root_that_is_missing_is_told_and_kept(home, tmp_path):
    write_run(tmp_path / "one" / RUN)
    write_run(tmp_path / "two" / RUN)
    ingest(home, tmp_path / "one", tmp_path / "two")
    shutil.rmtree(tmp_path / "one")

    report = ingest(home)

    assert report.notes == [
        f"{tmp_path / 'one'} is not there now; what one holds of it stays as it is."
    ]
    assert trace_ids(home) == [f"one/{RUN}/{STEM}", f"two/{RUN}/{STEM}"]


def test_an_empty_home_gets_the_bundled_sample_until_real_data_comes(home, raw):
    write_run(raw / RUN)

    first = ingest(home, jobs=2)
    bundled = datasets(home)
    second = ingest(home, raw)

    assert bundled == sorted(folder.name for folder in SAMPLE.iterdir() if folder.is_dir())
    assert [row["is_bundled"] for row in lake_rows(home, "datasets")] == [False]
    assert first.rejected == []
    assert second.notes == [
        f"The bundled {name} left the lake, which now holds other data." for name in bundled
    ]
    assert trace_ids(home) == [f"raw/{RUN}/{STEM}"]
    assert {row["dataset"] for row in lake_rows(home, "source_files")} == {"raw"}
    assert lake_rows(home, "room_definitions") == []


# Order and workers


def test_the_order_of_files_does_not_matter(home, raw, tmp_path):
    def write(numbers):
        shutil.rmtree(raw)
        for number in numbers:
            write_run(raw / f"run_{number}", [trace(puzzles_solved=number)])
            write_lines(raw / f"rooms_{number}.jsonl", [room(f"room_{number}")])
        ingest(tmp_path / f"home_{numbers[0]}", raw)
        return lake_files(tmp_path / f"home_{numbers[0]}")

    assert write([1, 2, 3, 4]) == write([4, 2, 1, 3])


def test_the_number_of_workers_does_not_matter(raw, tmp_path, monkeypatch):
    monkeypatch.setattr(load, "_POOL_BYTES", 0)  # so that small input starts worker processes
    for number in range(6):
        write_run(raw / f"run_{number}", [trace(puzzles_solved=number), "{"])

    for jobs in (1, 2, 4):
        ingest(tmp_path / f"home_{jobs}", raw, jobs=jobs)

    one, two, four = (lake_files(tmp_path / f"home_{jobs}") for jobs in (1, 2, 4))
    assert one == two == four
    assert len([path for path in one if path.startswith("rooms/")]) == 7


def test_a_run_written_in_several_parts_has_the_same_rows(raw, tmp_path, monkeypatch):
    write_run(raw / RUN, 5)
    ingest(tmp_path / "whole", raw)
    monkeypatch.setattr("ingest.write._BATCH_BYTES", 1)

    ingest(tmp_path / "parts", raw)

    for table in TABLES:
        assert lake_rows(tmp_path / "parts", table) == lake_rows(tmp_path / "whole", table), table


# Names of data sets


@pytest.mark.parametrize(
    ("card", "option", "name"),
    [
        pytest.param(None, None, "raw", id="the folder's name"),
        pytest.param({"dataset": "from-card"}, None, "from-card", id="the card's name"),
        pytest.param({"description": "x"}, None, "raw", id="a card without a name"),
        pytest.param({"dataset": "from-card"}, "asked", "asked", id="the name asked for"),
        pytest.param(None, "mad é [1]", "mad é [1]", id="a name with odd characters"),
    ],
)
def test_the_name_of_a_data_set(home, raw, card, option, name):
    write_run(raw / RUN)
    if card is not None:
        write_file(raw / "dataset.json", card)

    ingest(home, raw, dataset=option)

    assert datasets(home) == [name]
    assert trace_ids(home) == [f"{name}/{RUN}/{STEM}"]


def test_a_card_fills_the_row_of_its_data_set(home, raw):
    write_run(raw / RUN)
    card = {
        "dataset": "d",
        "description": "about",
        "source": "somewhere",
        "licence": "MIT",
        "revision": "abc",
        "is_synthetic": True,
    }
    write_file(raw / "dataset.json", card)

    ingest(home, raw)

    assert lake_rows(home, "datasets") == [card | {"is_bundled": False}]
    assert sources(home)["dataset.json"]["status"] == "loaded"


@pytest.mark.parametrize(
    ("card", "place"),
    [
        pytest.param({"dataset": 5}, "/dataset", id="a name that is a number"),
        pytest.param({"licence": ["MIT"]}, "/licence", id="a licence that is a list"),
        pytest.param({"is_synthetic": "no"}, "/is_synthetic", id="a flag that is a text"),
        pytest.param([1], None, id="a list"),
        pytest.param("{", "line 1, column 2", id="a card cut off"),
        pytest.param("", None, id="an empty card"),
        pytest.param(b'{"source":"caf\xe9"}', "byte 14", id="a card in latin-1"),
    ],
)
def test_a_bad_card_is_rejected_and_the_rest_loads(home, raw, card, place):
    write_run(raw / RUN)
    write_file(raw / "dataset.json", card)

    ingest(home, raw)

    row = sources(home)["dataset.json"]
    assert (row["status"], row["error_code"], row["error_at"]) == (
        "rejected",
        "bad_dataset_card",
        place,
    )
    assert datasets(home) == ["raw"]
    assert len(trace_ids(home)) == 1


@pytest.mark.parametrize("name", ["_", "none", "a/b", " ", "line\nbreak", "\x1b[31m"])
def test_some_names_are_refused(home, raw, name):
    write_run(raw / RUN)

    with pytest.raises(UsageError, match="cannot be the name of a data set"):
        ingest(home, raw, dataset=name)


def test_a_name_that_cannot_be_used_in_a_card_is_refused(home, raw):
    write_run(raw / RUN)
    write_file(raw / "dataset.json", {"dataset": "a/b"})

    with pytest.raises(UsageError, match="'a/b' cannot be the name of a data set"):
        ingest(home, raw)


def test_a_root_whose_path_is_not_utf8_is_refused(home, tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    write_run(folder / RUN)

    with pytest.raises(UsageError, match="is not UTF-8"):
        ingest(home, folder, dataset="x")


# Runs


def test_runs_are_folders_at_any_depth(home, raw):
    write_run(raw / "gpt-4.1" / "gsm-hard" / RUN)
    write_run(raw / "gpt-4.1" / "gsm-hard" / RUN / "easy_nightmares")
    write_run(raw)

    ingest(home, raw)

    runs = {row["run_id"]: row["name_model"] for row in lake_rows(home, "runs")}
    assert runs == {
        f"raw/gpt-4.1/gsm-hard/{RUN}": "model-a",
        f"raw/gpt-4.1/gsm-hard/{RUN}/easy_nightmares": "model-a",
        "raw": None,
    }


def test_a_run_given_as_root_keeps_what_its_name_says(home, raw):
    write_run(raw / RUN)

    ingest(home, raw / RUN)

    (run,) = lake_rows(home, "runs")
    assert (run["run_id"], run["run_path"], run["name_model"]) == (RUN, "", "model-a")


def test_a_flat_folder_holds_a_run_for_each_temperature(home, raw):
    for number, temperature in enumerate(("0.0", "0.3", "0.3")):
        name = f"2026031617430{number}_x_room_000{number}_easy_temp_{temperature}_failed.json"
        write_file(raw / "org" / "model-x" / name, trace())

    ingest(home, raw)

    runs = [(row["run_id"], row["name_model"], row["n_traces"]) for row in lake_rows(home, "runs")]
    assert runs == [
        ("raw/org/model-x/0.0", "model-x", 1),
        ("raw/org/model-x/0.3", "model-x", 2),
    ]
    assert [row["run_path"] for row in lake_rows(home, "runs")] == ["org/model-x"] * 2


def test_a_flat_folder_given_as_root_is_named_after_the_model(home, raw):
    write_file(raw / "20260316174300_x_room_0001_easy_temp_0.6_failed.json", trace())

    ingest(home, raw)

    (run,) = lake_rows(home, "runs")
    assert (run["run_id"], run["name_model"], run["run_path"]) == ("raw/0.6", "raw", "")


def test_a_restarted_room_is_two_traces_of_its_run(home, raw):
    write_file(raw / RUN / "20260316174300_x_room_0001_failed.json", trace())
    write_file(raw / RUN / "20260316184300_x_room_0001_escaped.json", trace())

    ingest(home, raw)

    rows = lake_rows(home, "rooms")
    assert [(row["room_id"], row["name_started_at"].hour) for row in rows] == [
        ("room_0001", 17),
        ("room_0001", 18),
    ]


def test_the_same_bytes_under_two_names_are_two_traces_with_one_digest(home, raw):
    write_run(raw / RUN, 1)
    write_run(raw / OTHER_RUN, 1)

    ingest(home, raw)

    first, second = lake_rows(home, "rooms")
    assert first["content_sha256"] == second["content_sha256"]
    assert first["trace_id"] != second["trace_id"]


def test_one_name_packed_and_plain_is_a_duplicate(home, raw):
    write_file(raw / RUN / "a.json", trace())
    write_file(raw / RUN / "a.json.gz", gzip.compress(json.dumps(trace()).encode()))

    ingest(home, raw)

    assert rejects(home) == {f"{RUN}/a.json.gz": "duplicate_trace"}
    assert trace_ids(home) == [f"raw/{RUN}/a"]


def test_a_broken_file_does_not_stand_in_the_way_of_its_packed_copy(home, raw):
    write_file(raw / RUN / "a.json", "{")
    write_file(raw / RUN / "a.json.gz", gzip.compress(json.dumps(trace()).encode()))

    ingest(home, raw)

    assert rejects(home) == {f"{RUN}/a.json": "truncated"}
    assert trace_ids(home) == [f"raw/{RUN}/a"]


# What is not a trace


def test_every_file_seen_has_a_row_and_known_kinds_are_ignored(home, raw):
    write_run(raw / RUN)
    for name in ("run.log", "summary.csv", "metadata.jsonl", "notes.md"):
        write_file(raw / RUN / name, "x")
    write_lines(raw / RUN / "rooms.jsonl", [room()])

    ingest(home, raw)

    assert {path: (row["kind"], row["status"]) for path, row in sources(home).items()} == {
        f"{RUN}/{STEM}.json": ("trace", "loaded"),
        f"{RUN}/metadata.jsonl": ("metadata", "ignored"),
        f"{RUN}/notes.md": ("other", "ignored"),
        f"{RUN}/rooms.jsonl": ("rooms", "loaded"),
        f"{RUN}/run.log": ("log", "ignored"),
        f"{RUN}/summary.csv": ("summary", "ignored"),
    }


BAD = {
    "cut_in_half": (json.dumps(trace())[:150], "truncated"),
    "empty": ("", "empty_file"),
    "latin_1": (json.dumps(trace(new="café"), ensure_ascii=False).encode("latin-1"), "not_utf8"),
    "no_trace": ({"name": "package", "version": 1}, "not_a_trace"),
}


def test_96_good_files_load_and_4_bad_ones_are_named(home, raw):
    write_run(raw / RUN, 96)
    for name, (content, _) in BAD.items():
        write_file(raw / RUN / f"{name}.json", content)

    report = ingest(home, raw)

    assert rejects(home) == {f"{RUN}/{name}.json": code for name, (_, code) in BAD.items()}
    assert len(report.rejected) == 4
    assert len(lake_rows(home, "rooms")) == 96
    assert lake_rows(home, "runs")[0]["n_traces"] == 96


def test_records_in_are_rows_out_and_rejects(home, raw):
    write_run(raw / RUN, [trace(trace=[step()] * number) for number in range(4)])
    write_run(raw / OTHER_RUN, [trace(), "{", {"a": 1}])
    write_lines(raw / "rooms.jsonl", [room(n_puzzles=2), room(n_puzzles=0)])
    write_file(raw / "run.log", "x")

    ingest(home, raw)

    rows = sources(home).values()
    loaded = [row for row in rows if row["status"] == "loaded"]
    traces = [row for row in loaded if row["kind"] == "trace"]
    assert len(rows) == sum(path.is_file() for path in raw.rglob("*")) == 9
    assert len(traces) == len(lake_rows(home, "rooms")) == 5
    assert sum(row["n_steps"] for row in traces) == len(lake_rows(home, "steps")) == 8
    assert len(lake_rows(home, "step_texts")) == 8
    assert sum(row["n_puzzles"] for row in traces) == len(lake_rows(home, "puzzles")) == 5
    (room_file,) = [row for row in loaded if row["kind"] == "rooms"]
    assert room_file["n_rooms"] == len(lake_rows(home, "room_definitions")) == 2
    assert room_file["n_puzzles"] == len(lake_rows(home, "puzzle_definitions")) == 2


def test_a_reject_says_where_and_why(home, raw):
    write_run(raw / RUN, [trace(trace=[step(), {"agent": "a"}])])
    write_run(raw / OTHER_RUN)

    ingest(home, raw)

    row = sources(home)[f"{RUN}/{STEM}.json"]
    assert (row["error_code"], row["error"], row["error_at"]) == (
        "missing_required",
        "`action` is missing.",
        "/trace/1/action",
    )
    assert len(row["sha256"]) == 64
    assert (row["n_rooms"], row["n_steps"]) == (None, None)


def test_unknown_keys_are_counted_with_their_file(home, raw):
    write_run(raw / RUN, [trace(new=1, trace=[step(other=2), step(other=3)])])

    ingest(home, raw)

    row = sources(home)[f"{RUN}/{STEM}.json"]
    assert json.loads(row["unknown_keys_json"]) == {"new": 1, "trace[].other": 2}


def test_a_name_that_is_not_utf8_is_loaded_under_its_escape(home, raw):
    folder = raw / RUN
    folder.mkdir()
    with open(os.path.join(os.fsencode(folder), b"caf\xe9_escaped.json"), "wb") as file:
        file.write(json.dumps(trace()).encode())

    ingest(home, raw)

    assert trace_ids(home) == [f"raw/{RUN}/caf\\xe9_escaped"]


# Room files


def test_a_room_file_has_a_row_for_each_line(home, raw):
    lines = [room("room_0001"), "", room("room_0002", n_puzzles=2, type="planning")]
    write_lines(raw / "rooms.jsonl", lines)

    ingest(home, raw)

    assert [
        (row["line_number"], row["room_id"], row["room_type"], row["n_puzzles"])
        for row in lake_rows(home, "room_definitions")
    ] == [(1, "room_0001", None, 1), (3, "room_0002", "planning", 2)]
    assert [
        (row["line_number"], row["room_puzzle_index"], row["puzzle_id"], row["ground_truth"])
        for row in lake_rows(home, "puzzle_definitions")
    ] == [(1, 0, "P1", 0.0), (3, 0, "P1", 0.0), (3, 1, "P2", 1.0)]


def test_the_same_room_twice_is_two_rows_with_one_digest(home, raw):
    written = json.dumps(room())
    write_lines(raw / "rooms.jsonl", [written, written.replace(": ", ":  ")])

    ingest(home, raw)

    first, second = lake_rows(home, "room_definitions")
    assert (first["line_number"], second["line_number"]) == (1, 2)
    assert first["definition_sha256"] == second["definition_sha256"]
    assert json.loads(first["room_json"]) == room()


def test_two_copies_of_a_room_file_are_told_apart_by_their_path(home, raw):
    write_lines(raw / "a" / "rooms.jsonl", [room()])
    write_lines(raw / "b" / "rooms.jsonl", [room()])

    ingest(home, raw)

    assert [row["source_path"] for row in lake_rows(home, "room_definitions")] == [
        "a/rooms.jsonl",
        "b/rooms.jsonl",
    ]


def test_nan_in_a_room_file_is_no_number_and_kept_as_a_text(home, raw):
    line = '{"room_id": "r", "puzzles": [{"ground_truth": NaN, "level": 1}]}'
    write_lines(raw / "rooms.jsonl", [line])

    ingest(home, raw)

    (definition,), (puzzle,) = (
        lake_rows(home, "room_definitions"),
        lake_rows(home, "puzzle_definitions"),
    )
    assert (puzzle["ground_truth"], puzzle["ground_truth_json"]) == (None, '"NaN"')
    assert definition["room_json"] == '{"room_id":"r","puzzles":[{"ground_truth":"NaN","level":1}]}'


def test_unknown_keys_of_a_room_file_are_named_and_kept(home, raw):
    write_lines(raw / "rooms.jsonl", [room(new=1), room(new=2)])

    ingest(home, raw)

    assert json.loads(sources(home)["rooms.jsonl"]["unknown_keys_json"]) == {"new": 2}
    assert [json.loads(row["room_json"])["new"] for row in lake_rows(home, "room_definitions")] == [
        1,
        2,
    ]


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        pytest.param('{"room_id":"r"}\nhello\n', "not_a_room_file", "line 2", id="words"),
        pytest.param('{"puzzles":[]}\n', "not_a_room_file", "line 1", id="no room_id"),
        pytest.param('{"room_id":"r"}\n{"room_id":', "truncated", "line 2", id="a cut line"),
        pytest.param('\n\n{"room_id":"r","puzzles":[5]}', "not_a_room_file", "line 3", id="type"),
        pytest.param("", "empty_file", None, id="an empty file"),
        pytest.param("\n \n", "empty_file", None, id="blank lines only"),
        pytest.param(b'{"room_id":"caf\xe9"}', "not_utf8", "byte 15", id="latin-1"),
    ],
)
def test_a_bad_room_file_is_rejected_whole_and_the_rest_loads(home, raw, content, code, place):
    write_run(raw / RUN)
    write_lines(raw / "good.jsonl", [room()])
    write_file(raw / "bad.jsonl", content)

    ingest(home, raw)

    row = sources(home)["bad.jsonl"]
    assert (row["error_code"], row["error_at"]) == (code, place)
    assert {row["source_path"] for row in lake_rows(home, "room_definitions")} == {"good.jsonl"}


def test_a_room_file_is_read_with_crlf_and_a_byte_order_mark(home, raw):
    lines = "\r\n".join(json.dumps(room(name)) for name in ("r1", "r2"))
    write_file(raw / "rooms.jsonl.gz", gzip.compress(b"\xef\xbb\xbf" + lines.encode()))

    ingest(home, raw)

    assert [row["room_id"] for row in lake_rows(home, "room_definitions")] == ["r1", "r2"]


def test_a_line_separator_inside_a_text_does_not_end_the_line(home, raw):
    line = json.dumps(room(scenery="a\u2028b\x85c"), ensure_ascii=False)
    write_file(raw / "rooms.jsonl", line)

    ingest(home, raw)

    assert len(lake_rows(home, "room_definitions")) == 1


# What is refused


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        pytest.param(lambda path: None, "does not exist", id="a missing folder"),
        pytest.param(lambda path: path.write_text("{}"), "is not a folder", id="a file"),
        pytest.param(lambda path: path.mkdir(), "holds no trace", id="an empty folder"),
        pytest.param(
            lambda path: write_file(path / "notes.md", "x"), "holds no trace", id="no trace in it"
        ),
    ],
)
def test_a_folder_without_input_is_refused(home, tmp_path, make, sentence):
    make(tmp_path / "input")

    with pytest.raises(UsageError, match=sentence):
        ingest(home, tmp_path / "input")
    assert not (home / "lake").exists()


def test_a_known_root_that_was_emptied_is_not_taken_for_vanished_files(home, raw):
    write_run(raw / RUN)
    ingest(home, raw)
    shutil.rmtree(raw / RUN)

    with pytest.raises(UsageError, match="To take raw out: madw forget raw"):
        ingest(home, raw)
    assert len(trace_ids(home)) == 1


def test_a_name_without_a_path_is_refused(home):
    with pytest.raises(UsageError, match="--dataset needs a PATH"):
        ingest(home, dataset="x")


def test_strict_writes_nothing_in_a_new_home(home, raw):
    write_run(raw / RUN)
    write_file(raw / RUN / "bad.json", "{")

    with pytest.raises(MadwError, match=r"nothing was written.*raw/.*bad\.json: truncated"):
        ingest(home, raw, is_strict=True)
    assert not (home / "lake").exists()


def test_strict_leaves_a_lake_as_it_is(home, raw):
    (written,) = write_run(raw / RUN)
    ingest(home, raw)
    files, inodes = lake_files(home), lake_inodes(home)
    write_file(written, trace(trace=[]))
    write_file(raw / "bad.jsonl", "hello")

    with pytest.raises(MadwError, match=r"raw/bad\.jsonl: not_a_room_file"):
        ingest(home, raw, is_strict=True)
    assert (lake_files(home), lake_inodes(home)) == (files, inodes)


def test_strict_loads_what_is_all_good(raw, tmp_path):
    write_run(raw / RUN, 2)
    ingest(tmp_path / "lax", raw)

    ingest(tmp_path / "strict", raw, is_strict=True)

    assert lake_files(tmp_path / "strict") == lake_files(tmp_path / "lax")


def test_strict_refuses_what_was_rejected_before(home, raw):
    write_run(raw / RUN, [trace(), "{"])
    ingest(home, raw)

    with pytest.raises(MadwError, match="1 of the files cannot be used"):
        ingest(home, raw, is_strict=True)


# Cut short


@pytest.mark.parametrize("flush_seconds", [0.0, 60.0], ids=["flushed each run", "never flushed"])
def test_an_ingest_cut_short_is_made_good_by_the_next(raw, tmp_path, monkeypatch, flush_seconds):
    monkeypatch.setattr(load, "_FLUSH_SECONDS", flush_seconds)
    write_lines(raw / "rooms.jsonl", [room()])
    for number in range(4):
        write_run(raw / f"run_{number}", [trace(puzzles_solved=number)])
    ingest(tmp_path / "clean", raw)
    done = []

    def cut(n_files):
        done.append(n_files)
        if len(done) == 2:
            raise Cut

    with pytest.raises(Cut):
        ingest(tmp_path / "cut", raw, on_progress=cut)
    pending = json.loads((tmp_path / "cut" / "lake" / "pending.json").read_text())
    report = ingest(tmp_path / "cut", raw)

    assert ["raw", "raw/run_3"] in pending
    assert f"{len(pending)} runs were left half done by an earlier call." in report.notes
    assert lake_files(tmp_path / "cut") == lake_files(tmp_path / "clean")


def test_a_change_cut_short_does_not_leave_rows_of_before(home, raw):
    written = write_run(raw / RUN, 2)
    ingest(home, raw)
    write_file(written[0], trace(puzzles_solved=22))

    def cut(n_files):
        raise Cut

    with pytest.raises(Cut):
        ingest(home, raw, on_progress=cut)
    write_file(written[0], trace())  # as it was, in size and time too
    ingest(home)  # the root is still known

    assert [row["puzzles_solved"] for row in lake_rows(home, "rooms")] == [1, 1]


# Another lake format


def test_a_lake_of_another_format_is_read_again(home, raw, monkeypatch):
    write_run(raw / RUN)
    for module in ("ingest.write", "ingest.lake"):
        monkeypatch.setattr(f"{module}.LAKE_VERSION", "of before")
    ingest(home, raw)
    monkeypatch.undo()

    report = ingest(home)

    assert report.n_read == 1
    assert report.notes == ["1 data sets were of an older lake format and are read again."]
    assert len(trace_ids(home)) == 1


def test_an_interrupt_keeps_what_is_finished_and_the_root(home, raw):
    for number in range(3):
        write_run(raw / f"run_{number}", [trace(puzzles_solved=number)])
    done = []

    def cut(n_files):
        done.append(n_files)
        if len(done) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(home, raw, on_progress=cut)
    assert len(trace_ids(home)) == 2

    report = ingest(home)

    assert report.n_read == 1
    assert len(trace_ids(home)) == 3


@pytest.mark.parametrize("damage", ["removed", "emptied"])
def test_a_lake_that_lost_files_is_made_good(home, raw, damage):
    write_run(raw / RUN)
    ingest(home, raw)
    before = lake_files(home)
    table = "rooms" if damage == "removed" else "source_files"
    (lost,) = (home / "lake" / table).glob("dataset=raw/**/data.parquet")
    lost.unlink() if damage == "removed" else lost.write_bytes(b"")

    report = ingest(home)

    assert report.n_read == 1
    assert lake_files(home) == before


# Forgetting


def test_forget_takes_a_data_set_out_and_keeps_the_others(home, tmp_path):
    write_run(tmp_path / "one" / RUN)
    write_lines(tmp_path / "one" / "rooms.jsonl", [room()])
    write_run(tmp_path / "two" / RUN)
    ingest(home, tmp_path / "one", tmp_path / "two")
    others = {path: seen for path, seen in lake_inodes(home).items() if "dataset=one" not in path}

    forget(load.Home(home), "one")

    assert lake_inodes(home) == others
    assert datasets(home) == ["two"]


def test_forget_of_an_unknown_data_set_names_those_there_are(home, raw):
    write_run(raw / RUN)
    ingest(home, raw)

    with pytest.raises(UsageError, match=r"no data set 'x' in the lake\. There: raw"):
        forget(load.Home(home), "x")


def test_a_forgotten_root_is_not_scanned_again_without_being_named(home, tmp_path):
    write_run(tmp_path / "one" / RUN)
    write_run(tmp_path / "two" / RUN)
    ingest(home, tmp_path / "one", tmp_path / "two")
    forget(load.Home(home), "one")

    report = ingest(home)

    assert sorted(report.sources) == ["two"]


# Strangers in a fetched set


def test_what_was_put_into_a_fetched_set_is_told_and_not_read(home, raw):
    write_run(raw / RUN)
    write_file(raw / RUN / "stranger.json", trace())
    write_file(raw / "dataset.json", {"revision": "abc"})
    listed = {"path": f"{RUN}/{STEM}.json", "bytes": 1, "algorithm": "sha256", "hash": "0"}
    write_file(raw / ".fetched.json", {"repo": "r", "revision": "abc", "files": [listed]})

    report = ingest(home, raw)

    assert sorted(sources(home)) == ["dataset.json", f"{RUN}/{STEM}.json"]
    assert report.notes == [
        f"1 files in {raw} did not come with the set fetched there, so they are not read: "
        f"{RUN}/stranger.json"
    ]
