"""What a reader program tells of the file, in one shape for every client; standard library only.

A reader opens the file once, prints a line that says what it is, then answers each line of its
input with one line: table -> comment, n_rows and columns; column -> type, comment, n_values (that
are not NULL), sha256 of the values in order, and min and max of a time.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Any

Query = Callable[[str], Sequence[Sequence[Any]]]


def serve(version: str, read: Callable[[], dict[str, Any]]) -> None:
    """Say which version reads, in which time zone; then read everything at each line of input."""
    _say({"version": version, "utc_offset": time.strftime("%z")})
    for _ in sys.stdin:
        _say(read())


def read_with_sql(query: Query) -> dict[str, Any]:
    """Facts of every table, for a client that is spoken to in SQL."""
    listed = query("select table_name from information_schema.tables where table_schema = 'main'")
    described = dict(query("select table_name, comment from duckdb_tables() where not internal"))
    columns = query(
        "select table_name, column_name, data_type, comment from duckdb_columns() "
        "where not internal order by table_name, column_index"
    )
    return {
        table: table_facts(
            described[table],
            [column[1:] for column in columns if column[0] == table],
            query(f'select * from "{table}"'),
        )
        for (table,) in listed
    }


def table_facts(
    comment: str | None,
    columns: Sequence[tuple[str, str, str | None]],
    rows: Sequence[Sequence[Any]],
) -> dict[str, Any]:
    """Facts of one table, from its columns (name, type, comment) and every row of it."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return {
        "comment": comment,
        "n_rows": len(rows),
        "columns": {
            name: {"type": kind, "comment": about} | _value_facts(column)
            for (name, kind, about), column in zip(columns, values, strict=True)
        },
    }


def _value_facts(values: Iterable[Any]) -> dict[str, Any]:
    known = [value for value in values if value is not None]
    facts = {
        "n_values": len(known),
        "sha256": digest(None if value is None else text(value) for value in values),
    }
    if known and isinstance(known[0], date):  # a datetime is one, too
        facts |= {"min": text(min(known)), "max": text(max(known))}
    return facts


def digest(texts: Iterable[str | None]) -> str:
    """SHA-256 of texts in their order: each as `<bytes>:<text>`, NULL as `-`."""
    hashed = hashlib.sha256()
    for value in texts:
        encoded = b"" if value is None else value.encode("utf-8")
        hashed.update(b"-" if value is None else b"%d:%s" % (len(encoded), encoded))
    return hashed.hexdigest()


def text(value: Any) -> str:
    """A value as every reader writes it, without loss."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.16e}"
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    return str(value)


def _say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)
