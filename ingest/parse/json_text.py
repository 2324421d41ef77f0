"""JSON as upstream really writes it: bytes to text, text to values, values to lake columns.

The rules, each tested in `tests/ingest/test_json_text.py`:

- a UTF-8 byte-order mark is dropped; anything else that is not UTF-8 is rejected;
- `NaN`, `Infinity` and `-Infinity` (Python writes them bare) are not numbers: a number column gets
  null, and raw JSON columns keep them as strings, because the bare words are not JSON;
- a lone surrogate (`"\\ud800"`) cannot be stored as UTF-8: it becomes U+FFFD;
- whole numbers are exact at any size in raw JSON and text; a BIGINT column that cannot hold one
  gets null, and the value is kept in `extra_json`;
- a flag may be written true/false, 0/1, "yes"/"no" or "true"/"false"; other values are null, kept;
- a number may be written as text ("0.7"); an id may be written as a number (it stays its digits).
"""

from __future__ import annotations

import codecs
import hashlib
import json
import math
import re
from typing import Any

import msgspec

from ingest.errors import Reason, RejectedInput

_BOM = b"\xef\xbb\xbf"
_PIECE = 1 << 20
_SURROGATE = re.compile("[\ud800-\udfff]")
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
INT64_MAX = 2**63 - 1
INT32_MAX = 2**31 - 1


def checked_utf8(data: bytes) -> bytes:
    """Return the bytes without a byte-order mark.

    Raises RejectedInput (`empty_file`, `not_utf8`) for bytes that hold no text.
    """
    data = data.removeprefix(_BOM)
    if not data or data.isspace():
        raise RejectedInput(Reason.EMPTY_FILE, "The file holds no text.")
    if not data.isascii():
        _check_utf8(data)
    return data


def _check_utf8(data: bytes) -> None:
    """Decode piece by piece and keep nothing: the text of a large file is never held."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _PIECE):
        n_waiting = len(decoder.getstate()[0])  # bytes of a character that began in the last piece
        end = start + _PIECE
        try:
            decoder.decode(data[start:end], final=end >= len(data))
        except UnicodeDecodeError as error:
            place = start - n_waiting + error.start
            raise RejectedInput(
                Reason.NOT_UTF8,
                f"The file is not UTF-8: byte 0x{data[place]:02x} is out of place.",
                f"byte {place}",
            ) from None


def loads(data: bytes) -> Any:
    """Decode any JSON that Python's own writer may have produced, NaN and all.

    Raises RejectedInput (`truncated`, `not_json`, `too_deep`) where there is no JSON value.
    """
    text = data.decode("utf-8")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        place = f"line {error.lineno}, column {error.colno}"
        if is_cut:
            raise RejectedInput(
                Reason.TRUNCATED, f"The JSON ends before it is complete ({error.msg}).", place
            ) from None
        raise RejectedInput(Reason.NOT_JSON, f"This is not JSON: {error.msg}.", place) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:  # a whole number of more than 4,300 digits
        raise RejectedInput(Reason.NOT_JSON, f"This is not usable JSON: {error}.") from None


def _too_deep() -> RejectedInput:
    return RejectedInput(Reason.TOO_DEEP, "The JSON is nested too deeply to read.")


def clean_text(value: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot hold, by U+FFFD."""
    return value if value.isascii() else _SURROGATE.sub("\ufffd", value)


def _storable(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key): _storable(item) for key, item in value.items()}
    return value


def dumps(value: Any) -> str:
    """Write a value as compact JSON that every engine can read again.

    Raises RejectedInput (`too_deep`) for a value that could just be read.
    """
    try:
        return json.dumps(_storable(value), ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise _too_deep() from None


def compacted(data: bytes) -> bytes:
    """JSON without white space between its tokens, which stay as written; else the bytes given."""
    try:
        return msgspec.json.format(data, indent=-1)
    except (msgspec.DecodeError, RecursionError):
        return data  # not JSON, or with NaN and the like: for the tolerant way to tell


def text_of(raw: msgspec.Raw) -> str | None:
    """Return raw JSON as text; null or nothing recorded is None."""
    data = bytes(raw)
    return None if not data or data == b"null" else data.decode("utf-8")


def plain_text_of(raw: msgspec.Raw) -> str | None:
    """Return a raw JSON string as its text, and any other value as its JSON: the form of ids."""
    text = text_of(raw)
    return msgspec.json.decode(text) if text and text[0] == '"' else text


def number_of(raw: msgspec.Raw) -> float | None:
    """Return raw JSON as a finite number, or None where it is none (or is text like "07:14:08")."""
    data = bytes(raw)
    if not data or data[:1] not in b'-0123456789"':
        return None
    return as_real(data.strip(b'"').decode("utf-8"))


def as_text(value: Any) -> str | None:
    """Text as it is; a whole number as its digits; anything else is not text."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


def as_real(value: Any) -> float | None:
    """A finite number, also one written as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and "_" in value:  # Python's float() would read 1_000
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def as_whole(value: Any, limit: int = INT64_MAX) -> int | None:
    """A whole number within `limit`, also written as 3.0 or "3"."""
    is_written = isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,19}\s*", value)
    if is_written or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if -limit - 1 <= value <= limit else None


def as_flag(value: Any) -> bool | None:
    """True or false, also written 0 / 1 or "no" / "yes"; anything else is not recorded."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return {0: False, 1: True}.get(value)
    if isinstance(value, str):
        return _FLAGS.get(value.strip().lower())
    return None


def text_sha256(text: str) -> str:
    """Hex digest of a text as UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def pretty_path(pointer: str) -> str:
    """Turn a JSON pointer into a key path: `/trace/3/foo` -> `trace[].foo`."""
    path = ""
    for part in pointer.split("/")[1:]:
        if part.isdigit():
            path += "[]"
        else:
            part = part.replace("~1", "/").replace("~0", "~")
            path += f".{part}" if path else part
    return path
