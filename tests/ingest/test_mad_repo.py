"""The texts of the MAST repository as taxonomies and bodies."""

from __future__ import annotations

import json

import pytest

from ingest.errors import Reason, RejectedInput
from ingest.parse import json_text, mast_repo

DEFINITIONS = b"""1.1 Disobey the Task:
An agent breaks
 a constraint.

3.10 Weak Check: too weak
to find it.
"""
PROMPT = (
    "1.1 Disobey the Task: <yes or no>\n"
    '"3.2 Agent\'s  Check : <yes or no>"\n'
    "An example answer is:\n"
    "B. no\n"
    '"1.1 no \\n"\n'
    '"1.6 yes \\n"\n'
    "3.2 No\n"
)


def notebook(*sources: object) -> bytes:
    return json.dumps(
        {"cells": [{"cell_type": "code", "source": text} for text in sources]}
    ).encode()


def refusal(parse, data: bytes) -> tuple[Reason, str]:
    with pytest.raises(RejectedInput) as caught:
        parse(data)
    return caught.value.code, caught.value.at


# definitions.txt


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(DEFINITIONS, id="as it is"),
        pytest.param(b"\xef\xbb\xbf" + DEFINITIONS.replace(b"\n", b"\r\n"), id="mark and CRLF"),
        pytest.param(DEFINITIONS * 2, id="said twice"),
    ],
)
def test_definitions_are_a_taxonomy(data):
    parsed = mast_repo.parse_definitions(data)

    assert parsed.tables == {
        "taxonomy_modes": [
            (
                "mast-repo-definitions",
                0,
                "1.1",
                "Disobey the Task",
                "An agent breaks a constraint.",
                None,
            ),
            ("mast-repo-definitions", 1, "3.10", "Weak Check", "too weak to find it.", None),
        ]
    }


def test_a_mode_without_a_text_has_no_description():
    (row,) = mast_repo.parse_definitions(b"1.1 Name:\n\n").tables["taxonomy_modes"]

    assert row == ("mast-repo-definitions", 0, "1.1", "Name", None, None)


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        pytest.param(b"", "empty_file", "", id="empty"),
        pytest.param(b"1.1 A:\n\xe9", "not_utf8", "byte 7", id="latin-1"),
        pytest.param(b"no mode at all", "not_a_taxonomy", "", id="no mode"),
        pytest.param(b"1.1 A:\nx\n1.1 B:\nx", "not_a_taxonomy", "1.1", id="two names"),
        pytest.param(b"1.1 A:\nx\n1.1 A:\ny", "not_a_taxonomy", "1.1", id="two meanings"),
    ],
)
def test_broken_definitions_are_rejected(data, code, place):
    assert refusal(mast_repo.parse_definitions, data) == (code, place)


# The judge's notebook


@pytest.mark.parametrize(
    "sources",
    [
        pytest.param([PROMPT], id="one text"),
        pytest.param([PROMPT.splitlines(keepends=True)], id="a list of lines"),
        pytest.param(["import x\n", PROMPT, "An example answer: 4.4 yes"], id="among other cells"),
        pytest.param([PROMPT, PROMPT], id="twice"),
    ],
)
def test_the_answer_sheet_and_the_example_are_two_taxonomies(sources):
    assert mast_repo.parse_judge(notebook(*sources)).tables == {
        "taxonomy_modes": [
            ("mast-judge-answer-sheet", 0, "1.1", "Disobey the Task", None, None),
            ("mast-judge-answer-sheet", 1, "3.2", "Agent's Check", None, None),
            ("mast-judge-example", 0, "1.1", None, None, None),
            ("mast-judge-example", 1, "1.6", None, None, None),
            ("mast-judge-example", 2, "3.2", None, None, None),
        ]
    }


def test_a_prompt_without_an_example_is_one_taxonomy():
    parsed = mast_repo.parse_judge(notebook(PROMPT.split("An example")[0]))

    assert [row[:3] for row in parsed.tables["taxonomy_modes"]] == [
        ("mast-judge-answer-sheet", 0, "1.1"),
        ("mast-judge-answer-sheet", 1, "3.2"),
    ]


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        pytest.param(b"", "empty_file", "", id="empty"),
        pytest.param(notebook(PROMPT)[:60], "truncated", "line 1, column 44", id="cut"),
        pytest.param(notebook(PROMPT) + b"\xff", "not_utf8", None, id="not UTF-8"),
        pytest.param(b"[1]", "not_a_taxonomy", "", id="a list"),
        pytest.param(b'{"cells": 5}', "not_a_taxonomy", "", id="no list of cells"),
        pytest.param(notebook("print()"), "not_a_taxonomy", "", id="no answer sheet"),
        pytest.param(notebook(PROMPT, 5), "bad_type", "/cells/1/source", id="a number as source"),
        pytest.param(notebook(["a", None]), "bad_type", "/cells/0/source", id="a null as line"),
        pytest.param(
            notebook(PROMPT + "1.1 Other: <yes or no>"), "not_a_taxonomy", "1.1", id="two names"
        ),
    ],
)
def test_a_broken_notebook_is_rejected(data, code, place):
    found = refusal(mast_repo.parse_judge, data)

    assert found == (code, f"byte {len(data) - 1}" if place is None else place)


# Traces


def test_a_trace_is_one_body_exact_to_the_character():
    body = "** Task 1/1 (692c77d_1) **\r\nü  x\n"

    parsed = mast_repo.parse_trace(b"\xef\xbb\xbf" + body.encode())

    assert parsed.tables == {}
    assert list(parsed.bodies) == [
        (0, len(body), len(body) + 1, json_text.text_sha256(body), body),
    ]


# Which file it is


@pytest.mark.parametrize(
    ("path", "head", "kind"),
    [
        pytest.param("x.txt", DEFINITIONS, "mast_definitions", id="definitions"),
        pytest.param("x.txt", b"\xef\xbb\xbf\n\n" + DEFINITIONS, "mast_definitions", id="a mark"),
        pytest.param("x.txt", b"About 1.1 A:\n" + DEFINITIONS, "", id="something before them"),
        pytest.param("x.txt", b"** Task 1/1 (692c77d_1) **\n", "mast_trace", id="a task's tag"),
        pytest.param("traces/AppWorld/x.txt", b"no tag", "mast_trace", id="in its folder"),
        pytest.param("traces/AppWorld/more/x.txt", b"no tag", "", id="below its folder"),
        pytest.param("x.txt", b"Task 1 of 1", "", id="another text"),
        pytest.param("x.txt", b"", "", id="an empty text"),
    ],
)
def test_the_first_lines_tell_the_kind(path, head, kind):
    assert mast_repo.kind_of_text(path, head) == kind


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        pytest.param(notebook(PROMPT), "mast_judge", id="the judge"),
        pytest.param(notebook(PROMPT)[:-20], "mast_judge", id="the judge, cut"),
        pytest.param(notebook("print('yes or no')"), "", id="another notebook"),
        pytest.param(PROMPT.encode(), "", id="no notebook"),
    ],
)
def test_the_answer_sheet_tells_the_kind(data, kind):
    assert mast_repo.kind_of_notebook(data) == kind
