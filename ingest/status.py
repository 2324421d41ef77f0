"""`madw status`: what the lake holds, what it would not take, and what has no column."""

from __future__ import annotations

import json
from collections import Counter

import duckdb

from ingest.errors import UsageError
from ingest.home import Home
from ingest.lake import Lake, SourceRow
from ingest.read import MAD_KINDS
from ingest.terminal import count, echo

_SHOWN = 20


def print_status(home: Home, *, show_all: bool = False) -> None:
    """Print the status of `home`. Raises UsageError where there is no lake."""
    if not home.lake.is_dir():
        raise UsageError(f"There is no lake in {home.root}: run `madw ingest` first.")
    lake = Lake(home.lake)
    datasets, sources = lake.datasets(), lake.source_rows()
    damaged = lake.damaged()
    echo(f"Warehouse {home.root}; published file: {_published(home, sources)}")
    echo("Ignored key paths: none. Each key has a column or is kept as raw JSON.")
    names = sorted({*datasets, *sources, *damaged})
    if not names:
        echo("The lake is empty.")
    for name in names:
        rows = list(sources.get(name, {}).values())
        counts = Counter((row.status, row.kind) for row in rows)
        loaded = [row for row in rows if row.status == "loaded"]
        kind = " (synthetic)" if name in datasets and datasets[name].is_synthetic else ""
        echo()
        echo(f"{name}{kind}")
        if name in damaged:
            echo("  The record of its files cannot be read: `madw ingest` reads them again.")
            continue
        for root in sorted({row.root for row in rows}):
            echo(f"  from {root}")
        runs = {row.run_id for row in loaded if row.run_id}
        n_steps = sum(row.n_steps or 0 for row in loaded)
        n_rooms = sum(row.n_rooms or 0 for row in loaded if row.kind == "rooms")
        echo(
            f"  loaded: {count(counts['loaded', 'trace'], 'trace')} in {count(len(runs), 'run')}, "
            f"{count(n_steps, 'step')}; {count(n_rooms, 'room definition')}"
        )
        annotated = {
            kind: n
            for (status, kind), n in sorted(counts.items())
            if kind in MAD_KINDS and status == "loaded"
        }
        if annotated:
            echo("  files: " + ", ".join(f"{n:,} {kind}" for kind, n in annotated.items()))
        ignored = {kind: n for (status, kind), n in sorted(counts.items()) if status == "ignored"}
        if ignored:
            echo(
                "  ignored (known not to be data): "
                + ", ".join(f"{n:,} {kind}" for kind, n in ignored.items())
            )
        _print_rejected([row for row in rows if row.status == "rejected"], show_all)
        _print_unknown(loaded)


def _print_rejected(rows: list, show_all: bool) -> None:
    echo(f"  rejected: {len(rows):,}")
    for row in rows if show_all else rows[:_SHOWN]:
        place = f" ({row.error_at})" if row.error_at else ""
        echo(f"    {row.path}: {row.error_code}: {row.error}{place}")
    if len(rows) > _SHOWN and not show_all:
        echo(f"    ... and {len(rows) - _SHOWN:,} more: madw status --all")


def _print_unknown(rows: list) -> None:
    kept: Counter = Counter()
    for row in rows:
        if row.unknown_keys_json:
            kept.update(json.loads(row.unknown_keys_json))
    if kept:
        echo("  without a column, or not usable in theirs (kept in extra_json):")
        for path, n in sorted(kept.items()):
            echo(f"    {path}: {n:,}")


def _published(home: Home, sources: dict[str, dict[str, SourceRow]]) -> str:
    if not home.published.exists():
        return "none yet (madw build)"
    told = [f"{home.published.name}, {home.published.stat().st_size:,} bytes"]
    files = _published_files(home)
    if files is None:
        told.append("cannot be read (madw build)")
    elif files != {
        (dataset, row.path, row.sha256, row.status)
        for dataset, rows in sources.items()
        for row in rows.values()
    }:
        told.append("made of other files than the lake holds now (madw build)")
    if not home.report.exists():
        told.append("no report yet (madw report)")
    elif home.report.stat().st_mtime < home.published.stat().st_mtime:
        told.append(f"{home.report.name} is of an earlier build (madw report)")
    else:
        told.append(f"report: {home.report.name}")
    return "; ".join(told)


def _published_files(home: Home) -> set[tuple] | None:
    """(data set, path, sha256, status) of every file it was made of; None if it cannot be read."""
    try:
        with duckdb.connect(str(home.published), read_only=True) as connection:
            query = "select dataset, path, sha256, status from source_files"
            return set(connection.execute(query).fetchall())
    except duckdb.Error:
        return None
