"""A trace, and a room, as rows: which key goes where, and what happens to what does not fit."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from builders import INPUTS, room, step, trace

from ingest.errors import Reason, RejectedInput
from ingest.parse import madbench
from ingest.parse.names import FileName, file_name
from ingest.schemas import TABLES

STEM = "20260316174255_EscapeRoom_room_0012_hard_temp_0.75_failed"


def parse(document: Any, **names: Any) -> madbench.TraceRows:
    """Rows of a document: a dict, or the very bytes."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode("utf-8")
    return madbench.parse_trace(data, "run/file.json", "digest", FileName(**names))


def rejection(document: Any) -> tuple[Reason, str]:
    with pytest.raises(RejectedInput) as caught:
        parse(document)
    return caught.value.code, caught.value.at


def named(table: str, rows: list[tuple]) -> list[dict[str, Any]]:
    """Rows as dicts; the columns `dataset`, `run_id` and `trace_id` come from elsewhere."""
    return [dict(zip(TABLES[table].schema.names[3:], row, strict=True)) for row in rows]


def room_row(document: Any, **names: Any) -> dict[str, Any]:
    (row,) = named("rooms", [parse(document, **names).room])
    return row


def first_step(**changes: Any) -> dict[str, Any]:
    """The columns of `steps` and `step_texts` of a trace with one step."""
    rows = parse(trace(trace=[step(**changes)]))
    return named("step_texts", rows.step_texts)[0] | named("steps", rows.steps)[0]


def extras(text: str | None) -> Any:
    return None if text is None else json.loads(text)


# A document in which every field has a value of its own

EVERY_FIELD = (INPUTS / "every_field.json").read_bytes()

ROOM = {
    "source_path": "run/file.json",
    "content_sha256": "digest",
    "name_started_at": file_name(STEM).started_at,
    "name_room_id": "room_0012",
    "name_difficulty": "hard",
    "name_temperature": 0.75,
    "name_escaped": False,
    "provider": "provider-1",
    "llm_model": "org/model-2",
    "temperature": 0.25,
    "temperature_json": "0.25",
    "benchmark_clue_domain": "config-domain",
    "benchmark_unit_tools": False,
    "room_id": "room_0101",
    "difficulty": "medium",
    "room_type": "planning",
    "room_clue_domain": "room-domain",
    "n_puzzles": 1,
    "n_steps": 2,
    "escaped": True,
    "puzzles_solved": 804,
    "puzzles_total": 805,
    "timing_s": 806.5,
    "error": "error 801",
    "eval_results_json": '[802,"803"]',
    "n_schema_failures": 3,
    "config_json": '{"llm":{"provider":"provider-1","model":"org/model-2","temperature":0.25},'
    '"benchmark":{"clue_domain":"config-domain","unit_tools":false}}',
    "room_rest_json": '{"n_puzzles":102,"n_scenery":103,"item_states":{"Clock":105},'
    '"solved_ids":[106],"dag":{"edges":[107]},"scenery":[{"item_id":104}]}',
    "failure_report_json": '{"error":"error 801","eval_results":[802,"803"],'
    '"schema_failures":["a","b","c"]}',
    "extra_json": {
        "/room/puzzles/0/clue/is_fake": False,
        "/room/puzzles/0/item/is_fake": True,
        "/room/puzzles/0/fake_clues/0/problem": "fake problem 405",
        "/room/puzzles/0/fake_clues/0/answer": 406,
        "/room/puzzles/0/fake_clues/0/delta_unit": "fake-clue-unit",
        "/room/puzzles/0/fake_clues/0/problem_id": "fake-problem-408",
        "/room/puzzles/0/fake_clues/0/problem_metadata": [409],
    },
}
PUZZLE = {
    "room_puzzle_index": 0,
    "puzzle_id": "P201",
    "clue_item_id": "202",
    "clue_hint": "hint 203",
    "clue_domain": "clue-domain",
    "clue_item_type": "clue-type",
    "clue_problem": "problem 206",
    "clue_answer": 207.5,
    "clue_answer_json": "207.5",
    "clue_delta_unit": "clue-unit",
    "clue_problem_id": "problem-209",
    "clue_problem_metadata_json": '{"source":210}',
    "item_id": "item-211",
    "item_type": "item-type",
    "item_desc": "desc 213",
    "item_state": 214.0,
    "item_state_json": "214",
    "item_unit": "item-unit",
    "item_trap": "item-trap",
    "item_clock_json": '{"hour":21,"minute":22,"second":23,"raw_time":[21,22,24]}',
    "ground_truth": 506.25,
    "ground_truth_json": "506.25",
    "level": 504,
    "is_solved_at_start": True,
    "has_trap_item_desc": False,
    "traps_json": '["trap 505"]',
    "all_items_order_json": "[501,502]",
    "all_clues_order_json": "[503]",
}
DISTRACTORS = [
    {
        "room_puzzle_index": 0,
        "puzzle_id": "P201",
        "kind": "item",
        "distractor_index": 0,
        "item_id": "301",
        "item_type": "fake-type",
        "description": "fake desc 303",
        "domain": None,
        "state": 304.5,
        "state_json": "304.5",
        "unit": "fake-unit",
        "trap": "fake-trap",
        "clock_json": '{"hour":11,"minute":12,"second":13,"raw_time":[11,72,13]}',
        "is_fake": True,
    },
    {
        "room_puzzle_index": 0,
        "puzzle_id": "P201",
        "kind": "clue",
        "distractor_index": 0,
        "item_id": "401",
        "item_type": "fake-clue-type",
        "description": "fake hint 402",
        "domain": "fake-domain",
        "state": None,
        "state_json": None,
        "unit": None,
        "trap": None,
        "clock_json": None,
        "is_fake": False,
    },
]
STEPS = [
    {
        "step_index": 0,
        "action": "SELECT_PUZZLE",
        "agent": "planner",
        "puzzle_id": "P604",
        "action_id": "action-605",
        "parent_action_id": "parent-606",
        "call_index": 607,
        "attempt": 608,
        "clue_domain": "step-domain",
        "clue_problem_id": "step-problem-610",
        "confidence": 0.611,
        "duration_s": 6.12,
        "input_tokens": 613,
        "output_tokens": 614,
        "timed_out": True,
        "superlong_reasoning": False,
        "has_schema_error": True,
        "status": "wrong",
        "error_desc": "WRONG (616)",
        "error_type": "TYPE-617",
        "fm_id": "FM-6.18",
        "answer_json": '"06:19:00"',
        "chosen_puzzle_id": "P602",
    },
    dict.fromkeys(TABLES["steps"].schema.names[3:]) | {"step_index": 1, "action": "OBSERVE_ITEM"},
]
STEP_TEXTS = [
    {
        "step_index": 0,
        "message": "message 601",
        "input": '{"question":603}',
        "structured_json": '{"puzzle_id":"P602"}',
        "schema_errors_json": '{"field":"error 615"}',
        "verification_json": '{"status":"wrong","desc":"WRONG (616)","error_type":"TYPE-617",'
        '"fm_id":"FM-6.18","answer":"06:19:00"}',
        "tool_execution_json": '{"result":620}',
        "injection_json": '{"mode":"FM-6.21"}',
        "prompt_injection_json": '["FM-6.22"]',
        "extra_json": None,
    },
    dict.fromkeys(TABLES["step_texts"].schema.names[3:])
    | {"step_index": 1, "message": "message 701", "structured_json": '["structured 702"]'},
]


def everything(document: Any) -> dict[str, Any]:
    rows = madbench.parse_trace(document, "run/file.json", "digest", file_name(STEM))
    (room,) = named("rooms", [rows.room])
    return {
        "rooms": room | {"extra_json": extras(room["extra_json"])},
        "puzzles": named("puzzles", rows.puzzles),
        "distractors": named("distractors", rows.distractors),
        "steps": named("steps", rows.steps),
        "step_texts": named("step_texts", rows.step_texts),
    }


EVERYTHING = {
    "rooms": ROOM,
    "puzzles": [PUZZLE],
    "distractors": DISTRACTORS,
    "steps": STEPS,
    "step_texts": STEP_TEXTS,
}


def test_the_document_holds_every_key_we_know():
    document = json.loads(EVERY_FIELD)
    (puzzle,) = document["room"]["puzzles"]
    newer, older = document["trace"]
    held = {
        madbench.Trace: document,
        madbench.Room: document["room"],
        madbench.Puzzle: puzzle,
        madbench.Clue: puzzle["clue"],
        madbench.Item: puzzle["item"],
        madbench.Step: newer | older,
        madbench.CallStatistic: newer["call_statistic"],
    }

    assert {cls.__name__: set(keys) for cls, keys in held.items()} == {
        cls.__name__: {field.name for field in msgspec.structs.fields(cls)} for cls in held
    }
    assert set(puzzle["fake_items"][0]) == set(puzzle["item"])
    assert set(puzzle["fake_clues"][0]) == set(puzzle["clue"])


def test_every_field_has_its_column():
    msgspec.json.decode(EVERY_FIELD, type=madbench.Trace)  # it takes the fast way

    assert everything(EVERY_FIELD) == EVERYTHING


def test_the_tolerant_way_ends_in_the_same_rows():
    document = json.dumps({"brand_new": "key", **json.loads(EVERY_FIELD)}).encode("utf-8")
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(document, type=madbench.Trace)

    with_new_key = ROOM | {"extra_json": ROOM["extra_json"] | {"/brand_new": "key"}}
    assert everything(document) == EVERYTHING | {"rooms": with_new_key}


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(lambda d: json.dumps(d, separators=(",", ":")).encode(), id="compact"),
        pytest.param(lambda d: json.dumps(d, indent=4).encode(), id="pretty-printed"),
        pytest.param(
            lambda d: json.dumps(d, indent=1).replace("\n", "\r\n").encode(), id="with CRLF"
        ),
        pytest.param(
            lambda d: b"\xef\xbb\xbf" + json.dumps(d).encode(), id="with a byte-order mark"
        ),
        pytest.param(
            lambda d: json.dumps(dict(reversed(d.items()))).encode(), id="with its keys reversed"
        ),
    ],
)
def test_layout_does_not_matter(written):
    assert everything(written(json.loads(EVERY_FIELD))) == EVERYTHING


# Keys and values that do not fit

EXTRA = {"deep": [1, {"a": None}]}


@pytest.mark.parametrize(
    ("place", "key_path"),
    [
        ("/brand_new", "brand_new"),
        ("/room/brand_new", "room.brand_new"),
        ("/room/puzzles/0/brand_new", "room.puzzles[].brand_new"),
        ("/room/puzzles/0/clue/brand_new", "room.puzzles[].clue.brand_new"),
        ("/room/puzzles/0/item/brand_new", "room.puzzles[].item.brand_new"),
        ("/room/puzzles/0/fake_items/0/brand_new", "room.puzzles[].fake_items[].brand_new"),
        ("/room/puzzles/0/fake_clues/0/brand_new", "room.puzzles[].fake_clues[].brand_new"),
    ],
)
def test_an_unknown_key_of_trace_or_room_is_kept_with_the_room(place, key_path):
    document = json.loads(EVERY_FIELD)
    put(document, place, EXTRA)

    rows = parse(document)

    (row,) = named("rooms", [rows.room])
    assert extras(row["extra_json"]) == ROOM["extra_json"] | {place: EXTRA}
    assert rows.set_aside[key_path] == 1


@pytest.mark.parametrize(
    ("place", "key_path"),
    [
        ("/brand_new", "trace[].brand_new"),
        ("/call_statistic/brand_new", "trace[].call_statistic.brand_new"),
    ],
)
def test_an_unknown_key_of_a_step_is_kept_with_the_step(place, key_path):
    document = json.loads(EVERY_FIELD)
    put(document["trace"][0], place, EXTRA)

    rows = parse(document)

    newer, older = named("step_texts", rows.step_texts)
    assert (extras(newer["extra_json"]), older["extra_json"]) == ({place: EXTRA}, None)
    assert rows.set_aside[key_path] == 1


@pytest.mark.parametrize("place", ["/config/brand_new", "/failure_report/brand_new"])
def test_an_unknown_key_of_an_opaque_object_is_in_its_raw_json(place):
    document = json.loads(EVERY_FIELD)
    put(document, place, EXTRA)

    row = room_row(document)

    column = f"{place.split('/')[1]}_json"
    assert json.loads(row[column])["brand_new"] == EXTRA


def test_an_unknown_key_of_a_verification_is_in_its_raw_json():
    assert first_step(verification={"status": "wrong", "new": 1})["verification_json"] == (
        '{"status":"wrong","new":1}'
    )


def test_unknown_keys_are_counted_over_the_steps():
    rows = parse(trace(trace=[step(new=1), step(), step(new=2)]))

    assert rows.set_aside == {"trace[].new": 2}


def test_keys_that_differ_only_in_case_are_both_kept():
    row = first_step(agent="a", Agent="b", AGENT="c")

    assert row["agent"] == "a"
    assert extras(row["extra_json"]) == {"/Agent": "b", "/AGENT": "c"}


def test_a_key_with_a_slash_or_a_tilde_is_escaped_as_json_pointers_ask():
    rows = parse(trace(**{"a/b~c": 1}))

    assert extras(named("rooms", [rows.room])[0]["extra_json"]) == {"/a~1b~0c": 1}
    assert rows.set_aside == {"a/b~c": 1}


def put(document: dict, place: str, value: Any) -> None:
    *parents, key = place.split("/")[1:]
    for part in parents:
        document = document[int(part)] if part.isdigit() else document[part]
    document[key] = value


@pytest.mark.parametrize(
    ("field", "value", "column", "kept"),
    [
        ("agent", 1.5, "agent", 1.5),
        ("message", ["a"], "message", ["a"]),
        ("attempt", "first", "attempt", "first"),
        ("attempt", 2**63, "attempt", 2**63),
        ("attempt", True, "attempt", True),
        ("call_index", 0.5, "call_index", 0.5),
        ("confidence", "high", "confidence", "high"),
        ("confidence", float("nan"), "confidence", "NaN"),
        ("confidence", float("-inf"), "confidence", "-Infinity"),
        ("call_statistic", [1], "duration_s", [1]),
        ("call_statistic", "none", "timed_out", "none"),
    ],
)
def test_a_step_value_of_the_wrong_type_is_null_and_kept(field, value, column, kept):
    row = first_step(**{field: value})

    assert row[column] is None
    assert extras(row["extra_json"]) == {f"/{field}": kept}


@pytest.mark.parametrize(
    ("field", "value", "column"),
    [
        ("duration", "long", "duration_s"),
        ("input_tokens", 2**64, "input_tokens"),
        ("output_tokens", 1.5, "output_tokens"),
        ("timed_out", 2, "timed_out"),
        ("superlong_reasoning", "maybe", "superlong_reasoning"),
    ],
)
def test_a_call_value_of_the_wrong_type_is_null_and_kept(field, value, column):
    row = first_step(call_statistic={"duration": 1.5} | {field: value})

    assert row[column] is None
    assert extras(row["extra_json"]) == {f"/call_statistic/{field}": value}


@pytest.mark.parametrize(
    ("field", "value", "column", "used"),
    [
        ("agent", 7, "agent", "7"),
        ("puzzle_id", 2**70, "puzzle_id", str(2**70)),
        ("action_id", 12, "action_id", "12"),
        ("attempt", "2", "attempt", 2),
        ("attempt", 2.0, "attempt", 2),
        ("confidence", "0.9", "confidence", 0.9),
        ("message", "x\ud800", "message", "x�"),
    ],
)
def test_a_step_value_of_a_near_type_is_used(field, value, column, used):
    row = first_step(**{field: value})

    assert (row[column], row["extra_json"]) == (used, None)


@pytest.mark.parametrize(
    ("written", "flag"),
    [("no", False), ("yes", True), (0, False), (1, True), ("True", True), (None, None)],
)
def test_a_flag_of_a_call_is_read_as_written(written, flag):
    assert first_step(call_statistic={"timed_out": written})["timed_out"] is flag


@pytest.mark.parametrize(
    ("field", "value", "column"),
    [
        ("escaped", "perhaps", "escaped"),
        ("escaped", 2, "escaped"),
        ("puzzles_solved", 2**31, "puzzles_solved"),
        ("puzzles_total", "two", "puzzles_total"),
        ("timing_sec", "01:02", "timing_s"),
    ],
)
def test_a_trace_value_of_the_wrong_type_is_null_and_kept(field, value, column):
    row = room_row(trace(**{field: value}))

    assert row[column] is None
    assert extras(row["extra_json"]) == {f"/{field}": value}


@pytest.mark.parametrize(
    ("place", "value", "column"),
    [
        ("/level", "high", "level"),
        ("/level", 2**31, "level"),
        ("/solved", [], "is_solved_at_start"),
        ("/clue", "none", "clue_hint"),
        ("/clue/hint", {"text": "x"}, "clue_hint"),
        ("/item", 5, "item_type"),
        ("/item/unit", ["kg"], "item_unit"),
    ],
)
def test_a_puzzle_value_of_the_wrong_type_is_null_and_kept(place, value, column):
    document = trace()
    put(document["room"]["puzzles"][0], place, value)

    rows = parse(document)

    (puzzle,), (row,) = named("puzzles", rows.puzzles), named("rooms", [rows.room])
    assert puzzle[column] is None
    assert extras(row["extra_json"]) == {f"/room/puzzles/0{place}": value}


@pytest.mark.parametrize(
    ("written", "number"),
    [(0.3, 0.3), ("0.3", 0.3), (1, 1.0), (None, None), ("warm", None), (-1, None), (100, None)],
)
def test_temperature_is_a_number_or_a_text_with_one(written, number):
    row = room_row(trace(config={"llm": {"temperature": written}}))

    assert row["temperature"] == number
    assert json.loads(row["config_json"]) == {"llm": {"temperature": written}}


def test_a_missing_temperature_is_null():
    assert room_row(trace(config={"llm": {}}))["temperature"] is None


@pytest.mark.parametrize(
    ("answer", "number", "text"),
    [
        pytest.param(207.5, 207.5, "207.5", id="a number"),
        pytest.param("12", 12.0, '"12"', id="a number as text"),
        pytest.param("07:14:08", None, '"07:14:08"', id="a time of day"),
        pytest.param({"h": 7}, None, '{"h":7}', id="an object"),
        pytest.param(2**70, float(2**70), str(2**70), id="a number over 63 bits"),
        pytest.param(float("nan"), None, '"NaN"', id="NaN"),
        pytest.param(None, None, None, id="null"),
    ],
)
def test_an_answer_of_a_clue(answer, number, text):
    document = trace()
    document["room"]["puzzles"][0]["clue"]["answer"] = answer

    (puzzle,) = named("puzzles", parse(document).puzzles)

    assert (puzzle["clue_answer"], puzzle["clue_answer_json"]) == (number, text)


@pytest.mark.parametrize(
    ("answer", "text"),
    [(1.50, "1.5"), ("x", '"x"'), ({"h": 7}, '{"h":7}'), (2**70, str(2**70)), (None, None)],
)
def test_an_answer_of_a_step_is_its_json(answer, text):
    assert first_step(verification={"answer": answer})["answer_json"] == text


def test_a_number_of_5000_digits_is_kept_exactly_where_it_need_not_be_read():
    document = json.dumps(trace(trace=[step(structured="DIGITS")])).encode()
    document = document.replace(b'"DIGITS"', b"7" * 5000)

    (row,) = named("step_texts", parse(document).step_texts)

    assert row["structured_json"] == "7" * 5000


def test_a_number_of_5000_digits_that_must_be_read_is_rejected():
    document = json.dumps(trace(puzzles_solved="DIGITS")).replace('"DIGITS"', "7" * 5000)

    assert rejection(document.encode())[0] == Reason.NOT_JSON


# What was recorded and what was not


@pytest.mark.parametrize(
    ("schema_errors", "has_error", "text"),
    [
        pytest.param({}, False, "{}", id="an empty object"),
        pytest.param([], False, "[]", id="an empty list"),
        pytest.param("", False, '""', id="an empty text"),
        pytest.param({"a": "missing"}, True, '{"a":"missing"}', id="an object"),
        pytest.param(["bad"], True, '["bad"]', id="a list"),
        pytest.param("bad", True, '"bad"', id="a text"),
        pytest.param(" ", True, '" "', id="a text of white space is not empty"),
        pytest.param(None, None, None, id="null was not recorded"),
        pytest.param(0, None, "0", id="a number says nothing"),
    ],
)
def test_schema_errors(schema_errors, has_error, text):
    row = first_step(schema_errors=schema_errors)

    assert (row["has_schema_error"], row["schema_errors_json"]) == (has_error, text)


def test_an_empty_object_over_two_lines_is_empty():
    document = json.dumps(trace(trace=[step(schema_errors={})])).replace(
        '"schema_errors": {}', '"schema_errors": {\n  }'
    )

    (row,) = named("steps", parse(document.encode()).steps)

    assert row["has_schema_error"] is False


def test_missing_schema_errors_were_not_recorded():
    row = first_step()

    assert (row["has_schema_error"], row["schema_errors_json"]) == (None, None)


CALL = ["duration_s", "input_tokens", "output_tokens", "timed_out", "superlong_reasoning"]


@pytest.mark.parametrize(
    "changes", [{"call_statistic": {}}, {"call_statistic": None}, {}], ids=repr
)
def test_a_call_without_statistics_is_null_throughout(changes):
    row = first_step(**changes)

    assert [row[column] for column in CALL] == [None] * 5


def test_a_timed_out_call_keeps_its_zeros():
    row = first_step(call_statistic={"input_tokens": 0, "output_tokens": 0, "timed_out": True})

    assert [row[column] for column in CALL] == [None, 0, 0, True, None]


@pytest.mark.parametrize(
    ("verification", "status", "text"),
    [
        ({}, None, "{}"),
        (None, None, None),
        ({"status": None}, None, '{"status":null}'),
        ({"status": 5}, "5", '{"status":5}'),
        ({"status": ["wrong"]}, None, '{"status":["wrong"]}'),
        ("wrong", None, '"wrong"'),
        ([], None, "[]"),
    ],
    ids=repr,
)
def test_verification_is_looked_into_and_kept(verification, status, text):
    row = first_step(verification=verification)

    assert (row["status"], row["verification_json"]) == (status, text)


def test_an_older_key_beside_the_newer_one_is_kept_aside():
    row = first_step(message="old", output_message="new", structured=[1], output_structured=[2])

    assert (row["message"], row["structured_json"]) == ("new", "[2]")
    assert extras(row["extra_json"]) == {"/message": "old", "/structured": [1]}


@pytest.mark.parametrize("more", [{}, {"brand_new": 1}], ids=["fast way", "tolerant way"])
def test_a_newer_key_that_is_null_gives_way_to_the_older_one(more):
    keys = {"output_message": None, "output_structured": None}
    document = trace(trace=[step(message="old", structured=[1], **keys)], **more)

    (row,) = named("step_texts", parse(document).step_texts)

    assert (row["message"], row["structured_json"], row["extra_json"]) == ("old", "[1]", None)


@pytest.mark.parametrize(
    ("action", "structured", "chosen"),
    [
        ("SELECT_PUZZLE", {"puzzle_id": "P2"}, "P2"),
        ("SELECT_PUZZLE", {"puzzle_id": 2}, "2"),
        ("SELECT_PUZZLE", {"puzzle_id": None}, None),
        ("SELECT_PUZZLE", {"error": "time-out"}, None),
        ("SELECT_PUZZLE", "P2", None),
        ("OBSERVE_CLUE", {"puzzle_id": "P2"}, None),
    ],
)
def test_the_puzzle_chosen_is_read_from_a_selection_only(action, structured, chosen):
    row = first_step(action=action, structured=structured)

    assert row["chosen_puzzle_id"] == chosen


@pytest.mark.parametrize("course", [{"trace": []}, {"trace": None}, {}], ids=["[]", "null", "none"])
def test_a_crashed_room_has_no_steps(course):
    document = trace(failure_report={"error": "out of memory"}, escaped=None)
    del document["trace"]

    rows = parse(document | course)

    (row,) = named("rooms", [rows.room])
    assert (row["n_steps"], row["error"], row["escaped"]) == (0, "out of memory", None)
    assert (rows.steps, rows.step_texts) == ([], [])


@pytest.mark.parametrize(
    ("report", "error", "eval_results", "n_failures"),
    [
        ({"error": {"type": "X"}}, '{"type":"X"}', None, None),
        ({"eval_results": "none", "schema_failures": 3}, None, None, None),
        ({"eval_results": [], "schema_failures": []}, None, "[]", 0),
        ({"schema_failures": {"a": 1, "b": 2}}, None, None, 2),
        (["odd"], None, None, None),
        (None, None, None, None),
    ],
    ids=repr,
)
def test_failure_reports(report, error, eval_results, n_failures):
    row = room_row(trace(failure_report=report))

    assert row["error"] == error
    assert (row["eval_results_json"], row["n_schema_failures"]) == (eval_results, n_failures)
    assert extras(row["failure_report_json"]) == report


@pytest.mark.parametrize("puzzles", [[], None, "none"], ids=repr)
def test_a_room_may_have_no_puzzles(puzzles):
    rows = parse(trace(room={"room_id": "r", "puzzles": puzzles}))

    assert (rows.puzzles, rows.distractors) == ([], [])
    assert named("rooms", [rows.room])[0]["n_puzzles"] == 0


@pytest.mark.parametrize("written", [7, "7"], ids=repr)
def test_a_room_id_may_be_a_number(written):
    assert room_row(trace(room={"room_id": written}))["room_id"] == "7"


def test_a_room_is_told_from_another_one_of_the_same_id():
    first = trace(room={"room_id": "room_0001", "difficulty": "easy"})
    second = trace(room={"room_id": "room_0001", "difficulty": "nightmare"})

    assert [room_row(document)["difficulty"] for document in (first, second, first)] == [
        "easy",
        "nightmare",
        "easy",
    ]


def test_what_one_trace_sets_aside_does_not_show_in_the_next():
    document = trace(room={"room_id": "r", "brand_new": 1})
    parse(document | {"other": 2})

    assert extras(room_row(document)["extra_json"]) == {"/room/brand_new": 1}


def test_the_name_of_the_file_stands_beside_what_the_json_says():
    row = room_row(trace(), room_id="room_0009", temperature_text="0.30", escaped=False)

    assert (row["name_room_id"], row["name_temperature"], row["name_escaped"]) == (
        "room_0009",
        0.3,
        False,
    )
    assert (row["room_id"], row["temperature"], row["escaped"]) == ("room_0001", 0.0, True)


# What is not a usable trace

NO_ROOM = {key: value for key, value in trace().items() if key != "room"}


@pytest.mark.parametrize(
    ("document", "code", "pointer"),
    [
        pytest.param(
            trace(trace=[step(), {"agent": "a"}]),
            Reason.MISSING_REQUIRED,
            "/trace/1/action",
            id="a step without action",
        ),
        pytest.param(
            trace(trace=[step(action=None)]),
            Reason.MISSING_REQUIRED,
            "/trace/0/action",
            id="a step whose action is null",
        ),
        pytest.param(
            trace(trace=[step(action=["A"])]),
            Reason.BAD_TYPE,
            "/trace/0/action",
            id="a step whose action is a list",
        ),
        pytest.param(NO_ROOM, Reason.MISSING_REQUIRED, "/room", id="no room"),
        pytest.param(trace(room=None), Reason.MISSING_REQUIRED, "/room", id="a room that is null"),
        pytest.param(trace(room=[1]), Reason.BAD_TYPE, "/room", id="a room that is a list"),
        pytest.param(
            trace(room={"puzzles": []}), Reason.MISSING_REQUIRED, "/room/room_id", id="no room_id"
        ),
        pytest.param(
            trace(room={"room_id": {}}), Reason.BAD_TYPE, "/room/room_id", id="an odd room_id"
        ),
        pytest.param(trace(trace={}), Reason.BAD_TYPE, "/trace", id="a trace that is an object"),
        pytest.param(trace(trace="x"), Reason.BAD_TYPE, "/trace", id="a trace that is a text"),
        pytest.param(
            trace(trace=[step(), "x"]), Reason.BAD_TYPE, "/trace/1", id="a step that is a text"
        ),
        pytest.param(trace(trace=[None]), Reason.BAD_TYPE, "/trace/0", id="a step that is null"),
        pytest.param(
            trace(room={"room_id": "r", "puzzles": [{}, 5]}),
            Reason.BAD_TYPE,
            "/room/puzzles/1",
            id="a puzzle that is a number",
        ),
        pytest.param([1, 2], Reason.NOT_A_TRACE, "", id="a list"),
        pytest.param("text", Reason.NOT_A_TRACE, "", id="a text"),
        pytest.param(None, Reason.NOT_A_TRACE, "", id="null"),
        pytest.param({}, Reason.NOT_A_TRACE, "", id="an empty object"),
        pytest.param({"name": "x", "version": 1}, Reason.NOT_A_TRACE, "", id="another object"),
        pytest.param({"config": {"llm": {}}}, Reason.NOT_A_TRACE, "", id="a configuration"),
        pytest.param(
            {"room": {"room_id": "r"}}, Reason.MISSING_REQUIRED, "/trace", id="a room alone"
        ),
        pytest.param(
            {"config": {}, "room": {"room_id": "r"}, "steps": [], "escaped": False},
            Reason.MISSING_REQUIRED,
            "/trace",
            id="a trace under another name",
        ),
    ],
)
def test_what_is_not_a_usable_trace_is_rejected(document, code, pointer):
    assert rejection(document) == (code, pointer)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", Reason.EMPTY_FILE),
        (b" \n", Reason.EMPTY_FILE),
        (json.dumps(trace()).encode()[:-20], Reason.TRUNCATED),
        (b'{"room":"caf\xe9"}', Reason.NOT_UTF8),
        (b"<html></html>", Reason.NOT_JSON),
        (b'{"room":' + b"[" * 100_000 + b"]" * 100_000 + b"}", Reason.TOO_DEEP),
    ],
    ids=["empty", "white space", "cut off", "latin-1", "HTML", "too deep"],
)
def test_bytes_that_are_no_json_are_rejected(data, code):
    assert rejection(data)[0] == code


def test_no_depth_of_nesting_ends_otherwise_than_in_rows_or_a_reject():
    for depth in (200, 450, 600, 800, 950, 1_200, 20_000):
        nested = "[" * depth + "]" * depth
        document = json.dumps(trace(brand_new="NESTED")).replace('"NESTED"', nested).encode()
        try:
            text = room_row(document)["extra_json"]
        except RejectedInput as error:
            assert error.code == Reason.TOO_DEEP
        else:
            assert text == f'{{"/brand_new":{nested}}}'


# Rooms


def test_a_line_of_a_room_file_has_the_same_columns_as_the_room_of_a_trace():
    document = json.loads(EVERY_FIELD)["room"]

    rows = madbench.parse_room(json.dumps(document).encode())

    assert (rows.room_id, rows.difficulty, rows.room_type) == ("room_0101", "medium", "planning")
    assert (rows.clue_domain, rows.rest_json) == ("room-domain", ROOM["room_rest_json"])
    assert named("puzzles", rows.puzzles) == [PUZZLE]
    assert named("distractors", rows.distractors) == DISTRACTORS
    assert {f"/room{at}": value for at, value in rows.aside.items()} == ROOM["extra_json"]


@pytest.mark.parametrize(
    ("line", "code", "pointer"),
    [
        pytest.param(b'{"puzzles":[]}', Reason.MISSING_REQUIRED, "/room_id", id="no room_id"),
        pytest.param(b'{"room_id":[]}', Reason.BAD_TYPE, "/room_id", id="an odd room_id"),
        pytest.param(b"[]", Reason.NOT_A_TRACE, "", id="a list"),
        pytest.param(b'{"room_id":', Reason.TRUNCATED, "line 1, column 12", id="a cut line"),
    ],
)
def test_a_line_that_is_no_room_is_rejected(line, code, pointer):
    with pytest.raises(RejectedInput) as caught:
        madbench.parse_room(line)

    assert (caught.value.code, caught.value.at) == (code, pointer)


def test_puzzles_of_a_room_are_numbered_in_its_order():
    rows = madbench.parse_room(json.dumps(room(n_puzzles=3)).encode())

    assert [
        (row["room_puzzle_index"], row["puzzle_id"], row["ground_truth"])
        for row in named("puzzles", rows.puzzles)
    ] == [(0, "P1", 0.0), (1, "P2", 1.0), (2, "P3", 2.0)]
