"""Reading what changed: the files of a run, or the room files of a data set, to lake rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import msgspec

from ingest import read
from ingest.errors import Reason, RejectedInput
from ingest.lake import SourceRow
from ingest.parse import json_text, madbench, names
from ingest.plan import RunTask
from ingest.read import InputFile
from ingest.write import RunWriter


class RunResult(NamedTuple):
    """A run as built: its files written aside (none if no trace loaded) and its source rows."""

    dataset: str
    run_id: str
    written: dict[str, Path]
    sources: list[SourceRow]


class Definitions(NamedTuple):
    """A data set's room files as read."""

    rooms: list[tuple]  # of room_definitions
    puzzles: list[tuple]  # of puzzle_definitions
    sources: list[SourceRow]


def build_run(task: RunTask) -> RunResult:
    """Read every file of a run and write its rows aside. Runs in a worker process."""
    name = names.run_name(task.folders, is_flat=task.is_flat)
    writer = RunWriter(task.incoming, task.dataset, task.run_id)
    sources: list[SourceRow] = []
    stems: dict[str, str] = {}
    n_traces = 0
    for file in task.files:
        sha = None
        try:
            data = read.read_bytes(file.location)
            sha = read.sha256_of(data)
            stem = read.stem_of(file.path)
            rows = madbench.parse_trace(data, file.path, sha, names.file_name(stem))
            if stem in stems:
                raise RejectedInput(
                    Reason.DUPLICATE_TRACE, f"{stems[stem]} in the same run has the same name."
                )
        except RejectedInput as error:
            sources.append(SourceRow.rejected(file, "trace", error, sha256=sha, run_id=task.run_id))
            continue
        stems[stem] = file.path
        n_traces += 1
        writer.add_trace(
            f"{task.run_id}/{stem}",
            {
                "rooms": [rows.room],
                "puzzles": rows.puzzles,
                "distractors": rows.distractors,
                "steps": rows.steps,
                "step_texts": rows.step_texts,
            },
            len(data),
        )
        sources.append(
            SourceRow.of(
                file,
                "trace",
                "loaded",
                sha256=sha,
                run_id=task.run_id,
                n_rooms=1,
                n_puzzles=len(rows.puzzles),
                n_steps=len(rows.steps),
                unknown_keys_json=json.dumps(rows.set_aside) if rows.set_aside else None,
            )
        )
    if not n_traces:
        return RunResult(task.dataset, task.run_id, {}, sources)
    run = (
        task.run_path,
        name.started_at,
        name.model,
        name.temperature,
        name.clue_domain,
        name.unit_tools,
        name.injection_mode,
        name.is_nightmare,
        name.seed,
        n_traces,
    )
    return RunResult(task.dataset, task.run_id, writer.close(run), sources)


def build_definitions(files: list[InputFile]) -> Definitions:
    """Read the room files of a data set."""
    definitions: list[tuple] = []
    puzzles: list[tuple] = []
    sources: list[SourceRow] = []
    for file in sorted(files):
        sha = None
        rooms: list[tuple[int, str, madbench.RoomRows]] = []
        try:
            data = read.read_bytes(file.location)
            sha = read.sha256_of(data)
            for number, line in enumerate(json_text.checked_utf8(data).splitlines(), 1):
                if line.strip():
                    rooms.append((number, *_parse_line(line, number)))
        except RejectedInput as error:
            sources.append(SourceRow.rejected(file, "rooms", error, sha256=sha))
            continue
        set_aside: dict[str, int] = {}
        for number, text, room in rooms:
            definitions.append(
                (
                    file.path,
                    number,
                    room.room_id,
                    room.difficulty,
                    room.room_type,
                    room.clue_domain,
                    len(room.puzzles),
                    read.sha256_of(text.encode("utf-8")),
                    text,
                )
            )
            puzzles += [(file.path, number, *puzzle) for puzzle in room.puzzles]
            for pointer in room.aside:
                path = json_text.pretty_path(pointer)
                set_aside[path] = set_aside.get(path, 0) + 1
        sources.append(
            SourceRow.of(
                file,
                "rooms",
                "loaded",
                sha256=sha,
                n_rooms=len(rooms),
                n_puzzles=sum(len(room.puzzles) for _, _, room in rooms),
                unknown_keys_json=json.dumps(set_aside) if set_aside else None,
            )
        )
    return Definitions(definitions, puzzles, sources)


def _parse_line(line: bytes, number: int) -> tuple[str, madbench.RoomRows]:
    try:
        room = madbench.parse_room(line)
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
