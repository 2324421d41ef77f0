"""The README is true: its queries run, its tables exist, and its output is what a build prints."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from ingest.home import PROJECT, Home

README = (PROJECT / "README.md").read_text("utf-8")
QUERIES = re.findall(r"\*\*(\d+\. .+?)\*\*.*?```sql\n(.+?)```", README, re.DOTALL)


def test_the_readme_asks_ten_questions():
    assert [int(title.split(".")[0]) for title, _ in QUERIES] == list(range(1, 11))


@pytest.mark.parametrize(("title", "query"), QUERIES, ids=[title for title, _ in QUERIES])
def test_each_question_has_an_answer(sample_warehouse, title, query):
    with duckdb.connect(str(sample_warehouse / "mad.duckdb"), read_only=True) as connection:
        assert connection.execute(query).fetchall()


def test_the_tables_are_those_of_the_file_with_the_first_sentence_of_their_description(
    sample_warehouse,
):
    with duckdb.connect(str(sample_warehouse / "mad.duckdb"), read_only=True) as connection:
        comments = dict(
            connection.execute("select table_name, comment from duckdb_tables()").fetchall()
        )
    published = {
        name: re.match(r"One row per (.+?)[.:](?:\s|$)", comment).group(1)
        for name, comment in comments.items()
    }
    written = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", README, re.MULTILINE))
    assert written == published


def test_the_quickstart_shows_what_a_build_prints(sample_warehouse, capsys):
    from ingest.headline import print_headline

    print_headline(Home(Path(sample_warehouse)))
    printed = [line.rstrip() for line in capsys.readouterr().out.strip().splitlines()]
    shown = re.search(r"<!-- output of madw build -->\n```\n(.+?)\n```", README, re.DOTALL).group(1)
    assert shown.splitlines() == printed[: len(shown.splitlines())]
