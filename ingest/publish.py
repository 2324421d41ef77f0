"""Copying the marts into the file people open, and swapping it in.

Called by the dbt Python model `published_tables`, which depends on every mart, so that dbt has
built and tested all of them before. It runs inside dbt's process, on dbt's own connection.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ingest.home import find_home

STORAGE_VERSION = "v1.2.0"  # what DuckDB 1.2 and later can read


class PublishedTable(NamedTuple):
    """A table of the published file."""

    table_name: str
    n_rows: int


def is_full_build(flags: Any) -> bool:
    """True for a `dbt build` of everything: no selection, no data test left out, real rows.

    `flags` are those of the dbt invocation (`dbt.flags.get_flags()`). Unit tests may be left out:
    they test the SQL on rows of their own, not the data.
    """
    narrowing = ("SELECT", "EXCLUDE", "SELECTOR", "RESOURCE_TYPES")
    left_out = {str(kind) for kind in getattr(flags, "EXCLUDE_RESOURCE_TYPES", None) or ()}
    return (
        flags.WHICH == "build"
        and not any(getattr(flags, name, None) for name in narrowing)
        and left_out <= {"unit_test"}
        and not getattr(flags, "EMPTY", False)
        and not getattr(flags, "SAMPLE", None)
    )


def publish(connection: Any, tables: list[str]) -> list[PublishedTable]:
    """Copy `tables` of the connection's main schema, with comments, and swap the copy in.

    A reader that holds the old file open keeps it. Whatever goes wrong before the swap leaves the
    old file in place.
    """
    target = find_home().published
    fresh = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    for leftover in target.parent.glob(f".{target.name}.*.tmp*"):
        leftover.unlink()
    copied = []
    try:
        with connection.cursor() as cursor:
            path = str(fresh).replace("'", "''")
            cursor.execute(f"attach '{path}' as fresh (storage_version '{STORAGE_VERSION}')")
            try:
                for name in sorted(tables):
                    copied.append(_copy(cursor, name))
            finally:
                cursor.execute("detach fresh")
        os.replace(fresh, target)
    finally:
        for leftover in target.parent.glob(f"{fresh.name}*"):  # on a full disk, say
            leftover.unlink()
    # what a reader that opened the old file for writing left behind must not meet the new one
    target.with_name(f"{target.name}.wal").unlink(missing_ok=True)
    return copied


def _copy(cursor: Any, name: str) -> PublishedTable:
    source = f"{_database(cursor)}.main.{_quoted(name)}"
    cursor.execute(f"create table fresh.main.{_quoted(name)} as select * from {source}")
    comments = cursor.execute(
        "select column_name, comment from duckdb_columns() "
        "where database_name = current_database() and schema_name = 'main' and table_name = ?",
        [name],
    ).fetchall()
    (table_comment,) = cursor.execute(
        "select comment from duckdb_tables() "
        "where database_name = current_database() and schema_name = 'main' and table_name = ?",
        [name],
    ).fetchone()
    cursor.execute(f"comment on table fresh.main.{_quoted(name)} is {_literal(table_comment)}")
    for column, comment in comments:
        cursor.execute(
            f"comment on column fresh.main.{_quoted(name)}.{_quoted(column)} is {_literal(comment)}"
        )
    (n_rows,) = cursor.execute(f"select count(*) from fresh.main.{_quoted(name)}").fetchone()
    return PublishedTable(name, n_rows)


def _database(cursor: Any) -> str:
    return _quoted(cursor.execute("select current_database()").fetchone()[0])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str | None) -> str:
    return "null" if text is None else "'" + text.replace("'", "''") + "'"
