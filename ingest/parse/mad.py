"""MAD's two files -> rows of the lake. Pure: bytes in, tuples out.

The human-labelled file is a JSON array; Python wrote it, so it may hold bare NaN:

    [{"round": "Round 1", "mas_name": "AG2", "benchmark_name": ..., "trace_id": 2, "trace": "...",
      "annotations": [{"failure mode": "1.1 Name\\n\\nWhat it means ...",
                       "annotator_1": true, "annotator_2": false, "annotator_3": NaN}, ...]}, ...]

The full file is one too, of 200 MB, with bodies of up to two million characters:

    [{"mas_name": "AG2", "llm_name": ..., "benchmark_name": ..., "trace_id": 0,
      "trace": {"key": "AG2_GSM_...", "index": 0, "trajectory": "..."},
      "mast_annotation": {"1.1": 1, "1.2": 0, ..., "3.3": null}}, ...]

The rules, each tested in `tests/ingest/test_mad.py`:

- a vote is true or false and a label 1 or 0, as JSON writes just these; anything else, a word, a
  true among the labels, null, NaN, a missing key, is unknown: null, and never a no. `vote_json` and
  `label_json` keep what stood there; only where nothing stood they are null too;
- every record has a row for each of the 14 codes, whatever its `mast_annotation` is; a code that is
  not one of the 14 has a row as well, with its value in `label_json` and no label, because nobody
  knows the mode it means;
- a mode belongs to the taxonomy of its record's round; a round that is not known here is a taxonomy
  of its own, under its own name;
- of two texts for one code of one taxonomy the first counts; the other is kept in the record's
  `extra_json` and counted with the unknown keys;
- a record that lacks what makes it one (its annotations, its trajectory, a code in the text of a
  mode) rejects the file, and `error_at` says which.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from ingest.errors import Reason, RejectedInput
from ingest.parse import json_text, tolerant
from ingest.parse.file_rows import FileRows
from ingest.similarity import longest_common_run, measure_pair, one_spaced

MAST_14 = "mast-14"
MAST_14_CODES = (
    *("1.1", "1.2", "1.3", "1.4", "1.5"),
    *("2.1", "2.2", "2.3", "2.4", "2.5", "2.6"),
    *("3.1", "3.2", "3.3"),
)
ROUND_TAXONOMIES = {
    "Round 1": "mad-round-1",
    "Round 2": "mad-round-2-3",
    "Round 3": "mad-round-2-3",
    "Generlazability": MAST_14,  # as the file spells it
}
ANNOTATORS = ("annotator_1", "annotator_2", "annotator_3")

_ANNOTATOR = re.compile(r"annotator_\d+")
_CODE = re.compile(r"(\d+(?:\.\d+)+)[.:]?(?:\s+(.*))?")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[][{},]', re.DOTALL)
_KEYS_OF = {  # kind -> keys that tell it, where the first record cannot be read whole
    "mad_full": re.compile(r'"(?:mast_annotation|trajectory)"\s*:'),
    "mad_human": re.compile(r'"(?:annotations|failure mode)"\s*:'),
}
_LABELS = {b"1": True, b"0": False}
_NOTHING = Raw()
_BODY_SHA256 = 8  # where a row of mad_full_records has it


class _Strict(Struct, forbid_unknown_fields=True, gc=False):
    pass


class FullTrace(_Strict):
    """The trace of a record of the full file."""

    trajectory: str
    key: str | None = None
    index: str | int | None = None


class FullRecord(_Strict):
    """A record of the full file."""

    trace: FullTrace
    mas_name: str | None = None
    llm_name: str | None = None
    benchmark_name: str | None = None
    trace_id: str | int | None = None
    mast_annotation: Raw = _NOTHING


class HumanRecord(_Strict):
    """A record of the human-labelled file; its `annotations` are looked into by hand."""

    round: str
    annotations: Any
    mas_name: str | None = None
    benchmark_name: str | None = None
    trace_id: str | None = None
    trace: str | None = None


class _Mode(NamedTuple):
    code: str
    name: str | None
    description: str | None


_ARRAY = msgspec.json.Decoder(list[Raw])
_FULL_RECORD = msgspec.json.Decoder(FullRecord)
_OBJECT = msgspec.json.Decoder(dict[str, Raw])


# Which file it is


def kind_of_head(head: bytes, *, is_whole: bool) -> str | None:
    """The kind of a file that begins with `head`: `mad_human`, `mad_full`, or "" for neither.

    None asks for more: the first record does not end in `head`. The record's own keys decide, not
    the file's name; a record that is cut or broken is told by keys that stand in it anyway.
    """
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not text.startswith("[") and (text or is_whole):
        return ""
    record = text[1:].lstrip(" \t\r\n")
    if not record.startswith("{") and (record or is_whole):
        return ""
    try:
        found, _ = json.JSONDecoder().raw_decode(record)
    except (ValueError, RecursionError):
        if not is_whole:
            return None
        return next((kind for kind, keys in _KEYS_OF.items() if keys.search(record)), "")
    trace = found.get("trace")
    if "mast_annotation" in found or (isinstance(trace, dict) and "trajectory" in trace):
        return "mad_full"
    return "mad_human" if "annotations" in found else ""


# The records of an array


def _records(data: bytes) -> Iterator[Raw | memoryview]:
    """The JSON of each element of the array that `data` is.

    Raises RejectedInput (`truncated`, `not_json`, `not_a_mad_file`) where it is none.
    """
    try:
        return iter(_ARRAY.decode(data))
    except (msgspec.DecodeError, RecursionError):
        return _scanned(data)  # NaN and the like, or really broken


def _scanned(data: bytes) -> Iterator[memoryview]:
    """The elements of an array found by its brackets and commas alone; nothing is copied."""
    view = memoryview(data)
    depth = start = end = 0
    is_first = True
    for token in _TOKEN.finditer(data):
        at = token.start()
        mark = data[at : at + 1]
        if is_first and (mark != b"[" or data[:at].strip()):
            break
        is_first = False
        if mark in (b"[", b"{"):
            depth += 1
            start = at + 1 if depth == 1 else start
        elif mark in (b"]", b"}"):
            depth -= 1
        if depth == 0 or (depth == 1 and mark == b","):
            is_only = depth == 0 and data[start - 1 : start] == b"["
            if not is_only or data[start:at].strip():  # else the array is empty
                yield view[start:at]
            start = end = at + 1
        if depth == 0:
            if mark == b"}":
                raise RejectedInput(
                    Reason.NOT_JSON,
                    "This is not JSON: the array is closed by a brace.",
                    f"byte {at}",
                )
            break
    if is_first:
        raise RejectedInput(Reason.NOT_A_MAD_FILE, "The JSON is not an array of records.")
    if depth:
        line = data.count(b"\n") + 1
        column = len(data) - data.rfind(b"\n")
        raise RejectedInput(
            Reason.TRUNCATED,
            "The JSON ends before it is complete.",
            f"line {line}, column {column}",
        )
    if data[end:].strip():
        raise RejectedInput(
            Reason.NOT_JSON, "This is not JSON: something follows the array.", f"byte {end}"
        )


def _tolerant_value(element: bytes, at: str) -> dict[str, Any]:
    try:
        value = json_text.loads(element)
    except RejectedInput as error:
        code = Reason.NOT_JSON if error.code == Reason.TRUNCATED else error.code
        raise RejectedInput(code, f"A record cannot be read: {error.message}", at) from None
    if not isinstance(value, dict):
        raise RejectedInput(
            Reason.BAD_TYPE, f"A record is {json_text.dumps(value)[:40]}, not an object.", at
        )
    return value


def _extra_json(aside: dict[str, Any], at: str) -> str | None:
    """What was set aside below a record's pointer, by the pointer from there."""
    if not aside:
        return None
    return json_text.dumps({key.removeprefix(at): value for key, value in aside.items()})


def body_row(record_index: int, body: str, body_sha256: str) -> tuple:
    """A row of `trace_bodies`."""
    n_bytes = len(body) if body.isascii() else len(body.encode("utf-8"))
    return record_index, len(body), n_bytes, body_sha256, body


def _counted(aside: dict[str, Any]) -> Counter[str]:
    return Counter(json_text.pretty_path(pointer) for pointer in aside)


# The human-labelled file


def mode_of(text: str) -> _Mode | None:
    """A mode's text: code and name on its first line, then what it means; None without a code."""
    first, *rest = _LINE_BREAK.split(text.strip(), 1)
    found = _CODE.fullmatch(first)
    if found is None:
        return None
    return _Mode(found[1], one_spaced(found[2] or "") or None, one_spaced("".join(rest)) or None)


def parse_human(data: bytes) -> FileRows:
    """The human-labelled file as rows.

    Raises RejectedInput where the bytes are not such a file, or one of its records is broken.
    """
    records, votes, bodies = [], [], []
    modes: dict[str, dict[str, tuple[str, _Mode]]] = {}  # taxonomy -> code -> (text, mode)
    n_records: Counter[tuple[str, str]] = Counter()
    n_aside: Counter[str] = Counter()
    for index, element in enumerate(_records(json_text.checked_utf8(data))):
        at = f"/{index}"
        aside: dict[str, Any] = {}
        value = _tolerant_value(bytes(element), at)
        record: HumanRecord = tolerant.fill(HumanRecord, value, at, aside)
        block = _block(record.annotations, f"{at}/annotations", aside)
        taxonomy = ROUND_TAXONOMIES.get(record.round, record.round)
        known = modes.setdefault(taxonomy, {})
        for mode_index, (text, mode, given) in enumerate(block):
            first_text, _ = known.setdefault(mode.code, (text, mode))
            if text != first_text:
                aside[f"{at}/annotations/{mode_index}/failure mode"] = text
            for annotator, (vote, vote_json) in given.items():
                votes.append((index, mode_index, mode.code, mode.name, annotator, vote, vote_json))
        n_records.update((taxonomy, code) for code in {mode.code for _, mode, _ in block})
        body_sha256 = None
        if record.trace is not None:
            body_sha256 = json_text.text_sha256(record.trace)
            bodies.append(body_row(index, record.trace, body_sha256))
        records.append(
            (
                index,
                record.round,
                taxonomy,
                record.mas_name,
                record.benchmark_name,
                record.trace_id,
                len(block),
                _block_sha256(block),
                body_sha256,
                _extra_json(aside, at),
            )
        )
        n_aside += _counted(aside)
    return FileRows(
        {
            "mad_human_records": records,
            "mad_human_annotations": votes,
            "taxonomy_modes": [
                (taxonomy, number, *mode, n_records[taxonomy, mode.code])
                for taxonomy, known in modes.items()
                for number, (_, mode) in enumerate(known.values())
            ],
            "mode_overlaps": _overlaps(
                {name: [mode for _, mode in known.values()] for name, known in modes.items()}
            ),
        },
        dict(n_aside),
        bodies,
    )


_Votes = dict[str, tuple[bool | None, str | None]]  # annotator -> (vote, what stood there)


def _block(annotations: Any, at: str, aside: dict[str, Any]) -> list[tuple[str, _Mode, _Votes]]:
    """Each annotation of a record: the mode's text, the mode, and the votes on it."""
    if not isinstance(annotations, list):
        raise RejectedInput(Reason.BAD_TYPE, "`annotations` is not a list.", at)
    block = []
    for number, entry in enumerate(annotations):
        place = f"{at}/{number}"
        if not isinstance(entry, dict):
            raise RejectedInput(Reason.BAD_TYPE, "An annotation is not an object.", place)
        text = entry.get("failure mode")
        mode = mode_of(json_text.clean_text(text)) if isinstance(text, str) else None
        if mode is None:
            missing = text is None
            raise RejectedInput(
                Reason.MISSING_REQUIRED if missing else Reason.BAD_TYPE,
                "`failure mode` is missing."
                if missing
                else "`failure mode` does not begin with a code such as 1.1.",
                f"{place}/failure mode",
            )
        for key, value in entry.items():
            if key != "failure mode" and not _ANNOTATOR.fullmatch(key):
                aside[f"{place}/{tolerant.escaped(key)}"] = value
        names = {*ANNOTATORS, *(key for key in entry if _ANNOTATOR.fullmatch(key))}
        votes = {name: _vote(entry, name) for name in sorted(names)}
        block.append((json_text.clean_text(text), mode, votes))
    return block


def _vote(entry: dict[str, Any], annotator: str) -> tuple[bool | None, str | None]:
    if annotator not in entry:
        return None, None
    value = entry[annotator]
    return value if isinstance(value, bool) else None, json_text.dumps(value)


def _block_sha256(block: list[tuple[str, _Mode, _Votes]]) -> str:
    """Digest of the mode texts and votes, in order: equal for equal blocks."""
    return json_text.text_sha256(
        json_text.dumps(
            [
                [text, [[name, vote] for name, (vote, _) in votes.items()]]
                for text, _, votes in block
            ]
        )
    )


def _overlaps(modes: dict[str, list[_Mode]]) -> list[tuple]:
    """Every mode of MAST-14 against every mode of the file's other taxonomies."""
    return [
        (
            MAST_14,
            mode.code,
            name,
            other.code,
            longest_common_run(mode.description, other.description)
            if mode.description is not None and other.description is not None
            else None,
        )
        for name, others in modes.items()
        if name != MAST_14
        for mode in modes.get(MAST_14, [])
        for other in others
    ]


# The full file


def parse_full(data: bytes) -> FileRows:
    """The full file as rows; the bodies are decoded once to be checked and once to be written.

    Raises RejectedInput where the bytes are not such a file, or one of its records is broken.
    """
    records, labels = [], []
    elements: list[Raw | memoryview] = []
    n_aside: Counter[str] = Counter()
    for index, element in enumerate(_records(json_text.checked_utf8(data))):
        at = f"/{index}"
        aside: dict[str, Any] = {}
        record = _full_record(element, at, aside)
        labels += [(index, *label) for label in _labels(record.mast_annotation)]
        records.append(
            (
                index,
                record.mas_name,
                record.llm_name,
                record.benchmark_name,
                _id_text(record.trace_id),
                record.trace.key,
                _id_text(record.trace.index),
                _compact_text(record.mast_annotation),
                json_text.text_sha256(record.trace.trajectory),
                _extra_json(aside, at),
            )
        )
        elements.append(element)
        if aside:
            n_aside += _counted(aside)
    return FileRows(
        {
            "mad_full_records": records,
            "mad_full_annotations": labels,
            "record_pairs": measured_pairs(records, elements),
        },
        dict(n_aside),
        (
            body_row(index, _body(element), record[_BODY_SHA256])
            for index, (record, element) in enumerate(zip(records, elements, strict=True))
        ),
    )


def _full_record(element: Raw | memoryview, at: str, aside: dict[str, Any]) -> FullRecord:
    try:
        return _FULL_RECORD.decode(element)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return tolerant.fill(FullRecord, _tolerant_value(bytes(element), at), at, aside)


def _body(element: Raw | memoryview) -> str:
    return _full_record(element, "", {}).trace.trajectory


def _id_text(value: str | int | None) -> str | None:
    return None if value is None else str(value)


def _compact_text(raw: Raw) -> str | None:
    """What stood there, as compact JSON, also where that is null; None where nothing stood."""
    return json_text.compacted(bytes(raw)).decode("utf-8") if bytes(raw) else None


def _labels(raw: Raw) -> Iterator[tuple[str, bool | None, str | None]]:
    """(code, label, what stood there) of the 14 codes, then of any other key."""
    given: dict[str, Raw] = _OBJECT.decode(raw) if bytes(raw)[:1] == b"{" else {}
    for code in MAST_14_CODES:
        value = given.pop(code, _NOTHING)
        yield code, _LABELS.get(bytes(value)), _compact_text(value)
    for key, value in given.items():
        yield key, None, _compact_text(value)


def measured_pairs(records: list[tuple], elements: list[Raw | memoryview]) -> list[tuple]:
    """Rows of `record_pairs`: any two records of one (mas_name, llm_name, trace_id), measured.

    `records` are rows of `mad_full_records`, `elements` the JSON of the same records. A key with a
    part that was not recorded collides with none.
    """
    colliding: dict[tuple, list[int]] = {}
    for index, mas_name, llm_name, _, trace_id, *_ in records:
        key = (mas_name, llm_name, trace_id)
        if None not in key:
            colliding.setdefault(key, []).append(index)
    return [
        (first, second, *measure_pair(_body(elements[first]), _body(elements[second])))
        for group in colliding.values()
        for first, second in itertools.combinations(group, 2)
    ]
