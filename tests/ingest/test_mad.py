"""MAD's two files as rows: which values count, what is kept, and what rejects a file."""

from __future__ import annotations

import difflib
import json
import math
from typing import Any

import pytest

from ingest import similarity
from ingest.errors import Reason, RejectedInput
from ingest.parse import json_text, mad
from ingest.schemas import TABLES

CODES = list(mad.MAST_14_CODES)


def columns(table: str, row: tuple) -> dict[str, Any]:
    """A parser's row by the names of the lake's columns."""
    return dict(zip(TABLES[table].schema.names[2:], row, strict=True))


def rows(parsed: mad.FileRows, table: str) -> list[dict[str, Any]]:
    return [columns(table, row) for row in parsed.tables[table]]


def mode(text: str = "1.1 Poor work\n\nThe work  is\npoor.", **votes: Any) -> dict[str, Any]:
    return {"failure mode": text} | votes


def human(**changes: Any) -> dict[str, Any]:
    return {
        "round": "Round 1",
        "mas_name": "AG2",
        "benchmark_name": "GSM",
        "trace_id": 7,
        "trace": "body",
        "annotations": [mode(annotator_1=True, annotator_2=False, annotator_3=True)],
    } | changes


def full(**changes: Any) -> dict[str, Any]:
    return {
        "mas_name": "AG2",
        "llm_name": "Claude",
        "benchmark_name": "GSM",
        "trace_id": 7,
        "trace": {"key": "AG2_GSM", "index": 3, "trajectory": "body"},
        "mast_annotation": dict.fromkeys(CODES, 0),
    } | changes


def parse_human(*records: Any) -> mad.FileRows:
    return mad.parse_human(json.dumps(records).encode())


def parse_full(*records: Any) -> mad.FileRows:
    return mad.parse_full(json.dumps(records).encode())


def refusal(parse: Any, data: bytes) -> tuple[Reason, str]:
    with pytest.raises(RejectedInput) as caught:
        list(parse(data).bodies)
    return caught.value.code, caught.value.at


# The human-labelled file


def test_every_field_of_a_human_record_has_its_column():
    record = {
        "round": "Round 2",
        "mas_name": "the framework",
        "benchmark_name": "the benchmark",
        "trace_id": "the id",
        "trace": "the böдy",
        "annotations": [
            mode("1.1 First\nabout it", annotator_1=True, annotator_2=False, annotator_3=None),
            mode("2.10 Second", annotator_1=False, annotator_2=True, annotator_3=True),
        ],
        "note": "kept",
    }

    parsed = parse_human(record)

    (row,) = rows(parsed, "mad_human_records")
    body_sha256 = json_text.text_sha256("the böдy")
    digest = row.pop("annotations_sha256")
    assert len(digest) == 64
    assert row == {
        "record_index": 0,
        "round": "Round 2",
        "taxonomy": "mad-round-2-3",
        "mas_name": "the framework",
        "benchmark_name": "the benchmark",
        "trace_id": "the id",
        "n_modes": 2,
        "body_sha256": body_sha256,
        "extra_json": '{"/note":"kept"}',
    }
    assert parsed.set_aside == {"[].note": 1}
    assert [columns("trace_bodies", body) for body in parsed.bodies] == [
        {
            "record_index": 0,
            "n_chars": 8,
            "n_bytes": 10,
            "body_sha256": body_sha256,
            "body": "the böдy",
        }
    ]
    assert parsed.tables["mad_human_annotations"] == [
        (0, 0, "1.1", "First", "annotator_1", True, "true"),
        (0, 0, "1.1", "First", "annotator_2", False, "false"),
        (0, 0, "1.1", "First", "annotator_3", None, "null"),
        (0, 1, "2.10", "Second", "annotator_1", False, "false"),
        (0, 1, "2.10", "Second", "annotator_2", True, "true"),
        (0, 1, "2.10", "Second", "annotator_3", True, "true"),
    ]
    assert parsed.tables["taxonomy_modes"] == [
        ("mad-round-2-3", 0, "1.1", "First", "about it", 1),
        ("mad-round-2-3", 1, "2.10", "Second", None, 1),
    ]


@pytest.mark.parametrize(
    ("value", "vote", "vote_json"),
    [
        pytest.param(True, True, "true", id="yes"),
        pytest.param(False, False, "false", id="no"),
        pytest.param(math.nan, None, '"NaN"', id="NaN"),
        pytest.param(None, None, "null", id="null"),
        pytest.param(1, None, "1", id="a one is no vote"),
        pytest.param(0, None, "0", id="a zero is no vote"),
        pytest.param("true", None, '"true"', id="a word is no vote"),
    ],
)
def test_a_vote_is_true_or_false_and_anything_else_is_unknown(value, vote, vote_json):
    parsed = parse_human(human(annotations=[mode(annotator_2=value)]))

    assert [row[4:] for row in parsed.tables["mad_human_annotations"]] == [
        ("annotator_1", None, None),
        ("annotator_2", vote, vote_json),
        ("annotator_3", None, None),
    ]


def test_a_fourth_annotator_has_rows_and_another_key_is_kept_aside():
    parsed = parse_human(human(annotations=[mode(annotator_4=True, remark="x/y")]))

    assert [row[4:6] for row in parsed.tables["mad_human_annotations"]][3:] == [
        ("annotator_4", True)
    ]
    (record,) = rows(parsed, "mad_human_records")
    assert record["extra_json"] == '{"/annotations/0/remark":"x/y"}'
    assert parsed.set_aside == {"[].annotations[].remark": 1}


@pytest.mark.parametrize(
    ("round_name", "taxonomy"),
    [
        ("Round 1", "mad-round-1"),
        ("Round 2", "mad-round-2-3"),
        ("Round 3", "mad-round-2-3"),
        ("Generlazability", "mast-14"),
        ("Generalizability", "Generalizability"),
        ("Round 4", "Round 4"),
    ],
)
def test_a_round_names_the_taxonomy_and_an_unknown_one_its_own(round_name, taxonomy):
    parsed = parse_human(human(round=round_name))

    for table in ("mad_human_records", "taxonomy_modes"):
        assert [row["taxonomy"] for row in rows(parsed, table)] == [taxonomy]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("1.1 Name\n\nWhat it\n is. ", ("1.1", "Name", "What it is."), id="plain"),
        pytest.param("1.10 Name \r\nx", ("1.10", "Name", "x"), id="CRLF; a code is a text"),
        pytest.param("\n2.3  Two  words", ("2.3", "Two words", None), id="no description"),
        pytest.param("2.3. Name\n\n", ("2.3", "Name", None), id="a dot behind the code"),
        pytest.param("2.3\nname below", ("2.3", None, "name below"), id="no name"),
        pytest.param("1.1 A\nb\u00a0\tc", ("1.1", "A", "b c"), id="any white space"),
        pytest.param("Name without a code", None, id="no code"),
        pytest.param("1 Name", None, id="a number is no code"),
        pytest.param("1.1Name", None, id="a code that runs into the name"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_the_text_of_a_mode_is_code_name_and_description(text, expected):
    assert mad.mode_of(text) == expected


def test_of_two_texts_for_one_code_the_first_counts_and_the_other_is_kept():
    parsed = parse_human(
        human(round="Round 2", annotations=[mode("1.1 Name\nfirst")]),
        human(round="Round 3", annotations=[mode("1.1 Name\nsecond")]),
        human(round="Round 1", annotations=[mode("1.1 Other\nthird")]),
    )

    assert parsed.tables["taxonomy_modes"] == [
        ("mad-round-2-3", 0, "1.1", "Name", "first", 2),
        ("mad-round-1", 0, "1.1", "Other", "third", 1),
    ]
    assert [row["extra_json"] for row in rows(parsed, "mad_human_records")] == [
        None,
        '{"/annotations/0/failure mode":"1.1 Name\\nsecond"}',
        None,
    ]
    assert parsed.set_aside == {"[].annotations[].failure mode": 1}


def test_equal_blocks_have_one_digest_and_others_another():
    yes = mode(annotator_1=True, annotator_2=None)
    parsed = parse_human(
        human(annotations=[yes]),
        human(annotations=[dict(reversed(yes.items()))], round="Round 3", mas_name="other"),
        human(annotations=[yes | {"annotator_2": math.nan}]),
        human(annotations=[yes | {"annotator_1": False}]),
        human(annotations=[yes | {"failure mode": "1.1 Poor work\nelse"}]),
        human(annotations=[yes, yes]),
        human(annotations=[]),
    )

    digests = [row["annotations_sha256"] for row in rows(parsed, "mad_human_records")]
    assert len({*digests[:3]}) == 1
    assert len({*digests}) == 5


def test_a_record_without_a_body_has_no_row_for_it():
    parsed = parse_human(human(trace=None), human(trace=["not", "text"]), human(trace=""))

    assert [body[0] for body in parsed.bodies] == [2]
    first, second, third = rows(parsed, "mad_human_records")
    assert (first["body_sha256"], second["body_sha256"]) == (None, None)
    assert third["body_sha256"] == json_text.text_sha256("")
    assert second["extra_json"] == '{"/trace":["not","text"]}'


def test_modes_of_mast_14_are_laid_beside_every_other_mode_of_the_file():
    parsed = parse_human(
        human(round="Round 1", annotations=[mode("1.1 A\nwxyz one"), mode("1.2 B\nnothing on")]),
        human(round="Round 2", annotations=[mode("3.1 C")]),
        human(round="Generlazability", annotations=[mode("2.1 D\nxyz on")]),
    )

    assert parsed.tables["mode_overlaps"] == [
        ("mast-14", "2.1", "mad-round-1", "1.1", 6),
        ("mast-14", "2.1", "mad-round-1", "1.2", 3),
        ("mast-14", "2.1", "mad-round-2-3", "3.1", None),
    ]


def test_a_file_without_mast_14_has_nothing_to_lay_beside():
    assert parse_human(human(), human(round="Round 2")).tables["mode_overlaps"] == []


HUMAN = json.dumps([human(), human()]).encode()


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        pytest.param(b"", "empty_file", "", id="empty"),
        pytest.param(HUMAN[:300], "truncated", "line 1, column 301", id="cut in a record"),
        pytest.param(HUMAN[:-1], "truncated", f"line 1, column {len(HUMAN)}", id="cut at its end"),
        pytest.param(HUMAN[:40] + b"\xe9" + HUMAN[41:], "not_utf8", "byte 40", id="latin-1"),
        pytest.param(b'{"a": 1}', "not_a_mad_file", "", id="an object"),
        pytest.param(b"x" + HUMAN, "not_a_mad_file", "", id="a word before the array"),
        pytest.param(HUMAN + b"x", "not_json", f"byte {len(HUMAN)}", id="a word behind it"),
        pytest.param(HUMAN[:-1] + b"}", "not_json", f"byte {len(HUMAN) - 1}", id="a wrong end"),
        pytest.param(HUMAN[:-1] + b",]", "not_json", "/2", id="a comma too many"),
        pytest.param(HUMAN[:-1] + b",nul]", "not_json", "/2", id="a record that is no JSON"),
        pytest.param(HUMAN[:-1] + b",5]", "bad_type", "/2", id="a record that is a number"),
    ],
)
def test_a_broken_human_file_is_rejected(data, code, place):
    assert refusal(mad.parse_human, data) == (code, place)


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        pytest.param({"round": None}, "missing_required", "/1/round", id="no round"),
        pytest.param({"round": [1]}, "bad_type", "/1/round", id="a list as round"),
        pytest.param({"annotations": None}, "missing_required", "/1/annotations", id="none"),
        pytest.param({"annotations": {}}, "bad_type", "/1/annotations", id="an object"),
        pytest.param({"annotations": [5]}, "bad_type", "/1/annotations/0", id="a number in it"),
        pytest.param(
            {"annotations": [mode(), {"annotator_1": True}]},
            "missing_required",
            "/1/annotations/1/failure mode",
            id="votes on nothing",
        ),
        pytest.param(
            {"annotations": [mode("Name")]},
            "bad_type",
            "/1/annotations/0/failure mode",
            id="a mode without a code",
        ),
        pytest.param(
            {"annotations": [mode() | {"failure mode": 1.1}]},
            "bad_type",
            "/1/annotations/0/failure mode",
            id="a mode that is a number",
        ),
    ],
)
def test_a_broken_human_record_is_told_by_its_place(changes, code, place):
    data = json.dumps([human(), human(**changes)]).encode()

    assert refusal(mad.parse_human, data) == (code, place)


# The full file


def test_every_field_of_a_full_record_has_its_column():
    labels = {code: number % 2 for number, code in enumerate(CODES)}
    record = {
        "mas_name": "the framework",
        "llm_name": "the model",
        "benchmark_name": "the benchmark",
        "trace_id": 12345678901234567890123,
        "trace": {"key": "the key", "index": 4, "trajectory": "the böдy", "more": [1]},
        "mast_annotation": labels,
        "note": {"a": 1},
    }

    parsed = parse_full(record)

    body_sha256 = json_text.text_sha256("the böдy")
    assert rows(parsed, "mad_full_records") == [
        {
            "record_index": 0,
            "mas_name": "the framework",
            "llm_name": "the model",
            "benchmark_name": "the benchmark",
            "trace_id": "12345678901234567890123",
            "trace_key": "the key",
            "trace_index": "4",
            "annotation_json": json.dumps(labels, separators=(",", ":")),
            "body_sha256": body_sha256,
            "extra_json": '{"/note":{"a":1},"/trace/more":[1]}',
        }
    ]
    assert parsed.set_aside == {"[].note": 1, "[].trace.more": 1}
    assert list(parsed.bodies) == [(0, 8, 10, body_sha256, "the böдy")]
    assert parsed.tables["mad_full_annotations"] == [
        (0, code, bool(number % 2), str(number % 2)) for number, code in enumerate(CODES)
    ]
    assert parsed.tables["record_pairs"] == []


@pytest.mark.parametrize(
    ("value", "label", "label_json"),
    [
        pytest.param("1", True, "1", id="one"),
        pytest.param("0", False, "0", id="zero"),
        pytest.param("null", None, "null", id="null"),
        pytest.param("true", None, "true", id="true"),
        pytest.param("false", None, "false", id="false"),
        pytest.param('"1"', None, '"1"', id="a one as text"),
        pytest.param("2", None, "2", id="two"),
        pytest.param("-0", None, "-0", id="minus zero"),
        pytest.param("1.0", None, "1.0", id="one with a point"),
        pytest.param("{ }", None, "{}", id="an object"),
        pytest.param("NaN", None, '"NaN"', id="NaN"),
        pytest.param(None, None, None, id="a missing code"),
    ],
)
def test_a_label_is_1_or_0_and_anything_else_is_unknown(value, label, label_json):
    written = "{}" if value is None else f'{{"2.2": {value}}}'
    data = json.dumps([full(mast_annotation="?")]).replace('"?"', written).encode()

    found = {row[1]: row[2:] for row in mad.parse_full(data).tables["mad_full_annotations"]}

    assert found.pop("2.2") == (label, label_json)
    assert found == dict.fromkeys([code for code in CODES if code != "2.2"], (None, None))


@pytest.mark.parametrize(
    ("annotation", "annotation_json"),
    [
        pytest.param(None, "null", id="null"),
        pytest.param({}, "{}", id="an empty object"),
        pytest.param([1, 0], "[1,0]", id="a list"),
        pytest.param('{"1.1": 1,', '"{\\"1.1\\": 1,"', id="a reply that was cut, as text"),
        pytest.param("missing", None, id="a missing annotation"),
    ],
)
def test_a_record_without_labels_has_fourteen_unknown_ones(annotation, annotation_json):
    record = full(mast_annotation=annotation)
    if annotation == "missing":
        del record["mast_annotation"]

    parsed = parse_full(record)

    assert parsed.tables["mad_full_annotations"] == [(0, code, None, None) for code in CODES]
    assert rows(parsed, "mad_full_records")[0]["annotation_json"] == annotation_json


def test_a_code_outside_the_fourteen_has_a_row_and_no_label():
    parsed = parse_full(full(mast_annotation={"1.6": 1, **dict.fromkeys(CODES, 1), "2.7": 0}))

    assert parsed.tables["mad_full_annotations"] == [
        *((0, code, True, "1") for code in CODES),
        (0, "1.6", None, "1"),
        (0, "2.7", None, "0"),
    ]


@pytest.mark.parametrize(
    ("trace_id", "text"),
    [(7, "7"), ("007", "007"), (None, None), ("", ""), ("1.10", "1.10"), (-1, "-1")],
)
def test_an_id_is_its_text(trace_id, text):
    assert rows(parse_full(full(trace_id=trace_id)), "mad_full_records")[0]["trace_id"] == text


def test_an_id_that_is_none_is_kept_aside():
    (row,) = rows(parse_full(full(trace_id=[1])), "mad_full_records")

    assert (row["trace_id"], row["extra_json"]) == (None, '{"/trace_id":[1]}')


def test_a_lone_surrogate_is_replaced_in_body_and_digest():
    parsed = parse_full(full(trace={"trajectory": "a\ud800b"}))

    assert list(parsed.bodies) == [(0, 3, 5, json_text.text_sha256("a\ufffdb"), "a\ufffdb")]
    assert rows(parsed, "mad_full_records")[0]["body_sha256"] == json_text.text_sha256("a\ufffdb")


AWKWARD = 'a]b}c[{,"\\" \\\\" \\\\\\" [ü\n\u2028'


def test_a_file_with_nan_gives_the_rows_of_one_without():
    records = [
        full(trace_id=number, trace={"trajectory": AWKWARD * number, "key": AWKWARD, "index": 0})
        for number in range(4)
    ]
    plain = json.dumps(records, ensure_ascii=False).encode()
    with_nan = json.dumps([*records, full(mast_annotation={"1.1": math.nan})]).encode()

    expected, parsed = mad.parse_full(plain), mad.parse_full(with_nan)

    for table, wanted in expected.tables.items():
        assert parsed.tables[table][: len(wanted)] == wanted
    assert list(parsed.bodies)[:4] == list(expected.bodies)
    assert [body[4] for body in parse_full(*records).bodies][3] == AWKWARD * 3


def test_white_space_a_byte_order_mark_and_crlf_change_nothing():
    record = full()
    spaced = b"\xef\xbb\xbf\r\n" + json.dumps([record], indent=4).replace("\n", "\r\n").encode()

    parsed, expected = mad.parse_full(spaced + b"\r\n"), parse_full(record)

    assert parsed.tables == expected.tables
    assert list(parsed.bodies) == list(expected.bodies)


def test_an_empty_array_is_a_file_without_records():
    assert mad.parse_full(b"[ ]").tables["mad_full_records"] == []
    assert list(mad._scanned(b" [\n ] ")) == []


FULL = json.dumps([full(), full()]).encode()


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        pytest.param(b" \n", "empty_file", "", id="blank"),
        pytest.param(FULL[:200], "truncated", "line 1, column 201", id="cut in a record"),
        pytest.param(FULL[:90], "truncated", "line 1, column 91", id="cut in a text"),
        pytest.param(b"[\n" + FULL[1:-2], "truncated", f"line 2, column {len(FULL) - 2}", id="end"),
        pytest.param(FULL[:-8] + b"\xff" + FULL[-8:], "not_utf8", f"byte {len(FULL) - 8}", id="ff"),
        pytest.param(FULL.replace(b'"GSM"', b"GSM", 1), "not_json", "/0", id="a bare word"),
        pytest.param(b"[" + FULL + b"]", "bad_type", "/0", id="a list as record"),
    ],
)
def test_a_broken_full_file_is_rejected(data, code, place):
    assert refusal(mad.parse_full, data) == (code, place)


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        pytest.param({"trace": None}, "missing_required", "/17/trace", id="no trace"),
        pytest.param({"trace": "text"}, "bad_type", "/17/trace", id="a text as trace"),
        pytest.param(
            {"trace": {"key": "k"}}, "missing_required", "/17/trace/trajectory", id="no trajectory"
        ),
        pytest.param(
            {"trace": {"trajectory": ["a"]}},
            "bad_type",
            "/17/trace/trajectory",
            id="a list as trajectory",
        ),
    ],
)
def test_a_broken_full_record_is_told_by_its_place(changes, code, place):
    data = json.dumps([full()] * 17 + [full(**changes)]).encode()

    assert refusal(mad.parse_full, data) == (code, place)


# Pairs of records


def body(text: str, **changes: Any) -> dict[str, Any]:
    return full(trace={"trajectory": text}, **changes)


def test_records_of_one_key_are_measured_against_each_other():
    parsed = parse_full(
        body("abcdef"),
        body("other", trace_id=8),
        body("abc  def"),
        body("other", llm_name="GPT"),
        body("abcdef"),
    )

    ratio = difflib.SequenceMatcher(None, "abcdef", "abc def").ratio()
    assert parsed.tables["record_pairs"] == [
        (0, 2, False, False, 3, 6, ratio),
        (0, 4, True, True, 6, 6, 1.0),
        (2, 4, False, False, 3, 6, ratio),
    ]


@pytest.mark.parametrize("missing", ["mas_name", "llm_name", "trace_id"])
def test_a_key_that_was_not_recorded_collides_with_none(missing):
    assert parse_full(*[full(**{missing: None})] * 2).tables["record_pairs"] == []


def test_an_id_as_number_and_as_text_is_one_key():
    pairs = parse_full(body("a", trace_id=7), body("a", trace_id="7")).tables["record_pairs"]

    assert [pair[:2] for pair in pairs] == [(0, 1)]


def test_texts_that_differ_in_white_space_alone_are_told():
    measured = similarity.measure_pair(" a\tb\n\nc", "a b c ")

    assert measured == (False, True, 0, 6, 1.0)


def test_the_ratio_is_that_of_difflib_on_the_first_characters_one_spaced():
    first = "".join(f"line {number} of  a text\n" for number in range(2_000))
    second = "".join(f"line {number} of another text\n" for number in range(0, 4_000, 2))
    heads = [" ".join(text.split())[:20_000] for text in (first, second)]

    measured = similarity.measure_pair(first, second)

    assert measured.similarity_ratio == difflib.SequenceMatcher(None, *heads).ratio()
    assert 0 < measured.similarity_ratio < 1
    assert measured.shorter_chars == min(len(first), len(second))


def test_what_follows_the_first_characters_does_not_change_the_ratio():
    text = "word " * 4_000

    assert similarity.measure_pair(text + "x" * 50, text + "y" * 50).similarity_ratio == 1.0


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [
        ("", "abc", 0),
        ("abc", "abc", 3),
        ("abcx", "abcy", 3),
        ("abc", "abcdef", 3),
        ("xbc", "abc", 0),
    ],
)
def test_the_common_prefix_is_counted_in_characters(first, second, length):
    assert similarity.common_prefix(first, second) == length
    assert similarity.common_prefix(second, first) == length


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [
        ("", "abc", 0),
        ("abc", "", 0),
        ("xxabcxx", "yabcy", 3),
        ("abcd", "bcda", 3),
        ("aaaa", "aa", 2),
        ("Abc", "abC", 1),
        ("ab cd", "xb cy", 3),
    ],
)
def test_the_longest_common_run_is_exact(first, second, length):
    assert similarity.longest_common_run(first, second) == length
    assert similarity.longest_common_run(second, first) == length


def test_the_longest_common_run_agrees_with_difflib_without_its_heuristic():
    texts = ["the cat sat on the mat " * 12, "on the mat sat the cat " * 12, "a cat, a mat" * 20]

    for first in texts:
        for second in texts:
            matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
            expected = matcher.find_longest_match().size
            assert similarity.longest_common_run(first, second) == expected


# Which file it is


@pytest.mark.parametrize(
    ("head", "is_whole", "kind"),
    [
        pytest.param(FULL, True, "mad_full", id="full"),
        pytest.param(HUMAN, True, "mad_human", id="human"),
        pytest.param(b"\xef\xbb\xbf\r\n [\n" + FULL[1:], True, "mad_full", id="after a mark"),
        pytest.param(FULL[: len(FULL) // 2], False, "mad_full", id="the first record is enough"),
        pytest.param(FULL[:50], False, None, id="the first record does not end here"),
        pytest.param(b"[", False, None, id="hardly begun"),
        pytest.param(b"", False, None, id="nothing yet"),
        pytest.param(b"", True, "", id="nothing"),
        pytest.param(FULL[:160], True, "mad_full", id="cut behind its telling key"),
        pytest.param(HUMAN[:130], True, "mad_human", id="cut behind its annotations"),
        pytest.param(FULL[:50], True, "", id="cut before any telling key"),
        pytest.param(b'[{"trace": {"trajectory": "x"}}]', True, "mad_full", id="no labels at all"),
        pytest.param(b'[{"annotations": NaN}]', True, "mad_human", id="NaN"),
        pytest.param(b'[{"a": 1}]', True, "", id="another array"),
        pytest.param(b"[1, 2]", True, "", id="an array of numbers"),
        pytest.param(b"[]", True, "", id="an empty array"),
        pytest.param(b'{"annotations": []}', True, "", id="an object"),
        pytest.param(b'[{"a": "annotations"}]', True, "", id="the word as a value"),
    ],
)
def test_the_first_record_tells_the_kind(head, is_whole, kind):
    assert mad.kind_of_head(head, is_whole=is_whole) == kind
