"""Fill a msgspec struct from a decoded document that does not quite fit it.

The strict decoder is fast and refuses a document with an unknown key or an odd type. Such a
document comes here: every declared field is cast by the rules of `json_text`, and whatever has no
field, or no usable value, is set aside under its JSON pointer. Nothing is lost.
"""

from __future__ import annotations

import functools
import types
import typing
from typing import Any

import msgspec

from ingest.errors import Reason, RejectedInput
from ingest.parse import json_text

_CASTS = {
    str: json_text.as_text,
    float: json_text.as_real,
    int: json_text.as_whole,
    bool: json_text.as_flag,
}


class _Field(typing.NamedTuple):
    name: str
    kind: Any  # str, float, int, bool, Raw, Any, a Struct class, or list of a Struct class
    item: type | None
    limit: int
    is_required: bool
    can_be_null: bool  # where null says something else than a missing key


@functools.cache
def _fields(cls: type[msgspec.Struct]) -> tuple[_Field, ...]:
    found = []
    hints = typing.get_type_hints(cls, include_extras=True)
    for field in msgspec.structs.fields(cls):
        kind = hints[field.name]
        can_be_null = field.default is msgspec.UNSET
        if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
            kind = next(arm for arm in typing.get_args(kind) if arm is not type(None))
        limit = json_text.INT64_MAX
        if typing.get_origin(kind) is typing.Annotated:
            kind, meta = typing.get_args(kind)
            limit = meta.le
        item = None
        if typing.get_origin(kind) is list:
            (item,) = typing.get_args(kind)
            kind = list
        found.append(_Field(field.name, kind, item, limit, field.required, can_be_null))
    return tuple(found)


def fill(cls: type[msgspec.Struct], value: Any, pointer: str, aside: dict[str, Any]) -> Any:
    """Return an instance of `cls` built from the dict `value`, which stands at `pointer`.

    `aside` receives pointer -> value for keys the struct does not know and values it cannot hold.
    Raises RejectedInput (`missing_required`, `bad_type`) for a required field, or a list entry,
    that is missing or of the wrong type.
    """
    known = {}
    fields = _fields(cls)
    names = {field.name for field in fields}
    for key, item in value.items():
        if key not in names:
            aside[f"{pointer}/{escaped(key)}"] = item
    for field in fields:
        at = f"{pointer}/{field.name}"
        given = value.get(field.name)
        if given is None:
            if field.is_required:
                raise RejectedInput(
                    Reason.MISSING_REQUIRED, f"`{field.name}` is missing.", at
                ) from None
            if field.name in value and field.can_be_null:
                known[field.name] = None
            continue
        cast = _cast(field, given, at, aside)
        if cast is not None:
            known[field.name] = cast
        elif field.is_required:
            raise RejectedInput(
                Reason.BAD_TYPE,
                f"`{field.name}` is {json_text.dumps(given)[:40]}, which cannot be used.",
                at,
            )
        else:
            aside[at] = given
    return cls(**known)


def _cast(field: _Field, given: Any, at: str, aside: dict[str, Any]) -> Any:
    if field.kind is msgspec.Raw:
        return msgspec.Raw(json_text.dumps(given).encode("utf-8"))
    if field.kind is int:
        return json_text.as_whole(given, field.limit)
    if field.kind in _CASTS:
        return _CASTS[field.kind](given)
    if field.kind is list:
        if not isinstance(given, list):
            return None
        return [_entry(field.item, entry, f"{at}/{n}", aside) for n, entry in enumerate(given)]
    if field.kind is Any:
        return given
    return fill(field.kind, given, at, aside) if isinstance(given, dict) else None


def _entry(cls: type, entry: Any, at: str, aside: dict[str, Any]) -> Any:
    if not isinstance(entry, dict):
        raise RejectedInput(
            Reason.BAD_TYPE, f"A list entry is {json_text.dumps(entry)[:40]}, not an object.", at
        )
    return fill(cls, entry, at, aside)


def escaped(key: str) -> str:
    """A key as a part of a JSON pointer."""
    return json_text.clean_text(key).replace("~", "~0").replace("/", "~1")
