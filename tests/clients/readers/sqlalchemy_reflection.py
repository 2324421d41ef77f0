"""Reads the file as a program built on SQLAlchemy does, Superset for one: by reflection."""

from __future__ import annotations

import sys
from typing import Any

import sqlalchemy
from facts import serve, table_facts
from sqlalchemy import types

READ_ONLY = {"access_mode": "read_only"}  # after the `?` of the URI that people type
KINDS = (  # a class stands before those it is derived from
    (types.Boolean, "BOOLEAN"),
    (types.BigInteger, "BIGINT"),
    (types.Integer, "INTEGER"),
    (types.Float, "DOUBLE"),
    (types.Numeric, "DECIMAL({0.precision},{0.scale})"),
    (types.DateTime, "TIMESTAMP"),
    (types.Date, "DATE"),
    (types.String, "VARCHAR"),
)


def kind_of(column: sqlalchemy.Column) -> str:
    """DuckDB's name of the type that the dialect gives a column; its own name if it is another."""
    if getattr(column.type, "timezone", False):
        return "TIMESTAMP WITH TIME ZONE"
    kinds = (name.format(column.type) for kind, name in KINDS if isinstance(column.type, kind))
    return next(kinds, repr(column.type))


def read(connection: sqlalchemy.engine.Connection) -> dict[str, Any]:
    """Facts of every table that reflection finds."""
    metadata = sqlalchemy.MetaData()
    metadata.reflect(bind=connection)
    return {
        name: table_facts(
            table.comment,
            [(column.name, kind_of(column), column.comment) for column in table.columns],
            connection.execute(table.select()).fetchall(),
        )
        for name, table in metadata.tables.items()
    }


url = sqlalchemy.engine.URL.create("duckdb", database=sys.argv[1], query=READ_ONLY)
with sqlalchemy.create_engine(url).connect() as opened:
    serve(sqlalchemy.__version__, lambda: read(opened))
