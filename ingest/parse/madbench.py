"""MADBench traces and room files -> rows of the lake. Pure: bytes in, tuples out.

A trace is one JSON object:

    {"config": {"llm": {"provider", "model", "temperature", ...}, "benchmark": {...}, ...},
     "room": {"room_id", "difficulty", "puzzles": [{"puzzle_id", "clue", "item", ...}], ...},
     "trace": [{"action", "agent", "verification": {"status", "desc", ...}, ...}],
     "failure_report": {"schema_failures": [...], "eval_results": [...]} or {"error": ...},
     "escaped": bool, "puzzles_solved": int, "puzzles_total": int, "timing_sec": float}

Older traces carry `message` and `structured` on each step; newer ones `output_message`,
`output_structured`, `input`, `puzzle_id` and `action_id`, and tool calls as steps of their own.
A room file holds one room object a line.

The structs below are the list of keys we know. A document that fits them takes the fast way; one
with an unknown key or an odd type goes through `tolerant`, and ends in the same rows.
"""

from __future__ import annotations

import functools
from collections import Counter
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from ingest.errors import Reason, RejectedInput
from ingest.parse import json_text, tolerant
from ingest.parse.file_rows import FileRows
from ingest.parse.json_text import number_of, plain_text_of, text_of
from ingest.parse.names import FileName

Whole = Annotated[int, Meta(ge=-(2**63), le=json_text.INT64_MAX)]
Small = Annotated[int, Meta(ge=-(2**31), le=json_text.INT32_MAX)]
_NOTHING = Raw()


class _Strict(Struct, forbid_unknown_fields=True, gc=False):
    pass


class CallStatistic(_Strict):
    """What one model call cost."""

    duration: float | None = None
    input_tokens: Whole | None = None
    output_tokens: Whole | None = None
    timed_out: bool | None = None
    superlong_reasoning: bool | None = None


class Step(_Strict):
    """One entry of `trace`, older and newer keys together."""

    action: str
    agent: str | None = None
    message: str | None = None
    output_message: str | None = None
    structured: Raw = _NOTHING
    output_structured: Raw = _NOTHING
    input: Raw = _NOTHING
    puzzle_id: str | None = None
    action_id: str | None = None
    parent_action_id: str | None = None
    call_index: Whole | None = None
    attempt: Small | None = None
    clue_domain: str | None = None
    clue_problem_id: str | None = None
    confidence: float | None = None
    call_statistic: CallStatistic | None = None
    schema_errors: Raw = _NOTHING
    verification: Raw = _NOTHING
    tool_execution: Raw = _NOTHING
    injection: Raw = _NOTHING
    prompt_injection: Raw = _NOTHING


class Clue(_Strict):
    """A true or fake clue."""

    item_id: Raw = _NOTHING
    hint: str | None = None
    domain: str | None = None
    item_type: str | None = None
    problem: str | None = None
    answer: Raw = _NOTHING
    delta_unit: str | None = None
    problem_id: str | None = None
    problem_metadata: Raw = _NOTHING
    is_fake: bool | None = None


class Item(_Strict):
    """A true or fake instrument."""

    item_id: Raw = _NOTHING
    type: str | None = None
    desc: str | None = None
    state: Raw = _NOTHING
    unit: str | None = None
    trap: str | None = None
    is_fake: bool | None = None
    hour: Raw = _NOTHING
    minute: Raw = _NOTHING
    second: Raw = _NOTHING
    raw_time: Raw = _NOTHING


class Puzzle(_Strict):
    """One puzzle of a room."""

    puzzle_id: str | None = None
    clue: Clue | None = None
    item: Item | None = None
    fake_items: list[Item] | None = None
    fake_clues: list[Clue] | None = None
    all_items_order: Raw = _NOTHING
    all_clues_order: Raw = _NOTHING
    solved: bool | None = None
    level: Small | None = None
    trap_item_desc: bool | None = None
    traps: Raw = _NOTHING
    ground_truth: Raw = _NOTHING


class Room(_Strict):
    """A room, as a trace carries it or as a line of a room file."""

    room_id: str
    difficulty: str | None = None
    type: str | None = None
    clue_domain: str | None = None
    puzzles: list[Puzzle] | None = None
    n_puzzles: Raw = _NOTHING
    n_scenery: Raw = _NOTHING
    scenery: Raw = _NOTHING
    item_states: Raw = _NOTHING
    solved_ids: Raw = _NOTHING
    dag: Raw = _NOTHING


class Trace(_Strict):
    """A trace file."""

    config: Raw = _NOTHING
    room: Raw = _NOTHING
    trace: list[Step] | UnsetType | None = UNSET  # a crash writes [], a renamed key nothing
    failure_report: Raw = _NOTHING
    escaped: bool | None = None
    puzzles_solved: Small | None = None
    puzzles_total: Small | None = None
    timing_sec: float | None = None


# Looked into without a schema of their own: the whole object is kept as raw JSON anyway.
class _Llm(Struct):
    provider: Any = None
    model: Any = None
    temperature: Any = None


class _Benchmark(Struct):
    clue_domain: Any = None
    unit_tools: Any = None


class _Config(Struct):
    llm: _Llm | None = None
    benchmark: _Benchmark | None = None


class _FailureReport(Struct):
    error: Any = None
    eval_results: Raw = _NOTHING
    schema_failures: Any = None


class _Verification(Struct):
    status: str | None = None
    desc: str | None = None
    error_type: str | None = None
    fm_id: str | None = None
    answer: Raw = _NOTHING


class _Structured(Struct):
    puzzle_id: Any = None


_DECODERS = {
    cls: msgspec.json.Decoder(cls)
    for cls in (Trace, Room, _Config, _FailureReport, _Verification, _Structured)
}
_MAX_TEMPERATURE = 99.99  # DECIMAL(4,2); a larger one is no temperature and stays in config_json


class RoomRows(NamedTuple):
    """A room as rows that lack only the keys of what carried it.

    `puzzles` and `distractors` follow the puzzle and distractor columns of the lake's schema.
    """

    room_id: str
    difficulty: str | None
    room_type: str | None
    clue_domain: str | None
    rest_json: str
    puzzles: list[tuple]
    distractors: list[tuple]
    aside: dict[str, Any]


class TraceRows(NamedTuple):
    """One trace as rows: tuples in the order of the lake's columns after `trace_id`."""

    room: tuple
    puzzles: list[tuple]
    distractors: list[tuple]
    steps: list[tuple]
    step_texts: list[tuple]
    set_aside: dict[str, int]  # key path -> how many values went to extra_json


def _decode(cls: type, data: bytes, pointer: str, aside: dict[str, Any]) -> Any:
    try:
        return _DECODERS[cls].decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # not the struct's shape, or not quite JSON: the tolerant way tells which
        value = json_text.loads(data)
    if not isinstance(value, dict):
        raise RejectedInput(
            Reason.NOT_A_TRACE if pointer == "" else Reason.BAD_TYPE,
            f"Expected a JSON object, found {json_text.dumps(value)[:40]}.",
            pointer,
        )
    return tolerant.fill(cls, value, pointer, aside)


def _peek(cls: type, raw: Raw) -> Any:
    """Look into an opaque object; whatever does not fit counts as not recorded."""
    data = bytes(raw)
    if data[:1] != b"{":
        return cls()
    try:
        return _DECODERS[cls].decode(data)
    except msgspec.DecodeError:
        return tolerant.fill(cls, json_text.loads(data), "", {})


def _text_or_json(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json_text.dumps(value)


def _clock_json(item: Item) -> str | None:
    parts = {
        name: text
        for name in ("hour", "minute", "second", "raw_time")
        if (text := text_of(getattr(item, name))) is not None
    }
    return (
        "{" + ",".join(f'"{name}":{text}' for name, text in parts.items()) + "}" if parts else None
    )


def _puzzle_row(index: int, puzzle: Puzzle) -> tuple:
    clue, item = puzzle.clue or Clue(), puzzle.item or Item()
    return (
        index,
        puzzle.puzzle_id,
        plain_text_of(clue.item_id),
        clue.hint,
        clue.domain,
        clue.item_type,
        clue.problem,
        number_of(clue.answer),
        text_of(clue.answer),
        clue.delta_unit,
        clue.problem_id,
        text_of(clue.problem_metadata),
        plain_text_of(item.item_id),
        item.type,
        item.desc,
        number_of(item.state),
        text_of(item.state),
        item.unit,
        item.trap,
        _clock_json(item),
        number_of(puzzle.ground_truth),
        text_of(puzzle.ground_truth),
        puzzle.level,
        puzzle.solved,
        puzzle.trap_item_desc,
        text_of(puzzle.traps),
        text_of(puzzle.all_items_order),
        text_of(puzzle.all_clues_order),
    )


def _distractor_rows(index: int, puzzle: Puzzle) -> list[tuple]:
    rows: list[tuple] = [
        (
            index,
            puzzle.puzzle_id,
            "item",
            n,
            plain_text_of(item.item_id),
            item.type,
            item.desc,
            None,
            number_of(item.state),
            text_of(item.state),
            item.unit,
            item.trap,
            _clock_json(item),
            item.is_fake,
        )
        for n, item in enumerate(puzzle.fake_items or [])
    ]
    rows += [
        (
            index,
            puzzle.puzzle_id,
            "clue",
            n,
            plain_text_of(clue.item_id),
            clue.item_type,
            clue.hint,
            clue.domain,
            None,
            None,
            None,
            None,
            None,
            clue.is_fake,
        )
        for n, clue in enumerate(puzzle.fake_clues or [])
    ]
    return rows


def _lost_of_fakes(room: Room, pointer: str) -> dict[str, Any]:
    """Keys of a true clue or item that a distractor row has no column for, and the reverse."""
    aside: dict[str, Any] = {}
    for index, puzzle in enumerate(room.puzzles or []):
        at = f"{pointer}/puzzles/{index}"
        for n, clue in enumerate(puzzle.fake_clues or []):
            for name in ("problem", "answer", "delta_unit", "problem_id", "problem_metadata"):
                _keep(aside, f"{at}/fake_clues/{n}/{name}", getattr(clue, name))
        for name, thing in (("clue", puzzle.clue), ("item", puzzle.item)):
            if thing is not None:
                _keep(aside, f"{at}/{name}/is_fake", thing.is_fake)
    return aside


def _keep(aside: dict[str, Any], at: str, value: Any) -> None:
    if isinstance(value, Raw):
        value = json_text.loads(bytes(value)) if bytes(value) else None
    if value is not None:
        aside[at] = value


@functools.lru_cache(maxsize=1024)
def _room_rows(data: bytes, pointer: str) -> RoomRows:
    """Rows of one room; remembered, because every run plays the same rooms."""
    aside: dict[str, Any] = {}
    room: Room = _decode(Room, data, pointer, aside)
    aside.update(_lost_of_fakes(room, pointer))
    puzzles = room.puzzles or []
    rest = {
        name: text
        for name in ("n_puzzles", "n_scenery", "item_states", "solved_ids", "dag", "scenery")
        if (text := text_of(getattr(room, name))) is not None
    }
    return RoomRows(
        room.room_id,
        room.difficulty,
        room.type,
        room.clue_domain,
        "{" + ",".join(f'"{name}":{text}' for name, text in rest.items()) + "}",
        [_puzzle_row(n, puzzle) for n, puzzle in enumerate(puzzles)],
        [row for n, puzzle in enumerate(puzzles) for row in _distractor_rows(n, puzzle)],
        aside,
    )


def parse_room(line: bytes) -> RoomRows:
    """One line of a room file as rows.

    Raises RejectedInput where the line is not a room: no `room_id`, not JSON, wrong types.
    """
    return _room_rows(json_text.compacted(line), "")


def parse_rooms(data: bytes) -> FileRows:
    """A room file as rows. Raises RejectedInput where a line of it is not a room."""
    definitions: list[tuple] = []
    puzzles: list[tuple] = []
    set_aside: Counter[str] = Counter()
    for number, line in enumerate(json_text.checked_utf8(data).splitlines(), 1):
        if not line.strip():
            continue
        text, room = _parse_line(line, number)
        definitions.append(
            (
                number,
                room.room_id,
                room.difficulty,
                room.room_type,
                room.clue_domain,
                len(room.puzzles),
                json_text.text_sha256(text),
                text,
            )
        )
        puzzles += [(number, *puzzle) for puzzle in room.puzzles]
        set_aside.update(json_text.pretty_path(pointer) for pointer in room.aside)
    return FileRows(
        {"room_definitions": definitions, "puzzle_definitions": puzzles},
        dict(set_aside),
        n_rooms=len(definitions),
        n_puzzles=len(puzzles),
    )


def _parse_line(line: bytes, number: int) -> tuple[str, RoomRows]:
    try:
        room = parse_room(line)
    except RejectedInput as error:
        code = Reason.NOT_A_ROOM_FILE if error.code != Reason.TRUNCATED else error.code
        raise RejectedInput(
            code, f"Line {number} is not a room: {error.message}", f"line {number}"
        ) from None
    try:
        text = msgspec.json.format(line, indent=-1).decode("utf-8")
    except msgspec.DecodeError:  # NaN and the like
        text = json_text.dumps(json_text.loads(line))
    return text, room


def _has_schema_error(text: str | None) -> bool | None:
    """True for a non-empty object, list or string; None where nothing was recorded."""
    if text is None or text[0] not in '{["':
        return None
    return len(text) > 2


def _step_rows(index: int, step: Step, extra_json: str | None) -> tuple[tuple, tuple]:
    call = step.call_statistic or _NO_CALL
    verification = _peek(_Verification, step.verification)
    structured = step.output_structured
    structured_json = text_of(structured)
    if structured_json is None:
        structured = step.structured
        structured_json = text_of(structured)
    schema_errors = text_of(step.schema_errors)
    chosen = None
    if step.action == "SELECT_PUZZLE":
        chosen = json_text.as_text(_peek(_Structured, structured).puzzle_id)
    light = (
        index,
        step.action,
        step.agent,
        step.puzzle_id,
        step.action_id,
        step.parent_action_id,
        step.call_index,
        step.attempt,
        step.clue_domain,
        step.clue_problem_id,
        step.confidence,
        call.duration,
        call.input_tokens,
        call.output_tokens,
        call.timed_out,
        call.superlong_reasoning,
        _has_schema_error(schema_errors),
        verification.status,
        verification.desc,
        verification.error_type,
        verification.fm_id,
        text_of(verification.answer),
        chosen,
    )
    heavy = (
        index,
        step.message if step.output_message is None else step.output_message,
        None if step.input is _NOTHING else plain_text_of(step.input),
        structured_json,
        schema_errors,
        text_of(step.verification),
        None if step.tool_execution is _NOTHING else text_of(step.tool_execution),
        None if step.injection is _NOTHING else text_of(step.injection),
        None if step.prompt_injection is _NOTHING else text_of(step.prompt_injection),
        extra_json,
    )
    return light, heavy


_NO_CALL = CallStatistic()


def _keep_doubled(steps: list[Step], aside: dict[str, Any]) -> None:
    """A step that has both the older and the newer key keeps the older one aside."""
    for index, step in enumerate(steps):
        if step.output_message is not None and step.message is not None:
            aside[f"/trace/{index}/message"] = step.message
        if step.structured is not _NOTHING and text_of(step.output_structured) is not None:
            _keep(aside, f"/trace/{index}/structured", step.structured)


def parse_trace(data: bytes, source_path: str, sha256: str, name: FileName) -> TraceRows:
    """One trace file as rows.

    `data` are the decompressed bytes, `sha256` their digest, `name` what the file's name says.
    Raises RejectedInput where the bytes are not a usable trace.
    """
    aside: dict[str, Any] = {}
    data = json_text.compacted(json_text.checked_utf8(data))
    trace: Trace = _decode(Trace, data, "", aside)
    _require_trace(trace, aside)
    room = _room_rows(bytes(trace.room), "/room")
    aside.update(room.aside)
    entries = trace.trace or []
    _keep_doubled(entries, aside)

    extras = _extras_of_steps(aside) if aside else {}
    steps, texts = [], []
    for index, step in enumerate(entries):
        light, heavy = _step_rows(index, step, extras.get(index))
        steps.append(light)
        texts.append(heavy)

    config = _peek(_Config, trace.config)
    llm, benchmark = config.llm or _Llm(), config.benchmark or _Benchmark()
    report = _peek(_FailureReport, trace.failure_report)
    temperature = json_text.as_real(llm.temperature)
    if temperature is not None and not 0 <= temperature <= _MAX_TEMPERATURE:
        temperature = None
    failures = report.schema_failures
    extra = {at: value for at, value in aside.items() if not at.startswith("/trace/")}
    room_row = (
        source_path,
        sha256,
        name.started_at,
        name.room_id,
        name.difficulty,
        json_text.as_real(name.temperature_text),
        name.escaped,
        json_text.as_text(llm.provider),
        json_text.as_text(llm.model),
        temperature,
        None if llm.temperature is None else json_text.dumps(llm.temperature),
        json_text.as_text(benchmark.clue_domain),
        json_text.as_flag(benchmark.unit_tools),
        room.room_id,
        room.difficulty,
        room.room_type,
        room.clue_domain,
        len(room.puzzles),
        len(steps),
        trace.escaped,
        trace.puzzles_solved,
        trace.puzzles_total,
        trace.timing_sec,
        _text_or_json(report.error),
        text_of(report.eval_results) if bytes(report.eval_results)[:1] == b"[" else None,
        len(failures) if isinstance(failures, list | dict) else None,
        text_of(trace.config),
        room.rest_json,
        text_of(trace.failure_report),
        json_text.dumps(extra) if extra else None,
    )
    return TraceRows(
        room_row,
        room.puzzles,
        room.distractors,
        steps,
        texts,
        dict(Counter(json_text.pretty_path(pointer) for pointer in aside)) if aside else {},
    )


def _extras_of_steps(aside: dict[str, Any]) -> dict[int, str]:
    """Step index -> `extra_json` of the values set aside below `/trace/<index>`."""
    extras: dict[int, dict[str, Any]] = {}
    for pointer, value in aside.items():
        if pointer.startswith("/trace/"):
            index, rest = pointer.removeprefix("/trace/").split("/", 1)
            extras.setdefault(int(index), {})["/" + rest] = value
    return {index: json_text.dumps(values) for index, values in extras.items()}


def _require_trace(trace: Trace, aside: dict[str, Any]) -> None:
    if "/trace" in aside:
        raise RejectedInput(Reason.BAD_TYPE, "`trace` is not a list.", "/trace")
    has_room = bytes(trace.room) not in (b"", b"null")
    has_trace = trace.trace is not UNSET or _peek(_FailureReport, trace.failure_report).error
    if not has_room and not has_trace:
        raise RejectedInput(
            Reason.NOT_A_TRACE, "The JSON has neither `room` nor `trace` of a MADBench trace."
        )
    if not has_room or not has_trace:
        missing = "trace" if has_room else "room"
        raise RejectedInput(Reason.MISSING_REQUIRED, f"`{missing}` is missing.", f"/{missing}")
