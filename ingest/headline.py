"""The headline table that `madw build` prints, read from the published file."""

from __future__ import annotations

import itertools
import shlex

import duckdb
from rich import box
from rich.table import Table

from ingest.home import Home, find_home
from ingest.terminal import printable, table_console

_ESCAPE_RATES = """
    select
        dataset,
        coalesce(model, '?') as model,
        coalesce(temperature::varchar, '?') as temperature,
        coalesce(split, '?') as split,
        concat_ws(
            ', ',
            if(clue_domain = 'gsm-hard', null, clue_domain),
            if(unit_tools, 'tools', null),
            if(injection = 'none', null, injection)
        ) as condition,
        format('{} of {}', n_escaped, n_rooms - n_unknown_outcome) as escaped,
        coalesce(format('{:.1f} %', 100 * escape_rate), '?') as rate,
        coalesce(format('{:.1f} to {:.1f}', 100 * ci_low, 100 * ci_high), '?') as interval_95
    from escape_rates_by_split
    order by all
"""


def print_headline(home: Home) -> None:
    """Print the escape rates of each data set, and where to look next."""
    with duckdb.connect(str(home.published), read_only=True) as connection:
        rows = connection.execute(_ESCAPE_RATES).fetchall()
        synthetic = {
            name
            for (name,) in connection.execute(
                "select dataset from datasets where is_synthetic"
            ).fetchall()
        }
    console = table_console()
    for dataset, group in itertools.groupby(rows, key=lambda row: row[0]):
        mark = " (simulated data, not findings)" if dataset in synthetic else ""
        console.print(f"\nEscape rates of {printable(dataset)}{mark}", soft_wrap=True)
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
        for name in ("model", "temp.", "split", "condition"):
            table.add_column(name, overflow="fold")
        for name in ("escaped", "rate", "95 % interval"):
            table.add_column(name, justify="right", no_wrap=True)
        for row in group:
            table.add_row(*map(printable, (*row[1:4], row[4] or "natural", *row[5:])))
        console.print(table)
    if not rows:
        console.print("No trace is loaded, so there is no escape rate.")
    console.print(f"The warehouse is {printable(str(home.published))}.", soft_wrap=True)
    console.print(f"Look at it in a browser: {printable(str(home.report))}.", soft_wrap=True)
    where = "" if home == find_home() else f"MADW_HOME={shlex.quote(str(home.root))} "
    where = printable(where)
    console.print(
        f"Query it: `{where}make shell`. What was loaded: `{where}madw status`.", soft_wrap=True
    )
