"""The program `madw`: arguments in, calls to the modules that do the work, words and codes out.

Exit codes: 0 done; 1 failed; 2 wrong usage; 3 done, but some input was rejected; 4 a figure of the
audit differs (`madw audit --check` only).
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ingest import __version__
from ingest.errors import MadwError, UsageError
from ingest.home import Home, check_output, create_home, find_home, writer
from ingest.progress import progress
from ingest.terminal import count, echo

if TYPE_CHECKING:
    from ingest.load import IngestReport

EXIT_FAILED, EXIT_USAGE, EXIT_REJECTED, EXIT_DIFFERS = 1, 2, 3, 4
_SHOWN = 10  # rejected files told one by one
_LONG_WAIT_S = 5  # from here on a wait is told


class _Group(click.Group):
    """Turns our errors into one sentence and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UsageError as error:
            echo(f"madw: {error}", err=True)
            ctx.exit(EXIT_USAGE)
        except MadwError as error:
            echo(f"madw: {error}", err=True)
            ctx.exit(EXIT_FAILED)
        except BrokenPipeError:  # the reader, such as `head`, has left: click ends in silence
            raise
        except OSError as error:  # a full disk, a folder that cannot be written
            place = f" ({error.filename})" if error.filename else ""
            echo(f"madw: the system refused: {error.strerror}{place}.", err=True)
            ctx.exit(EXIT_FAILED)
        except KeyboardInterrupt:
            echo("madw: interrupted; what was finished is kept, the rest is read again.", err=True)
            ctx.exit(EXIT_FAILED)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="madw")
def main() -> None:
    """Raw multi-agent traces -> Parquet lake -> dbt -> one DuckDB file."""


def _home_option(command: Callable) -> Callable:
    return click.option(
        "--home",
        metavar="DIR",
        help="The warehouse's folder (default: $MADW_HOME, else warehouse/ of the project).",
    )(command)


def _ingest_options(command: Callable) -> Callable:
    for option in (
        click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path)),
        click.option("--dataset", metavar="NAME", help="Name the data set the files belong to."),
        click.option(
            "--jobs",
            type=click.IntRange(min=1),
            default=os.cpu_count() or 1,
            show_default="all cores",
            help="Worker processes.",
        ),
        click.option(
            "--strict",
            is_flag=True,
            help="Write nothing if any file must be rejected (exit code 1).",
        ),
        _home_option,
    ):
        command = option(command)
    return command


@main.command()
@_ingest_options
def ingest(
    paths: tuple[Path, ...], dataset: str | None, jobs: int, strict: bool, home: str
) -> None:
    """Read traces and room files below the PATHs into the lake; only what changed.

    Without a PATH: every folder of raw/ and every folder read before; the bundled sample where that
    is nothing.
    """
    where = create_home(find_home(home))
    with writer(where, "madw ingest"):
        report = _ingest(where, paths, dataset, jobs, strict)
    if report.rejected:
        sys.exit(EXIT_REJECTED)


@main.command()
@_ingest_options
def build(paths: tuple[Path, ...], dataset: str | None, jobs: int, strict: bool, home: str) -> None:
    """Ingest, run `dbt build`, publish mad.duckdb and report.html, and print the headline table."""
    from ingest.build import run_dbt
    from ingest.headline import print_headline
    from ingest.report.page import check_target, write_report

    where = create_home(find_home(home))
    check_target(where)
    with writer(where, "madw build"):
        report = _ingest(where, paths, dataset, jobs, strict)
        with progress("dbt build", "nodes") as (start, advance):
            run_dbt(where, on_start=start, on_progress=advance)
        write_report(where)
    print_headline(where)
    if report.rejected:
        sys.exit(EXIT_REJECTED)


@main.command()
@click.option(
    "--all", "show_all", is_flag=True, help="Show every rejected file, not the first ones."
)
@_home_option
def status(home: str, show_all: bool) -> None:
    """Say what is loaded, what was rejected and why, and which keys have no column."""
    from ingest.status import print_status

    print_status(find_home(home), show_all=show_all)


@main.command()
@click.argument("dataset")
@_home_option
def forget(dataset: str, home: str) -> None:
    """Take the data set DATASET out of the lake; `madw build` then publishes without it."""
    from ingest.load import forget as forget_dataset

    where = find_home(home)
    if not where.lake.is_dir():
        raise UsageError(f"There is no lake in {where.root}.")
    with writer(where, "madw forget"):
        in_raw = forget_dataset(where, dataset)
    echo(f"{dataset} left the lake. `madw build` publishes without it.")
    for folder in in_raw:
        echo(f"Move {folder} out of raw/: the next ingest or build without PATH reads it again.")


@main.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--revision",
    metavar="REV",
    help="Branch, tag or commit (default: the commit recorded in raw/NAME, else main).",
)
@_home_option
def fetch(name: str, revision: str | None, home: str) -> None:
    """Download a data set from the Hugging Face Hub into raw/NAME, pinned and verified.

    NAME is madbench, madbench-full, madbench-eval or mad.
    """
    from ingest.fetch import SETS
    from ingest.fetch import fetch as fetch_set

    if name not in SETS:
        raise UsageError(f"There is no data set {name!r} to fetch. There are: {', '.join(SETS)}.")
    where = create_home(find_home(home))
    with (
        writer(where, "madw fetch"),
        progress(f"fetch {name}", "files") as (start, advance),
    ):
        report = fetch_set(
            where, name, revision, on_start=start, on_progress=advance, on_wait=_tell_wait
        )
    if n_strangers := len(report.strangers):
        echo(
            f"{n_strangers:,} files in {report.folder} are not of {report.repo}, or were changed. "
            f"They are in {report.aside} now, which is not read:",
            err=True,
        )
        for path in report.strangers[:_SHOWN]:
            echo(f"  {path}", err=True)
        if n_strangers > _SHOWN:
            echo(f"  ... and {n_strangers - _SHOWN:,} more", err=True)
    echo(
        f"{name}: {count(report.n_files, 'file')}, {report.n_bytes:,} bytes, "
        f"verified in {report.folder}; {report.n_fetched:,} fetched now"
    )
    echo(f"{report.repo} at {report.revision}. Next: madw build")


@main.command()
@click.option("--check", is_flag=True, help="Exit with code 4 when a figure differs.")
@click.option(
    "--json",
    "json_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the figures to FILE too, as a list of objects.",
)
@_home_option
def audit(check: bool, json_file: Path | None, home: str) -> None:
    """Show the audit of MAD: each published figure beside the one observed here."""
    from ingest.audit import print_audit, read_findings, write_json

    where = find_home(home)
    if json_file is not None:
        check_output(where, json_file)
    figures = read_findings(where)
    if json_file is not None:
        write_json(figures, json_file)
    print_audit(figures)
    if check and any(figure.verdict == "differs" for figure in figures):
        sys.exit(EXIT_DIFFERS)


@main.command()
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where to write the page (default: report.html beside mad.duckdb).",
)
@_home_option
def report(out: Path | None, home: str) -> None:
    """Write the marts as one HTML page, which needs neither a network nor this program."""
    from ingest.report.page import write_report

    written = write_report(find_home(home), out)
    echo(f"The report is {written}.", err=not written.is_file())


def _tell_wait(seconds: float) -> None:
    if seconds >= _LONG_WAIT_S:
        echo(f"The Hub is busy: going on in {seconds:,.0f} seconds.", err=True)


def _ingest(
    home: Home, paths: tuple[Path, ...], dataset: str | None, jobs: int, strict: bool
) -> IngestReport:
    from ingest.load import ingest as run_ingest
    from ingest.read import MAD_KINDS

    gc.disable()  # rows are plain tuples without cycles; walking them costs a tenth of the time
    try:
        with progress("ingest", "files") as (start, advance):
            report = run_ingest(
                home,
                list(paths),
                dataset=dataset,
                jobs=jobs,
                is_strict=strict,
                on_start=start,
                on_progress=advance,
            )
    finally:
        gc.enable()
    for note in report.notes:
        echo(note)
    for name, rows in sorted(report.sources.items()):
        traces = [row for row in rows if row.status == "loaded" and row.kind == "trace"]
        rooms = sum(row.n_rooms or 0 for row in rows if row.kind == "rooms")
        n_rejected = sum(row.status == "rejected" for row in rows)
        n_mad = sum(row.status == "loaded" and row.kind in MAD_KINDS for row in rows)
        echo(
            f"{name}: {count(len(traces), 'trace')}, "
            f"{count(sum(row.n_steps for row in traces), 'step')}, "
            f"{count(rooms, 'room definition')}, {count(n_rejected, 'file')} rejected"
            + (f", {count(n_mad, 'file')} of MAD and MAST" if n_mad else "")
        )
    echo(
        f"Read {count(report.n_read, 'trace file')} in "
        f"{count(report.n_runs_built, 'changed run')}; "
        f"{count(report.n_vanished, 'file')} had vanished."
    )
    for name, row in report.rejected[:_SHOWN]:
        place = f" ({row.error_at})" if row.error_at else ""
        echo(f"rejected {name}/{row.path}: {row.error_code}: {row.error}{place}", err=True)
    if len(report.rejected) > _SHOWN:
        echo(f"... and {len(report.rejected) - _SHOWN:,} more: madw status --all", err=True)
    return report


if __name__ == "__main__":
    main()
