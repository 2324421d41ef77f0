"""MAD and the MAST repository from folders to the lake: what is recognised, read again and kept.

The published values of the bundled sample that ingest alone can show stand at the end.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter

import pytest
from audit_figures import ONES, OVERLAPS
from builders import (
    MODIFIED,
    RUN,
    Cut,
    ingest,
    lake_files,
    lake_inodes,
    lake_rows,
    madw,
    rejects,
    room,
    sources,
    trace,
    trace_ids,
    write_file,
    write_lines,
    write_run,
)

from ingest import load, read
from ingest.errors import MadwError
from ingest.home import SAMPLE
from ingest.parse import mad
from ingest.schemas import TABLES

CODES = list(mad.MAST_14_CODES)
HUMAN = [
    {
        "round": "Generlazability",
        "mas_name": "AG2",
        "benchmark_name": "MMLU",
        "trace_id": 1,
        "trace": "human body",
        "annotations": [{"failure mode": "1.1 Name\ntext", "annotator_1": True}],
    }
]
FULL = [
    {
        "mas_name": "AG2",
        "llm_name": "GPT",
        "benchmark_name": "MMLU",
        "trace_id": number,
        "trace": {"key": "k", "index": number, "trajectory": f"body {number}"},
        "mast_annotation": dict.fromkeys(CODES, number % 2),
    }
    for number in range(3)
]
DEFINITIONS = "1.1 Name:\nWhat it means.\n"
JUDGE = {"cells": [{"source": ["1.1 Name: <yes or no>\n", "example answer\n", "1.6 yes\n"]}]}
TRACE = "** Task 1/1 (692c77d_1) **\n"

MAD_FILES = {
    "a.json": (HUMAN, "mad_human"),
    "b.json": (FULL, "mad_full"),
    "c.txt": (DEFINITIONS, "mast_definitions"),
    "d.ipynb": (JUDGE, "mast_judge"),
    "e.txt": (TRACE, "mast_trace"),
}
SHARED = [
    name
    for name, table in TABLES.items()
    if not table.by_run and name not in ("datasets", "source_files")
]


def write_mad(folder) -> None:
    for name, (content, _) in MAD_FILES.items():
        write_file(folder / name, content)


def shared_files(home) -> dict[str, tuple[int, int]]:
    """The files of `raw` that no run owns, each with what changes when it is written again."""
    return {
        path: seen
        for path, seen in lake_inodes(home).items()
        if path.split("/")[0] in SHARED and "dataset=raw" in path
    }


# Recognised by content


def test_each_file_is_recognised_whatever_its_name_and_loaded(home, raw):
    write_mad(raw)

    ingest(home, raw)

    assert {path: (row["kind"], row["status"]) for path, row in sources(home).items()} == {
        name: (kind, "loaded") for name, (_, kind) in MAD_FILES.items()
    }
    assert [
        (row["source_path"], row["record_index"], row["body"])
        for row in lake_rows(home, "trace_bodies")
    ] == [
        ("a.json", 0, "human body"),
        ("b.json", 0, "body 0"),
        ("b.json", 1, "body 1"),
        ("b.json", 2, "body 2"),
        ("e.txt", 0, TRACE),
    ]
    assert [
        (row["source_path"], row["taxonomy"], row["code"], row["name"])
        for row in lake_rows(home, "taxonomy_modes")
    ] == [
        ("a.json", "mast-14", "1.1", "Name"),
        ("c.txt", "mast-repo-definitions", "1.1", "Name"),
        ("d.ipynb", "mast-judge-answer-sheet", "1.1", "Name"),
        ("d.ipynb", "mast-judge-example", "1.6", None),
    ]
    assert len(lake_rows(home, "mad_full_annotations")) == 3 * len(CODES)
    assert {row["dataset"] for row in lake_rows(home, "mad_human_annotations")} == {"raw"}


def test_packed_files_are_recognised(home, raw):
    for name, (content, _) in MAD_FILES.items():
        text = content if isinstance(content, str) else json.dumps(content)
        write_file(raw / f"{name}.gz", gzip.compress(text.encode()))

    ingest(home, raw)

    assert {path: row["kind"] for path, row in sources(home).items()} == {
        f"{name}.gz": kind for name, (_, kind) in MAD_FILES.items()
    }


def test_a_first_record_longer_than_the_first_look_is_recognised(home, raw):
    record = FULL[0] | {"trace": {"key": "k", "index": 0, "trajectory": "x" * 3_000_000}}
    write_file(raw / "long.json", [record])
    write_file(raw / "long.json.gz", gzip.compress(json.dumps([record]).encode()))

    ingest(home, raw)

    assert {row["kind"] for row in sources(home).values()} == {"mad_full"}
    assert [row["n_chars"] for row in lake_rows(home, "trace_bodies")] == [3_000_000] * 2


def test_a_trace_without_a_time_in_its_name_stays_a_trace(home, raw):
    write_file(raw / RUN / "any name.json", trace())
    write_file(raw / RUN / "annotations.json", {"annotations": []})

    ingest(home, raw)

    assert trace_ids(home) == [f"raw/{RUN}/any name"]
    assert rejects(home) == {f"{RUN}/annotations.json": "not_a_trace"}


def test_texts_and_notebooks_of_others_are_ignored(home, raw):
    write_mad(raw)
    write_file(raw / "notes.txt", "hello")
    write_file(raw / "other.ipynb", {"cells": []})

    ingest(home, raw)

    rows = sources(home)
    for path in ("notes.txt", "other.ipynb"):
        assert (rows[path]["kind"], rows[path]["status"]) == ("other", "ignored")


def test_traces_are_not_opened_to_learn_what_they_are(home, raw, monkeypatch):
    write_run(raw / RUN, 3)
    write_lines(raw / "rooms.jsonl", [room()])
    write_file(raw / "run.log", "x")
    monkeypatch.setattr(read, "read_head", lambda *_: pytest.fail("a file was opened"))

    assert ingest(home, raw).n_read == 3


def test_known_files_are_not_opened_again(home, raw, monkeypatch):
    write_mad(raw)
    write_file(raw / "notes.txt", "hello")
    write_file(raw / "broken.json", "{")
    ingest(home, raw)
    monkeypatch.setattr(read, "read_head", lambda *_: pytest.fail("a file was opened"))
    monkeypatch.setattr(read, "read_bytes", lambda *_: pytest.fail("a file was read"))

    ingest(home, raw)

    assert len(lake_rows(home, "mad_full_records")) == 3


@pytest.mark.parametrize("name", ["a.json", "c.txt", "d.ipynb"])
def test_a_folder_of_raw_with_such_a_file_alone_is_a_root(home, name):
    write_file(home / "raw" / "mast" / name, MAD_FILES[name][0])
    write_file(home / "raw" / "nothing" / "notes.txt", "hello")

    report = ingest(home)

    assert [row["kind"] for row in sources(home).values()] == [MAD_FILES[name][1]]
    assert report.notes == [f"{home / 'raw' / 'nothing'} holds nothing to read."]


# Read again


def test_the_second_time_nothing_is_read_or_written(home, raw):
    write_mad(raw)
    write_lines(raw / "rooms.jsonl", [room()])
    write_run(raw / RUN)
    ingest(home, raw)
    files, inodes = lake_files(home), lake_inodes(home)

    ingest(home, raw)

    assert (lake_files(home), lake_inodes(home)) == (files, inodes)


def test_a_changed_file_is_read_again_and_no_run_is_touched(home, raw):
    write_mad(raw)
    write_run(raw / RUN)
    ingest(home, raw)
    before = lake_inodes(home)
    write_file(raw / "c.txt", "2.2 Other:\nMore.\n")

    report = ingest(home, raw)

    assert (report.n_read, report.n_runs_built) == (0, 0)
    assert "Other" in [row["name"] for row in lake_rows(home, "taxonomy_modes")]
    after = lake_inodes(home)
    assert {path for path in after if before[path] != after[path]} == {
        *shared_files(home),
        "source_files/dataset=raw/data.parquet",
    }


def test_a_file_that_vanished_loses_its_rows(home, raw):
    write_mad(raw)
    ingest(home, raw)
    (raw / "b.json").unlink()
    (raw / "d.ipynb").unlink()

    assert ingest(home, raw).n_vanished == 2
    for table in ("mad_full_records", "mad_full_annotations", "record_pairs"):
        assert lake_rows(home, table) == []
    assert [row["source_path"] for row in lake_rows(home, "trace_bodies")] == ["a.json", "e.txt"]
    assert len(lake_rows(home, "taxonomy_modes")) == 2


def test_when_all_such_files_vanish_their_tables_do(home, raw):
    write_mad(raw)
    write_run(raw / RUN)
    ingest(home, raw)
    for name in MAD_FILES:
        (raw / name).unlink()

    ingest(home, raw)

    assert shared_files(home) == {}
    assert list(sources(home)) == [f"{RUN}/{name.name}" for name in (raw / RUN).iterdir()]


def test_a_file_that_changed_its_kind_leaves_where_it_was(home, raw):
    write_file(raw / RUN / "one.json", trace())
    write_file(raw / RUN / "two.json", trace())
    ingest(home, raw)

    write_file(raw / RUN / "two.json", FULL)
    ingest(home, raw)
    as_mad = trace_ids(home), len(lake_rows(home, "mad_full_records"))
    write_file(raw / RUN / "two.json", trace())
    ingest(home, raw)

    assert as_mad == ([f"raw/{RUN}/one"], 3)
    assert trace_ids(home) == [f"raw/{RUN}/one", f"raw/{RUN}/two"]
    assert lake_rows(home, "mad_full_records") == []


def test_a_run_whose_only_trace_became_something_else_is_gone(home, raw):
    write_file(raw / RUN / "one.json", trace())
    ingest(home, raw)
    write_file(raw / RUN / "one.json", HUMAN)

    ingest(home, raw)

    assert lake_rows(home, "runs") == []
    assert len(lake_rows(home, "mad_human_records")) == 1


def test_a_file_that_needs_a_root_that_is_gone_is_refused_and_kept(home, tmp_path):
    write_file(tmp_path / "one" / "a.json", HUMAN)
    write_file(tmp_path / "two" / "b.json", FULL)
    ingest(home, tmp_path / "one", tmp_path / "two", dataset="d")
    shutil.rmtree(tmp_path / "one")
    write_file(tmp_path / "two" / "c.txt", DEFINITIONS)

    with pytest.raises(MadwError, match=r"also holds a\.json .* which is not there now"):
        ingest(home, tmp_path / "two", dataset="d")

    assert len(lake_rows(home, "mad_human_records")) == 1


# Broken files


BROKEN = {
    "a.json": (json.dumps(HUMAN)[:-2], "mad_human", "truncated"),
    "b.json": (json.dumps(FULL).encode().replace(b"body 2", b"\xff"), "mad_full", "not_utf8"),
    "c.txt": ("1.1 A:\nx\n1.1 B:\nx\n", "mast_definitions", "not_a_taxonomy"),
    "d.ipynb": (json.dumps(JUDGE)[:-1], "mast_judge", "truncated"),
    "e.txt": (TRACE.encode() + b"\xff", "mast_trace", "not_utf8"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_rejected_whole_and_the_rest_loads(home, raw, name):
    write_mad(raw)
    content, kind, code = BROKEN[name]
    write_file(raw / name, content)

    ingest(home, raw)

    row = sources(home)[name]
    assert (row["kind"], row["status"], row["error_code"]) == (kind, "rejected", code)
    assert len(row["sha256"]) == 64
    assert Counter(row["status"] for row in sources(home).values()) == {"loaded": 4, "rejected": 1}
    for table in SHARED:
        assert name not in {row["source_path"] for row in lake_rows(home, table)}, table


def test_one_broken_record_rejects_its_file_and_says_where(home, raw, monkeypatch):
    monkeypatch.setattr("ingest.write._BATCH_BYTES", 1)  # so that earlier records could be written
    write_mad(raw)
    write_file(raw / "b.json", [*FULL, {"trace": {"key": "k"}}])

    ingest(home, raw)

    row = sources(home)["b.json"]
    assert (row["error_code"], row["error_at"]) == ("missing_required", "/3/trace/trajectory")
    assert row["error"] == "`trajectory` is missing."
    assert lake_rows(home, "mad_full_records") == []


def test_a_broken_file_that_was_mended_is_loaded(home, raw):
    write_file(raw / "b.json", json.dumps(FULL)[:-5])
    write_file(raw / "c.txt", DEFINITIONS)
    ingest(home, raw)
    write_file(raw / "b.json", FULL)

    ingest(home, raw)

    assert rejects(home) == {}
    assert len(lake_rows(home, "mad_full_records")) == 3


def test_strict_writes_nothing(home, raw):
    write_mad(raw)
    write_file(raw / "b.json", json.dumps(FULL)[:-5])

    with pytest.raises(MadwError, match=r"nothing was written.*raw/b\.json: truncated"):
        ingest(home, raw, is_strict=True)
    assert not (home / "lake").exists()


def test_unknown_keys_are_counted_with_their_file(home, raw):
    write_file(raw / "b.json", [record | {"new": 1} for record in FULL])

    ingest(home, raw)

    assert json.loads(sources(home)["b.json"]["unknown_keys_json"]) == {"[].new": 3}
    assert {row["extra_json"] for row in lake_rows(home, "mad_full_records")} == {'{"/new":1}'}


# Parts, workers, cut short


def test_a_file_written_in_several_parts_has_the_same_rows(raw, tmp_path, monkeypatch):
    write_mad(raw)
    write_lines(raw / "rooms.jsonl", [room()])
    ingest(tmp_path / "whole", raw)
    monkeypatch.setattr("ingest.write._BATCH_BYTES", 1)

    ingest(tmp_path / "parts", raw)

    for table in TABLES:
        assert lake_rows(tmp_path / "parts", table) == lake_rows(tmp_path / "whole", table), table


def test_the_number_of_workers_does_not_matter(raw, tmp_path, monkeypatch):
    monkeypatch.setattr(load, "_POOL_BYTES", 0)  # so that small input starts worker processes
    write_mad(raw)
    write_run(raw / RUN, 2)

    for jobs in (1, 3):
        ingest(tmp_path / f"home_{jobs}", raw, jobs=jobs)

    assert lake_files(tmp_path / "home_1") == lake_files(tmp_path / "home_3")


def test_an_ingest_cut_short_is_made_good_by_the_next(home, raw, tmp_path, monkeypatch):
    write_mad(raw)
    write_run(raw / RUN)
    ingest(tmp_path / "clean", raw)

    def cut(*_):
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(load.Lake, "put_run", cut)
        with pytest.raises(Cut):
            ingest(home, raw)
    report = ingest(home, raw)

    assert "2 runs were left half done by an earlier call." in report.notes
    assert lake_files(home) == lake_files(tmp_path / "clean")


def test_a_change_cut_short_does_not_leave_rows_of_before(home, raw, monkeypatch):
    write_mad(raw)
    write_file(raw / "notes.txt", "hello")
    ingest(home, raw)
    write_file(raw / "b.json", FULL[:1])

    def cut(lake, dataset, rows):
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(load.Lake, "put_sources", cut)
        with pytest.raises(Cut):
            ingest(home, raw)
    assert len(lake_rows(home, "mad_full_records")) == 1
    write_file(raw / "b.json", FULL)  # as it was, in size and time too
    ingest(home)

    assert len(lake_rows(home, "mad_full_records")) == 3
    assert sources(home)["b.json"]["mtime_ns"] == MODIFIED * 1_000_000_000


# The bundled sample: what was published and ingest alone can show


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The home of a lake of the bundled MAD sample."""
    home = tmp_path_factory.mktemp("mad") / "home"
    report = ingest(home, SAMPLE / "mad-sample")
    assert report.rejected == []
    return home


def test_sample_is_marked_synthetic_and_read_whole(sample):
    (row,) = lake_rows(sample, "datasets")
    kinds = Counter((row["kind"], row["status"]) for row in sources(sample).values())

    assert (row["dataset"], row["is_synthetic"], row["licence"]) == (
        "mad-sample",
        True,
        "CC-BY-4.0",
    )
    assert kinds == {
        (kind, "loaded"): 1
        for kind in ("dataset_card", "mad_human", "mad_full", "mast_definitions", "mast_judge")
    }
    assert all(row["unknown_keys_json"] is None for row in sources(sample).values())


def test_sample_human_records_are_of_three_generations(sample):
    records = lake_rows(sample, "mad_human_records")
    by_taxonomy = Counter(row["taxonomy"] for row in records)

    assert by_taxonomy == {"mad-round-1": 5, "mad-round-2-3": 10, "mast-14": 4}
    assert {(row["round"], row["n_modes"]) for row in records} == {
        ("Round 1", 18),
        ("Round 2", 17),
        ("Round 3", 17),
        ("Generlazability", 14),
    }


def test_sample_taxonomies_have_their_modes(sample):
    modes = lake_rows(sample, "taxonomy_modes")

    assert Counter(row["taxonomy"] for row in modes) == {
        "mad-round-1": 18,
        "mad-round-2-3": 17,
        "mast-14": 14,
        "mast-repo-definitions": 14,
        "mast-judge-answer-sheet": 14,
        "mast-judge-example": 16,
    }
    names = {(row["taxonomy"], row["code"]): row["name"] for row in modes}
    for taxonomy, second, third in (
        ("mast-repo-definitions", "Weak Verification", "No or Incorrect Verification"),
        ("mast-judge-answer-sheet", "No or Incorrect Verification", "Weak Verification"),
        ("mast-14", "No or Incomplete Verification", "Incorrect Verification"),
    ):
        assert (names[taxonomy, "3.2"], names[taxonomy, "3.3"]) == (second, third)
    for taxonomy in ("mast-14", "mast-repo-definitions", "mast-judge-answer-sheet"):
        assert [code for name, code in names if name == taxonomy] == CODES
    example = {code for name, code in names if name == "mast-judge-example"}
    assert (example - set(CODES), set(CODES) - example) == ({"1.6", "2.7"}, set())
    generations = {
        taxonomy: {row["n_records"] for row in modes if row["taxonomy"] == taxonomy}
        for taxonomy in ("mad-round-1", "mad-round-2-3", "mast-14")
    }
    assert generations == {"mad-round-1": {5}, "mad-round-2-3": {10}, "mast-14": {4}}


def test_sample_votes_are_all_there_but_two(sample):
    votes = lake_rows(sample, "mad_human_annotations")
    unknown = [row for row in votes if row["vote"] is None]

    assert len(votes) == 3 * (5 * 18 + 10 * 17 + 4 * 14)
    assert [(row["record_index"], row["code"], row["annotator"]) for row in unknown] == [
        (18, "3.2", "annotator_3"),
        (18, "3.3", "annotator_3"),
    ]
    assert {row["vote_json"] for row in unknown} == {'"NaN"'}


def test_sample_blocks_are_eight_and_eighteen_records_share_theirs(sample):
    records = lake_rows(sample, "mad_human_records")
    groups = Counter(row["annotations_sha256"] for row in records)

    assert len(groups) == 8
    assert sum(n for n in groups.values() if n > 1) == 18
    for digest in groups:
        group = [row for row in records if row["annotations_sha256"] == digest]
        assert len({row["round"] for row in group}) == 1
        assert len(group) == 1 or len({row["mas_name"] for row in group}) > 1


def test_sample_descriptions_overlap_as_published(sample):
    best: dict[tuple[str, str], tuple[int, list[str]]] = {}
    rows = lake_rows(sample, "mode_overlaps")
    for row in rows:
        key = (row["code"], row["other_taxonomy"])
        longest = max(best.get(key, (0, []))[0], row["overlap_chars"])
        same = [
            other["other_code"]
            for other in rows
            if (other["code"], other["other_taxonomy"]) == key and other["overlap_chars"] == longest
        ]
        best[key] = (longest, same)

    assert len(rows) == 14 * (18 + 17)
    assert {row["taxonomy"] for row in rows} == {"mast-14"}
    for code, ((first, n_first), (second, n_second)) in OVERLAPS.items():
        assert best[code, "mad-round-1"] == (n_first, [first]), code
        assert best[code, "mad-round-2-3"] == (n_second, [second]), code
    carried = Counter(
        row["other_taxonomy"]
        for row in rows
        if row["overlap_chars"] >= 60 and row["code"] == row["other_code"]
    )
    assert carried == {"mad-round-1": 2, "mad-round-2-3": 7}


def test_sample_full_records_have_their_keys_and_bodies(sample):
    records = lake_rows(sample, "mad_full_records")
    bodies = [
        row
        for row in lake_rows(sample, "trace_bodies")
        if row["source_path"] == "MAD_full_dataset.json"
    ]
    short_keys = Counter((row["mas_name"], row["llm_name"], row["trace_id"]) for row in records)

    assert len(records) == len(bodies) == len({row["body_sha256"] for row in bodies}) == 1642
    assert [row["body_sha256"] for row in records] == [row["body_sha256"] for row in bodies]
    assert len(short_keys) == 1522
    assert Counter(short_keys.values()) == {1: 1402, 2: 120}
    assert len({(row["trace_key"], row["trace_id"]) for row in records}) == 1642


def test_sample_labels_are_the_published_ones(sample):
    labels = lake_rows(sample, "mad_full_annotations")
    blocks: dict[int, list[bool | None]] = {}
    for row in labels:
        blocks.setdefault(row["record_index"], []).append(row["label"])
    vectors = Counter(tuple(block) for block in blocks.values())

    assert len(labels) == 1642 * 14
    assert Counter(row["code"] for row in labels if row["label"]) == ONES
    assert len(vectors) == 453
    assert vectors.most_common(1) == [((False,) * 14, 401)]
    assert vectors[(None,) * 14] == 4
    assert sum(None in block for block in vectors) == 1


def test_sample_pairs_fall_into_the_published_tiers(sample):
    records = {row["record_index"]: row for row in lake_rows(sample, "mad_full_records")}
    tiers = Counter()
    pairs = lake_rows(sample, "record_pairs")
    for row in pairs:
        shares = row["prefix_chars"] >= max(500, 0.2 * row["shorter_chars"])
        tiers[
            "identical"
            if row["is_identical"]
            else "identical after white space"
            if row["is_identical_after_whitespace"]
            else "prefix"
            if shares
            else "similar"
            if row["similarity_ratio"] >= 0.9
            else "different"
        ] += 1

    assert tiers == {"prefix": 15, "similar": 8, "different": 97}
    assert len(pairs) == 120
    for row in pairs:
        first, second = records[row["record_index"]], records[row["other_record_index"]]
        assert row["record_index"] < row["other_record_index"]
        assert first["trace_key"] != second["trace_key"]


def test_status_and_ingest_name_the_files_of_mad(tmp_path):
    home = tmp_path / "home"
    read = madw("ingest", SAMPLE / "mad-sample", "--home", home)
    told = madw("status", "--home", home)

    assert "0 files rejected, 4 files of MAD and MAST" in read.output
    assert "  files: 1 mad_full, 1 mad_human, 1 mast_definitions, 1 mast_judge\n" in told.output
