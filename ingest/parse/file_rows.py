"""What a parser gives for a file that no run owns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class FileRows(NamedTuple):
    """A file as rows: tuples in the order of each table's columns after `source_path`.

    `bodies` are rows of `trace_bodies`, to be taken once: long texts are made when they are
    written. Nothing of them can be refused any more.
    """

    tables: dict[str, list[tuple]]
    set_aside: dict[str, int]  # key path -> how many values have no column
    bodies: Iterable[tuple] = ()
    n_rooms: int | None = None
    n_puzzles: int | None = None
