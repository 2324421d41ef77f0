"""`make shell`: the real shell, started by the real target, shows the file and changes nothing."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from builds import make

SHORTEST_BEGINNING = 40  # characters of a sentence that is cut off


def open_shell(home: Path, typed: str, user: Path) -> subprocess.CompletedProcess[str]:
    """Run `make shell` with lines typed into it, as a user whose home folder is `user`."""
    return make("shell", home, typed, HOME=str(user))


@pytest.fixture(scope="module")
def elsewhere(sample_warehouse, tmp_path_factory) -> Path:
    """A home that holds only the published file, at a path that a careless script trips over."""
    home = tmp_path_factory.mktemp("a home") / "it's here"
    home.mkdir()
    shutil.copy(sample_warehouse / "mad.duckdb", home)
    return home


@pytest.fixture(scope="module")
def banner(elsewhere, tmp_path_factory) -> str:
    """All that the shell says when nothing is typed."""
    shell = open_shell(elsewhere, "", tmp_path_factory.mktemp("user"))
    assert (shell.returncode, shell.stderr) == (0, "")
    return shell.stdout


def queries_of(banner: str) -> dict[str, str]:
    """The banner's queries by their questions."""
    return dict(re.findall(r"^-- ([^\n]+\?)\n(select .+?;)$", banner, re.DOTALL | re.MULTILINE))


def typed_rows(home: Path, query: str, user: Path) -> list[dict[str, str]]:
    """What a query typed into the shell gives."""
    shell = open_shell(home, f".mode csv\n.output '{user / 'rows.csv'}'\n{query}\n", user)
    assert (shell.returncode, shell.stderr) == (0, ""), query
    with (user / "rows.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_banner_lists_the_published_tables_with_their_sentence(banner, sample):
    comments = dict(sample.execute("select table_name, comment from duckdb_tables()").fetchall())
    sentences = {
        name: re.match(r"One row per (.+?)[.:](?:\s|$)", comment).group(1)
        for name, comment in comments.items()
    }
    head, *lines = banner.split("\n\n")[0].splitlines()
    assert head.split(maxsplit=2) == ["area", "table", "one row per"]
    shown = dict(re.match(r".{8}(\w+) +(.+)$", line).groups() for line in lines)
    assert len(lines) == len(shown)
    assert set(shown) == set(sentences)
    for name, sentence in shown.items():
        beginning = sentence.removesuffix(" …")
        if beginning == sentence:
            assert sentence == sentences[name]
        else:
            assert sentences[name].startswith(beginning + " ")
            assert len(beginning) >= SHORTEST_BEGINNING


def test_every_table_has_an_area(banner):
    assert not re.search(r"^other ", banner, re.MULTILINE)


def test_the_banner_fits_a_terminal_of_100_columns(banner):
    assert max(len(line) for line in banner.splitlines()) <= 100


def test_the_three_queries_of_the_banner_give_rows(banner, elsewhere, tmp_path):
    queries = queries_of(banner)
    assert len(queries) == 3
    for query in queries.values():
        assert typed_rows(elsewhere, query, tmp_path)


def test_describe_table_shows_the_comment_of_every_column(elsewhere, sample, tmp_path):
    known = sample.execute(
        "select table_name, column_name, data_type, comment from duckdb_columns() "
        "where not internal order by table_name, column_index"
    ).fetchall()
    assert all(comment for *_, comment in known)
    tables = list(dict.fromkeys(name for name, *_ in known))
    query = " union all ".join(
        f"(select '{name}' as table_name, * from describe_table('{name}'))" for name in tables
    )
    rows = typed_rows(elsewhere, query + ";", tmp_path)
    assert [tuple(row.values()) for row in rows] == known


def test_describe_tables_shows_the_comment_and_the_rows_of_every_table(elsewhere, sample, tmp_path):
    rows = typed_rows(elsewhere, "from describe_tables();", tmp_path)
    known = dict(sample.execute("select table_name, comment from duckdb_tables()").fetchall())
    assert {row["table_name"]: row["comment"] for row in rows} == known
    for row in rows:
        (n_rows,) = sample.execute(f"select count(*) from {row['table_name']}").fetchone()
        assert int(row["n_rows"]) == n_rows


@pytest.mark.parametrize("reader", ["the shell", "the library"])
def test_describe_shows_no_comment_yet(elsewhere, sample, tmp_path, reader):
    """When this fails, `describe` has learnt it: the guide and the banner may say so."""
    if reader == "the shell":
        columns = list(typed_rows(elsewhere, "from (describe steps) limit 1;", tmp_path)[0])
    else:
        columns = [column for column, *_ in sample.execute("describe steps").description]
    assert columns == ["column_name", "column_type", "null", "key", "default", "extra"]


@pytest.mark.parametrize(
    "statement",
    [
        "create table mine as select 1;",
        "delete from rooms;",
        "comment on table rooms is 'mine';",
        "drop table rooms;",
    ],
)
def test_writing_is_refused(elsewhere, tmp_path, statement):
    shell = open_shell(elsewhere, statement + "\n", tmp_path)
    assert "read-only" in shell.stderr


def test_nothing_is_left_behind(elsewhere, banner, tmp_path):
    before = (elsewhere / "mad.duckdb").read_bytes()
    open_shell(elsewhere, "select count(*) from steps;\ndelete from steps;\n", tmp_path)
    assert [path.name for path in elsewhere.iterdir()] == ["mad.duckdb"]
    assert (elsewhere / "mad.duckdb").read_bytes() == before


def test_the_users_own_settings_hold_in_the_session_and_not_in_the_banner(
    elsewhere, banner, tmp_path
):
    settings = ".mode jsonlines\nselect 'good morning' as greeting;\n"
    (tmp_path / ".duckdbrc").write_text(settings, "utf-8")
    shell = open_shell(elsewhere, "select 1 as one;\n", tmp_path)
    assert shell.stdout == banner + '{"greeting":"good morning"}\n{"one":1}\n'


def test_without_a_file_one_sentence_names_the_way_to_make_it(tmp_path):
    shell = open_shell(tmp_path / "nowhere", "", tmp_path)
    assert shell.returncode != 0
    assert (
        shell.stdout == f"There is no {tmp_path / 'nowhere' / 'mad.duckdb'} yet: run make build.\n"
    )
    assert not (tmp_path / "nowhere").exists()
