"""`madw audit`: the public audit of MAD as the published file answers it, figure by figure."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import duckdb
from rich import box
from rich.table import Table
from rich.text import Text

from ingest.errors import MadwError, UsageError
from ingest.home import Home
from ingest.terminal import count, printable, table_console

TITLES = {
    "A": "File identity",
    "B": "Versions of the taxonomy in the human-labelled file",
    "C": "Mapping to MAST-14 by the text of descriptions",
    "D": "Annotation blocks that repeat",
    "E": "Integrity of the full set",
    "F": "Traces on GitHub against the file",
    "G": "definitions.txt of the repository",
    "H": "Keys that collide",
    "I": "Prompt of the judge",
    "kappa": "Agreement of human majority and judge (Cohen's kappa)",
}
VERDICTS = {"match": "green", "differs": "bold red", "not loaded": "yellow"}


class Figure(NamedTuple):
    """A row of `audit_findings`."""

    finding: str
    check_id: str
    figure: str
    published_value: str | None
    observed_value: str | None
    verdict: str


def read_findings(home: Home) -> list[Figure]:
    """Every figure, in the audit's order.

    Raises UsageError where there is no published file, or one without the audit's table; MadwError
    for a file that cannot be read.
    """
    if not home.published.is_file():
        raise UsageError(f"There is no {home.published}: run `madw build` first.")
    columns = ", ".join(f"{name}::varchar" for name in Figure._fields)
    try:
        with duckdb.connect(str(home.published), read_only=True) as connection:
            rows = connection.execute(f"select {columns} from audit_findings").fetchall()
    except duckdb.CatalogException:
        raise UsageError(
            f"{home.published} has no table audit_findings: run `madw build` to make it anew."
        ) from None
    except duckdb.Error as error:
        raise MadwError(f"{home.published} cannot be read: {str(error).splitlines()[0]}") from None
    return sorted((Figure(*row) for row in rows), key=_place)


def _place(figure: Figure) -> tuple[int, str, list[tuple[str, int]], str]:
    """The order of TITLES, then of the numbers in check_id (A2 before A10)."""
    order = list(TITLES)
    known = order.index(figure.finding) if figure.finding in TITLES else len(order)
    numbered = [
        (text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", figure.check_id)
    ]
    return known, figure.finding, numbered, figure.figure


def print_audit(figures: list[Figure]) -> None:
    """Print a table for each finding, and how many figures have which verdict."""
    console = table_console()
    for finding, group in itertools.groupby(figures, key=lambda figure: figure.finding):
        title = printable(f"{finding}  {TITLES.get(finding, '')}".rstrip())
        console.print(f"\n{title}", style="bold")
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
        table.add_column("figure", overflow="fold", ratio=1)
        table.add_column("published", justify="right", overflow="fold")
        table.add_column("observed", justify="right", overflow="fold")
        table.add_column("verdict", no_wrap=True)
        for row in group:
            table.add_row(
                printable(row.figure),
                "-" if row.published_value is None else printable(row.published_value),
                "-" if row.observed_value is None else printable(row.observed_value),
                Text(printable(row.verdict), style=VERDICTS.get(row.verdict, "")),
            )
        console.print(table)
    counts = Counter(figure.verdict for figure in figures)
    verdicts = sorted({*VERDICTS, *counts}, key=_rank)
    told = printable(", ".join(f"{counts[verdict]:,} {verdict}" for verdict in verdicts))
    console.print(f"\n{count(len(figures), 'figure')}: {told}")
    for verdict in verdicts:
        ids = [figure.check_id for figure in figures if figure.verdict == verdict]
        if verdict != "match" and ids:
            console.print(printable(f"{verdict}: {', '.join(ids)}"), soft_wrap=True)
    console.print("Each figure's row: `make shell`, then `from audit_findings;`.")


def _rank(verdict: str) -> tuple[int, str]:
    known = list(VERDICTS)
    return (known.index(verdict) if verdict in VERDICTS else len(known), verdict)


def write_json(figures: list[Figure], path: Path) -> None:
    """Write the figures as a JSON list of objects. Raises MadwError where that is not possible."""
    listed = [figure._asdict() for figure in figures]
    try:
        path.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise MadwError(f"{path} cannot be written: {error.strerror}.") from None
