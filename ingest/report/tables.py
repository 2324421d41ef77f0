"""The tables of the report: one query each, in `queries/`, run on the published file.

A query's file begins with comments: its title on the first line, then what a row is. The page
shows the query itself too, so that every number can be asked for again in the DuckDB shell.
"""

from __future__ import annotations

import itertools
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from ingest.errors import MadwError, UsageError
from ingest.home import Home

QUERIES = Path(__file__).parent / "queries"
_RATE = re.compile(r"(^|_)rate(_|$)|^ci_(low|high)$|_agreement$")  # 0..1, shown as a percent
_NUMBER = re.compile(r"(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|DOUBLE$|DECIMAL")
_FACTS = {"built_at", "madw_version", "dbt_version", "duckdb_version"}  # that the page names
_SHORT = 32  # characters of text that stay on one line
_LONGEST = 600  # characters of one cell; a longer text is cut, and says so


class Column(NamedTuple):
    """A column of a table.

    `comment` is its description in the published file, None where the query makes the column;
    `kind` is `number`, `short` (text that is best kept on one line) or `long`.
    """

    name: str
    comment: str | None
    kind: str


class Table(NamedTuple):
    """The result of one query, as DuckDB gave it."""

    name: str
    title: str
    note: str
    sql: str
    columns: list[Column]
    rows: list[tuple[Any, ...]]

    def records(self) -> list[dict[str, Any]]:
        """The rows as dicts by column name, decimals as floats: what a chart takes."""
        names = [column.name for column in self.columns]
        return [
            {
                name: float(value) if isinstance(value, Decimal) else value
                for name, value in zip(names, row, strict=True)
            }
            for row in self.rows
        ]


def read_tables(home: Home) -> dict[str, Table]:
    """Every query's result, by the name of its file.

    Raises UsageError where no file is published, MadwError where it cannot be read.
    """
    if not home.published.is_file():
        raise UsageError(f"There is no {home.published}: run `madw build` first.")
    try:
        with duckdb.connect(str(home.published), read_only=True) as connection:
            tables = {path.stem: _read(connection, path) for path in sorted(QUERIES.glob("*.sql"))}
    except (duckdb.CatalogException, duckdb.BinderException):
        raise MadwError(
            f"Another version wrote {home.published}: run `madw build` again for its report."
        ) from None
    except duckdb.Error as error:
        raise MadwError(f"{home.published} cannot be read: {str(error).splitlines()[0]}") from None
    if missing := _FACTS - {row["fact"] for row in tables["about"].records()}:
        lacking = ", ".join(sorted(missing))
        raise MadwError(f"Another version wrote {home.published}: its `about` lacks {lacking}.")
    return tables


def shown(value: Any, column: Column) -> str:
    """A value as a person reads it; NULL is a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float) and _RATE.search(column.name):
        return f"{100 * value:.1f} %"
    if isinstance(value, float) and column.name == "kappa":
        return f"{value:+.2f}"
    if isinstance(value, float) and column.name.endswith("_pct"):
        return f"{value:.1f} %"
    text = str(value)
    if len(text) > _LONGEST:
        return f"{text[:_LONGEST]}… ({len(text):,} characters)"
    return text


def exact(value: Any) -> str | None:
    """The whole of a value that `shown` rounds: a float's digits; None for all others."""
    return repr(value) if isinstance(value, float) else None


def _read(connection: duckdb.DuckDBPyConnection, path: Path) -> Table:
    lines = path.read_text("utf-8").splitlines()
    title, *note = (line.removeprefix("-- ") for line in itertools.takewhile(_is_comment, lines))
    sql = "\n".join(itertools.dropwhile(_is_comment, lines))
    result = connection.execute(sql)
    described = [(name, str(kind)) for name, kind, *_ in result.description]
    rows = result.fetchall()
    comments = dict(
        connection.execute(
            "select column_name, comment from duckdb_columns() "
            "where list_contains($tables, table_name)",
            {"tables": sorted(connection.get_table_names(sql))},
        ).fetchall()
    )
    columns = []
    for index, (name, kind) in enumerate(described):
        width = max((len(str(row[index])) for row in rows), default=0)
        shape = "number" if _NUMBER.match(kind) else "short" if width <= _SHORT else "long"
        columns.append(Column(name, comments.get(name), shape))
    return Table(path.stem, title, " ".join(note), sql, columns, rows)


def _is_comment(line: str) -> bool:
    return line.startswith("-- ")
