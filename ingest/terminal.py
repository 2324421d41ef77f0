"""Words to a terminal, a file or a pipe: what a name holds is shown, never obeyed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 100  # of tables that go to a file or a pipe


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person may be reading; a stream closed from the start is None."""
    return stream is not None and stream.isatty()


def printable(text: str) -> str:
    """Escape what would act on a terminal or not be seen: a line feed becomes `\\n`."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def echo(line: str = "", *, err: bool = False) -> None:
    """Print one line, made printable, on stdout or stderr."""
    click.echo(printable(line), err=err)


def table_console() -> Console:
    """Where tables are printed: text is taken as it is, without markup or emoji codes."""
    from rich.console import Console

    width = None if is_terminal(sys.stdout) else _WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width)


def count(n: int, noun: str) -> str:
    """`1 run`, `2 runs`, for a noun whose plural ends in s."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
