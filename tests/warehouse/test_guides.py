"""README and guides are true: queries run, answers come out, figures are computed, links lead."""

from __future__ import annotations

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from ingest.home import PROJECT, Home

README = (PROJECT / "README.md").read_text("utf-8")
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
OF_THE_WALK = "walk.md"  # its query is of the golden traces; test_walk.py runs it


class Query(NamedTuple):
    """A question of a page, with the query that answers it."""

    question: str
    sql: str


def text_of(name: str) -> str:
    return (PROJECT / "docs" / name).read_text("utf-8")


def sql_blocks(text: str) -> list[str]:
    return re.findall(r"^```sql\n(.+?)^```$", text, re.DOTALL | re.MULTILINE)


# every SQL block of every page


def run_in_the_shell(block: str, home: Path, folder: Path) -> str:
    """Run a block as a reader would: in the repository's root, in the shell, read-only.

    A block that attaches the file is run in a shell without one. Gives what the shell printed.
    """
    (folder / "warehouse").symlink_to(home, target_is_directory=True)
    shell = [str(Path(sys.executable).parent / "duckdb"), "-no-init", "-bail", "-csv", "-noheader"]
    file = [] if re.search(r"\battach\b", block) else ["-readonly", "warehouse/mad.duckdb"]
    settings = ["-cmd", f".read '{PROJECT / 'docs' / 'shell.sql'}'"]
    done = subprocess.run(
        [*shell, *settings, *file],
        cwd=folder,
        input=block,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), f"{block}\n{done.stderr}"
    return done.stdout


BLOCKS = [
    pytest.param(block, id=f"{page.name}, block {number}")
    for page in PAGES
    if page.name != OF_THE_WALK
    for number, block in enumerate(sql_blocks(page.read_text("utf-8")), 1)
]


@pytest.mark.parametrize("block", BLOCKS)
def test_each_block_of_sql_runs_in_the_shell(sample_warehouse, tmp_path, block):
    assert ("attach" in block) == ("(read_only)" in block)
    printed = run_in_the_shell(block, sample_warehouse, tmp_path)
    if re.search(r"^(select|with|from)\b", block, re.MULTILINE):
        assert printed.strip(), f"no row: {block}"
    written = re.findall(r"\bto '([^']+)'|export database '([^']+)'", block)
    for path in [file or folder for file, folder in written]:
        assert (tmp_path / path).exists(), f"not written: {path}"


def test_a_block_that_fails_is_found(sample_warehouse, tmp_path):
    with pytest.raises(AssertionError, match="no_such_table"):
        run_in_the_shell("from no_such_table;\n", sample_warehouse, tmp_path)


# the ten questions


class Answer(NamedTuple):
    """A question of the guide, its query, and the table shown below it."""

    question: str
    sql: str
    columns: list[str]
    rows: list[list[str]]
    is_cut: bool


def answers() -> list[Answer]:
    found = []
    for section in re.split(r"^## ", text_of("queries.md"), flags=re.MULTILINE)[1:]:
        question = re.match(r"\d+\. (.+)", section).group(1)
        (sql,) = sql_blocks(section)
        lines = [line for line in section.splitlines() if line.startswith("|")]
        columns, _, *rows = [_cells(line) for line in lines]
        is_cut = rows[-1][0] == "…"
        found.append(Answer(question, sql, columns, rows[:-1] if is_cut else rows, is_cut))
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _shown(value: Any) -> str:
    if value is None:
        return "NULL"
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_guide_asks_ten_questions():
    numbers = re.findall(r"^## (\d+)\. ", text_of("queries.md"), re.MULTILINE)
    assert numbers == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize("answer", answers(), ids=lambda answer: answer.question)
def test_each_question_has_the_answer_shown(sample, answer):
    result = sample.execute(answer.sql)
    columns = [name for name, *_ in result.description]
    rows = [[_shown(value) for value in row] for row in result.fetchall()]
    assert answer.columns == columns
    assert answer.rows == rows[: len(answer.rows)]
    assert answer.is_cut == (len(rows) > len(answer.rows))


def test_readme_and_banner_show_the_same_three_of_them():
    of_the_guide = [Query(answer.question, answer.sql.strip()) for answer in answers()]
    of_the_readme = [
        Query(question, sql.strip())
        for question, sql in re.findall(
            r"^\*\*(.+?)\*\*\n+```sql\n(.+?)^```$", README, re.DOTALL | re.MULTILINE
        )
    ]
    banner = (PROJECT / "docs" / "banner.sql").read_text("utf-8")
    printed = "\n".join(re.findall(r'^\.print "(.*)"$', banner, re.MULTILINE))
    of_the_banner = [
        Query(question, sql)
        for question, sql in re.findall(
            r"^-- ([^\n]+\?)\n(select .+?;)$", printed, re.DOTALL | re.MULTILINE
        )
    ]
    assert len(of_the_banner) == 3
    assert of_the_readme == of_the_banner
    assert set(of_the_banner) <= set(of_the_guide)


# the README's own tables


def test_the_tables_are_those_of_the_file_with_the_first_sentence_of_their_description(sample):
    comments = dict(sample.execute("select table_name, comment from duckdb_tables()").fetchall())
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


# what connect.md says of the file


def test_no_name_needs_quotes(sample):
    reserved = {
        name
        for (name,) in sample.execute(
            "select keyword_name from duckdb_keywords() where keyword_category = 'reserved'"
        ).fetchall()
    }
    names = {
        name
        for row in sample.execute(
            "select table_name, column_name from duckdb_columns() where not internal"
        ).fetchall()
        for name in row
    }
    assert "select" in reserved
    assert [name for name in names if not re.fullmatch("[a-z][a-z0-9_]*", name)] == []
    assert names & reserved == set()


def test_a_process_gets_the_new_file_only_when_all_its_connections_are_closed(tmp_path):
    def write(path: Path, n_rows: int) -> None:
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"create table rooms as from range({n_rows})")

    def count(connection: duckdb.DuckDBPyConnection) -> int:
        return connection.execute("select count(*) from rooms").fetchone()[0]

    file = tmp_path / "mad.duckdb"
    write(file, 1)
    first = duckdb.connect(str(file), read_only=True)
    write(tmp_path / "new.duckdb", 2)
    (tmp_path / "new.duckdb").rename(file)
    with duckdb.connect(str(file), read_only=True) as second:
        assert (count(first), count(second)) == (1, 1)
    first.close()
    with duckdb.connect(str(file), read_only=True) as third:
        assert count(third) == 2


def test_the_pins_are_those_that_the_tests_of_the_clients_install():
    table = re.search(r"\| for \| (.+) \|\n.+\n((?: *\|.+\n)+)", text_of("connect.md"))
    packages = table.group(1).split(" | ")
    written = [
        dict(zip(packages, _cells(line.strip())[1:], strict=True))
        for line in table.group(2).splitlines()
    ]
    installed = []
    for lock in sorted((PROJECT / "tests" / "clients" / "locks").glob("sqlalchemy-*.lock")):
        versions = dict(re.findall(r"^([\w-]+)==(\S+)", lock.read_text("utf-8"), re.MULTILINE))
        installed.append({package: versions[package] for package in packages})
    assert written == installed


# what decisions.md quotes of the bundled sample

QUOTED = {  # a phrase of the page, and the query that gives its numbers
    "of the {} puzzles in the {} bundled real rooms, {} are inert. {} rooms hold nothing else and "
    "are left out here; {} hold at least one.": """
        select
            count(*), count(distinct (split, room_id)), count(*) filter (where is_inert),
            (select count(*) from room_definitions
                where dataset = 'madbench-rooms' and n_live_puzzles = 0),
            (select count(*) from room_definitions
                where dataset = 'madbench-rooms' and n_live_puzzles < n_puzzles)
        from ground_truth_checks
        where dataset = 'madbench-rooms'""",
    "{:,} of {:,} steps timed out here, {:,} of {:,} the other way.": """
        select sum(n_signal), sum(n_recorded), sum(n_signal), sum(n_steps)
        from signal_frequencies
        where signal = 'timed_out'""",
    "counts added up: {} of {} against {} of {}, a lift of {:.2f}; against all attempts, {} of {}, "
    "it would be {:.2f}.": """
        select
            sum(n_both_wrong) as hit, sum(n_upstream_wrong) as wrong,
            sum(n_downstream_wrong_only) as lone, sum(n_upstream_correct) as correct,
            (hit / wrong) / (lone / correct),
            hit + lone, wrong + correct, (hit / wrong) / ((hit + lone) / (wrong + correct))
        from error_transmission
        where dataset = 'madbench-sample-v1' and upstream_action = 'SOLVE_CLUE'
            and downstream_action = 'APPLY_DELTA'""",
    "the shortest overlap carried over has {} characters, the longest that was not {}, so": """
        select
            min(overlap_chars) filter (where mast14_code is not null),
            max(overlap_chars) filter (where mast14_code is null)
        from taxonomy_crosswalk
        where method = 'description'""",
    "Human majority against judge: kappa {:+.2f} this way, {:+.2f} by code.": """
        select
            max(kappa) filter (where method = 'remapped'),
            max(kappa) filter (where method = 'literal')
        from label_agreement
        where human_record_id = 'all'""",
    "the {} human-labelled records carry {} distinct blocks.": """
        select count(*), count(distinct annotations_sha256) from mad_human_records""",
    "remapped: {:.3f} over records, {:.3f} over blocks.": """
        select max(kappa) filter (where counted = 'records'),
            max(kappa) filter (where counted = 'blocks')
        from annotator_agreement
        where scope = 'all, remapped' and statistic = 'fleiss'""",
    "remapped: {:.3f} over the cells of {} records; the mean of their three kappas is {:.3f}.": """
        select
            max(kappa) filter (where human_record_id = 'all'),
            max(n_records) filter (where human_record_id = 'all'),
            avg(kappa) filter (where human_record_id <> 'all')
        from label_agreement
        where method = 'remapped'""",
    "Cohen {:.3f}, {:.3f} and {:.3f}, Fleiss {:.3f}.": """
        with kappas as (
            select list(kappa order by statistic, kappa) as kappa from annotator_agreement
            where scope = 'all, remapped' and counted = 'records'
        )

        select kappa[1], kappa[2], kappa[3], kappa[4] from kappas""",
    "mode 1.1 is on {:,} of {:,} labelled records ({:.1%}), of {:,} altogether ({:.1%}).": """
        select n_positive, n_known, rate, n_units, n_positive / n_units
        from failure_mode_prevalence
        where label_source = 'mad judge' and framework = 'all' and mast14_code = '1.1'""",
    "{} records are unknown, never zero. The {} records labelled with no failure at all count": """
        with labels as (
            select record_id, count(label) as n_known, count(*) filter (where label) as n_modes
            from mad_full_annotations
            group by record_id
        )

        select count(*) filter (where n_known = 0),
            count(*) filter (where n_known > 0 and n_modes = 0)
        from labels""",
    "leave them out and 1.1 is on {:,} of {:,} ({:.1%}).": """
        with labels as (
            select
                record_id, count(label) as n_known, count(*) filter (where label) as n_modes,
                bool_or(label) filter (where code = '1.1') as has_it
            from mad_full_annotations
            group by record_id
        )

        select count(*) filter (where has_it) as n, count(*) as total, n / total
        from labels
        where n_modes > 0""",
    "{} of {} wrong steps are labelled by their trace, {} by a rule.": """
        select
            count(*) filter (where failure_mode_rule = 'trace'), count(*),
            count(*) filter (where failure_mode_rule not in ('trace', 'none'))
        from steps
        where status = 'wrong'""",
    "of {} pairs that share a key {} share their beginning, {} are similar, {} are different; none "
    "is equal.": """
        select
            count(*), count(*) filter (where tier = 'shared prefix'),
            count(*) filter (where tier = 'similar'), count(*) filter (where tier = 'different')
        from key_collision_pairs
        having count(*) filter (where tier like 'identical%') = 0""",
    "mode 1.1 has {:.1%} over all records; the mean of {} frameworks is {:.1%}, and they lie "
    "between {:.1%} and {:.1%}.": """
        with frameworks as (
            select framework, sum(n_positive) / sum(n_known) as rate
            from failure_mode_prevalence
            where label_source = 'mad judge' and mast14_code = '1.1'
            group by framework
        )

        select
            max(rate) filter (where framework = 'all'), count(*) filter (where framework <> 'all'),
            avg(rate) filter (where framework <> 'all'), min(rate), max(rate)
        from frameworks""",
    "share, {} have names that differ in some character, {} of them in a letter or a word.": r"""
        with pairs as (
            select modes.name, others.name as other_name from taxonomy_modes as modes
            inner join taxonomy_modes as others using (code)
            where modes.taxonomy = 'mast-14' and others.taxonomy = 'agentdash-0.1.0'
        )

        select
            count(*) filter (where name <> other_name),
            count(*) filter (where
                regexp_replace(lower(name), '[^a-z0-9]', '', 'g')
                <> regexp_replace(lower(other_name), '[^a-z0-9]', '', 'g'))
        from pairs""",
    "`trace_id + action_id` is tested on {:,} of {:,} steps; the other way {:,} steps without "
    "`action_id` would collide.": """
        select n_rows, n_rows + n_null_keys, n_null_keys
        from key_uniqueness
        where source_table = 'steps' and key_columns = 'trace_id + action_id'""",
    "by the file, {} records are of the framework `GAIA`": """
        select count(*) from mad_human_records where source_mas_name = 'GAIA'""",
}


@pytest.mark.parametrize("phrase", QUOTED)
def test_a_decision_quotes_what_the_sample_says(sample, phrase):
    numbers = sample.execute(QUOTED[phrase]).fetchone()
    said = phrase.format(*(_shortened(number) for number in numbers))
    said = re.sub(r"(\d)%", r"\1 %", said)
    assert said in " ".join(text_of("decisions.md").split())


def _shortened(number: Any) -> Any:
    return int(number) if isinstance(number, Decimal) else number


def test_every_example_of_the_sample_is_recomputed():
    page = " ".join(text_of("decisions.md").split())
    quoting = [entry for entry in re.split(r"### ", page)[1:] if "Example, bundled sample" in entry]
    patterns = [re.sub(r"\\{[^}]*\\}", ".+?", re.escape(phrase)) for phrase in QUOTED]
    for entry in quoting:
        assert any(re.search(pattern, entry) for pattern in patterns), entry[:60]


def test_every_decision_has_its_four_parts():
    entries = re.split(r"^### ", text_of("decisions.md"), flags=re.MULTILINE)[1:]
    assert entries
    for entry in entries:
        for part in ("- Chosen", "- The other way", "- Example", "- So:"):
            assert entry.count(f"\n{part}") == 1, (entry.splitlines()[0], part)


# links


def anchor_of(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def broken_links(page: Path, text: str) -> list[str]:
    """Links of a page to a file or a heading that is not there."""
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        headings = (
            re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
            if file.suffix == ".md" and file.is_file()
            else []
        )
        if not file.exists() or (anchor and anchor not in map(anchor_of, headings)):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert broken_links(page, page.read_text("utf-8")) == []


def test_a_broken_link_is_found():
    text = (
        "[a](docs/nowhere.md) [b](README.md#nowhere) [c](docs/walk.md#7-the-number) [d](https://x)"
    )
    assert broken_links(PROJECT / "README.md", text) == ["docs/nowhere.md", "README.md#nowhere"]
