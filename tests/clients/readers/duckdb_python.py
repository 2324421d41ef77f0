"""Reads the file with DuckDB's own Python package, as the drivers built on it do."""

from __future__ import annotations

import sys

import duckdb
from facts import read_with_sql, serve

with duckdb.connect(sys.argv[1], read_only=True) as connection:
    serve(
        duckdb.__version__,
        lambda: read_with_sql(lambda sql: connection.execute(sql).fetchall()),
    )
