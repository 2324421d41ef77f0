"""What the names of files and folders say, where a trace leaves it open.

Run folders are named `run_<date>_<time>_[<domain>_<tool|no_tool>_][FM-x.y_]<model>_<temperature>`
`[_nightmare][_seed<n>]`, at any depth. Trace files are named
`<timestamp>_<word>_<room>_<escaped|failed>`, and in flat folders (named after the model)
`<timestamp>_<word>_<room>_<difficulty>_temp_<t>_<escaped|failed>`.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

_RUN = re.compile(
    r"run_(?P<date>\d{8})_(?P<time>\d{6})_"
    r"(?:(?P<domain>.+?)_(?P<tools>no_tool|tool)_)?"
    r"(?:(?P<injection>FM-\d+\.\d+)_)?"
    r"(?P<model>.+)_(?P<temperature>\d+(?:\.\d+)?)"
    r"(?P<nightmare>_nightmare)?(?:_seed(?P<seed>\d{1,18}))?"
)
_STARTED = re.compile(r"(\d{8})[_-]?(\d{6})(?!\d)")
_ROOM = re.compile(r"(room_\d+)(?:_([A-Za-z]+)_temp_(\d+(?:\.\d+)?))?(?=_|$)")
_OUTCOME = re.compile(r"_(escaped|failed)$")


class RunName(NamedTuple):
    """What a run folder's name says; None where it says nothing."""

    started_at: datetime | None = None
    model: str | None = None
    temperature: float | None = None
    clue_domain: str | None = None
    unit_tools: bool | None = None
    injection_mode: str | None = None
    is_nightmare: bool | None = None
    seed: int | None = None


class FileName(NamedTuple):
    """What a trace file's name says; `temperature_text` is as written, as run ids need it."""

    started_at: datetime | None = None
    room_id: str | None = None
    difficulty: str | None = None
    temperature_text: str | None = None
    escaped: bool | None = None


def _time(date: str, clock: str) -> datetime | None:
    try:
        return datetime(
            int(date[:4]),
            int(date[4:6]),
            int(date[6:]),
            int(clock[:2]),
            int(clock[2:4]),
            int(clock[4:]),
        )
    except ValueError:
        return None


def run_name(folders: list[str], *, is_flat: bool = False) -> RunName:
    """Read the innermost folder name that follows the pattern of a run.

    `folders` are the names from the root inwards, the root's own first. In a flat folder (files
    that carry a temperature) the innermost folder is named after the model.
    """
    for folder in reversed(folders):
        found = _RUN.fullmatch(folder)
        if found:
            return RunName(
                _time(found["date"], found["time"]),
                found["model"],
                float(found["temperature"]),
                found["domain"],
                None if found["tools"] is None else found["tools"] == "tool",
                found["injection"],
                found["nightmare"] is not None,
                None if found["seed"] is None else int(found["seed"]),
            )
    return RunName(model=folders[-1]) if is_flat and folders else RunName()


def file_name(stem: str) -> FileName:
    """Read the parts of a trace file's name (without its ending)."""
    started = _STARTED.match(stem)
    room = _ROOM.search(stem)
    outcome = _OUTCOME.search(stem)
    return FileName(
        _time(*started.groups()) if started else None,
        room[1] if room else None,
        room[2].lower() if room and room[2] else None,
        room[3] if room else None,
        outcome[1] == "escaped" if outcome else None,
    )
