"""Reads the file with the DuckDB shell, in one session of it: SQL in, JSON out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from facts import read_with_sql, serve

END = "end of the answer"
PARSE = {"DECIMAL": Decimal, "TIMESTAMP": datetime.fromisoformat}  # what JSON has only as text

shell_program, file = sys.argv[1:]
shell = subprocess.Popen(
    [shell_program, "-readonly", "-json", file],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    encoding="utf-8",
)


def ask(sql: str) -> list[dict[str, Any]]:
    """Send one statement and wait for its rows."""
    shell.stdin.write(f"{sql};\n.print {END}\n")
    shell.stdin.flush()
    lines = []
    for line in shell.stdout:
        if line.rstrip("\n") == END:
            return json.loads("".join(lines))
        lines.append(line)
    raise SystemExit(f"The shell ended at: {sql}")


def query(sql: str) -> Sequence[Sequence[Any]]:
    """The rows of a statement, values as Python has them."""
    kinds = [column["column_type"].split("(")[0] for column in ask(f"describe {sql}")]
    parsers = [PARSE.get(kind, lambda value: value) for kind in kinds]
    return [
        tuple(
            None if value is None else parse(value)
            for parse, value in zip(parsers, row.values(), strict=True)
        )
        for row in ask(sql)
    ]


with shell:
    ((version,),) = query("select version()")
    serve(version.removeprefix("v"), lambda: read_with_sql(query))
