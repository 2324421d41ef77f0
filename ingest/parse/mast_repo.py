"""The MAST repository's texts -> rows of the lake. Pure: bytes in, tuples out.

`definitions.txt` lists the modes, each with what it means below it:

    1.1 Disobey Task Specification:
    This error occurs when ...

`llm_judge_pipeline.ipynb` is a notebook; one of its cells builds the judge's prompt. The prompt has
an answer sheet, a line a mode (`1.1 Disobey Task Specification: <yes or no>`), and, after the words
"example answer", a worked example that gives codes without names (`1.6 yes`). Both are taxonomies
of their own, because they do not agree.

`traces/AppWorld/*.txt` are whole traces; their first lines hold the tag of their task
(`Task 1/1 (692c77d_1)`).

A mode listed twice with the same words counts once; one code with two names is no taxonomy, and
the file is rejected.
"""

from __future__ import annotations

import re
from typing import Any

from ingest.errors import Reason, RejectedInput
from ingest.parse import json_text
from ingest.parse.file_rows import FileRows
from ingest.parse.mad import body_row
from ingest.similarity import one_spaced

DEFINITIONS = "mast-repo-definitions"
ANSWER_SHEET = "mast-judge-answer-sheet"
EXAMPLE = "mast-judge-example"

_HEADING = re.compile(r"\s*(\d+\.\d+)\s+([^:]*[^:\s])\s*:(.*)")
_SHEET_LINE = re.compile(r"(?<![\d.])(\d+\.\d+)\s+([^:<>\n]*[^:<>\s])\s*:\s*<yes or no>")
_EXAMPLE = re.compile(r"example answer", re.IGNORECASE)
_EXAMPLE_LINE = re.compile(r"(?<![\d.])(\d+\.\d+)\s+(?:yes|no)\b", re.IGNORECASE)
_TASK = re.compile(r"\bTask \d+/\d+ \(\w+_\d+\)")
_TRACES = re.compile(r"(?:^|/)traces/AppWorld/[^/]+$")


def kind_of_text(path: str, head: bytes) -> str:
    """The kind of a .txt that begins with `head`, or "" where it is none of the repository's."""
    text = head.decode("utf-8", "replace").lstrip("\ufeff")
    if _HEADING.match(text.lstrip()):
        return "mast_definitions"
    return "mast_trace" if _TASK.search(text) or _TRACES.search(path) else ""


def kind_of_notebook(data: bytes) -> str:
    """The kind of an .ipynb, or "" where none of its cells holds the judge's answer sheet."""
    is_judge = b'"cells"' in data and _SHEET_LINE.search(data.decode("utf-8", "replace"))
    return "mast_judge" if is_judge else ""


def _modes(taxonomy: str, found: list[tuple[str, str | None, str | None]]) -> list[tuple]:
    """Rows of `taxonomy_modes` for (code, name, description) in the order found."""
    modes: dict[str, tuple[str, str | None, str | None]] = {}
    for mode in found:
        if modes.setdefault(mode[0], mode) != mode:
            raise RejectedInput(
                Reason.NOT_A_TAXONOMY, f"{mode[0]} stands for two different modes.", mode[0]
            )
    return [(taxonomy, number, *mode, None) for number, mode in enumerate(modes.values())]


def parse_definitions(data: bytes) -> FileRows:
    """`definitions.txt` as rows.

    Raises RejectedInput where it lists no mode, or one code for two.
    """
    found: list[tuple[str, str, list[str]]] = []
    for line in json_text.checked_utf8(data).decode("utf-8").splitlines():
        heading = _HEADING.fullmatch(line)
        if heading:
            found.append((heading[1], one_spaced(heading[2]), [heading[3]]))
        elif found:
            found[-1][2].append(line)
    if not found:
        raise RejectedInput(Reason.NOT_A_TAXONOMY, "The text lists no failure mode.")
    modes = [(code, name, one_spaced(" ".join(lines)) or None) for code, name, lines in found]
    return FileRows({"taxonomy_modes": _modes(DEFINITIONS, modes)}, {})


def parse_judge(data: bytes) -> FileRows:
    """The judge's notebook as rows: the answer sheet and, where there is one, the worked example.

    Raises RejectedInput where it is no notebook or holds no answer sheet.
    """
    sheet: list[tuple[str, str | None, str | None]] = []
    example: list[tuple[str, str | None, str | None]] = []
    for text in _cells(json_text.loads(json_text.checked_utf8(data))):
        lines = _SHEET_LINE.findall(text)
        sheet += [(code, one_spaced(name), None) for code, name in lines]
        begin = _EXAMPLE.search(text)
        if lines and begin:
            codes = _EXAMPLE_LINE.findall(text, begin.end())
            example += [(code, None, None) for code in codes]
    if not sheet:
        raise RejectedInput(Reason.NOT_A_TAXONOMY, "No cell of the notebook holds an answer sheet.")
    return FileRows({"taxonomy_modes": _modes(ANSWER_SHEET, sheet) + _modes(EXAMPLE, example)}, {})


def _cells(notebook: Any) -> list[str]:
    """The source of each cell; raises RejectedInput where there are none."""
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise RejectedInput(Reason.NOT_A_TAXONOMY, "The JSON is not a notebook.")
    sources = []
    for number, cell in enumerate(cells):
        source = cell.get("source") if isinstance(cell, dict) else None
        lines = source if isinstance(source, list) else [source]
        if not all(isinstance(line, str) for line in lines):
            raise RejectedInput(
                Reason.BAD_TYPE, "`source` of a cell is not text.", f"/cells/{number}/source"
            )
        sources.append("".join(lines))
    return sources


def parse_trace(data: bytes) -> FileRows:
    """A trace file as the one row of its text."""
    body = json_text.checked_utf8(data).decode("utf-8")
    return FileRows({}, {}, [body_row(0, body, json_text.text_sha256(body))])
