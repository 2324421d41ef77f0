"""MAD on the bundled sample: every published value, typed here from the audit and not from a seed.

And the rule that labels are joined by a mode's id, or by the code of MAST-14 it maps to: a model
that joins two tables by a bare `code` fails here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb
import pytest
from audit_figures import CODES, ONES, OVERLAPS

from ingest.home import PROJECT

Connection = duckdb.DuckDBPyConnection
DATASET = "mad-sample"


def rows(connection: Connection, query: str, *values: object) -> list[tuple]:
    """The rows of a query on the data set of MAD, whose name it knows as `$dataset`."""
    return connection.execute(query.replace("$dataset", f"'{DATASET}'"), values or None).fetchall()


# Rounds and their taxonomies


def test_rounds_hold_the_published_records_and_modes(sample: Connection) -> None:
    found = rows(
        sample,
        "select round, taxonomy, count(*), min(n_modes), max(n_modes) from mad_human_records "
        "where dataset = $dataset group by all order by round",
    )
    assert found == [
        ("Generlazability", "mast-14", 4, 14, 14),
        ("Round 1", "mad-round-1", 5, 18, 18),
        ("Round 2", "mad-round-2-3", 5, 17, 17),
        ("Round 3", "mad-round-2-3", 5, 17, 17),
    ]


def test_taxonomies_hold_the_published_number_of_modes(sample: Connection) -> None:
    found = rows(sample, "select taxonomy, count(*) from taxonomy_modes group by all")
    assert dict(found) == {
        "mad-round-1": 18,
        "mad-round-2-3": 17,
        "mast-14": 14,
        "mast-repo-definitions": 14,
        "mast-judge-answer-sheet": 14,
        "mast-judge-example": 16,
        "agentdash-0.1.0": 14,
        "adamast": 14,
        "madbench-generator": 17,
    }


@pytest.mark.parametrize("taxonomy", ["mad-round-1", "mad-round-2-3"])
def test_overlaps_and_mapping_are_the_published_ones(sample: Connection, taxonomy: str) -> None:
    found = rows(
        sample,
        "select mast14_code, code, overlap_chars from taxonomy_crosswalk "
        "where taxonomy = ? and mast14_code is not null",
        taxonomy,
    )
    generation = ["mad-round-1", "mad-round-2-3"].index(taxonomy)
    assert sorted(found) == [(code, *OVERLAPS[code][generation]) for code in CODES]


def test_codes_unchanged_and_modes_dropped(sample: Connection) -> None:
    found = rows(
        sample,
        "select taxonomy, count(*) filter (where same_code), count(*) filter (where kind = "
        "'dropped') from taxonomy_crosswalk where taxonomy like 'mad-round-%' group by all "
        "order by taxonomy",
    )
    assert found == [("mad-round-1", 2, 4), ("mad-round-2-3", 7, 3)]


def test_two_records_of_swapped_names_are_put_right(sample: Connection) -> None:
    found = rows(
        sample,
        "select record_index, mas_name, benchmark_name, source_mas_name, source_benchmark_name "
        "from mad_human_records where dataset = $dataset and is_corrected order by record_index",
    )
    assert found == [
        (17, "Magentic", "GAIA", "GAIA", "Magentic"),
        (18, "OpenManus", "GAIA", "GAIA", "OpenManus"),
    ]


def test_two_votes_are_missing_and_not_no(sample: Connection) -> None:
    found = rows(
        sample,
        "select round, code, annotator, trim(vote_json, '\"') from mad_human_annotations "
        "where dataset = $dataset and vote is null order by code",
    )
    assert found == [
        ("Generlazability", "3.2", "annotator_3", "NaN"),
        ("Generlazability", "3.3", "annotator_3", "NaN"),
    ]


# Blocks and agreement


def test_annotation_blocks_are_eight(sample: Connection) -> None:
    found = rows(
        sample,
        "select count(*), sum(n_records), sum(n_records) filter (where is_shared), "
        "max(n_rounds), min(n_frameworks) filter (where is_shared), max(n_effective) "
        "from annotation_blocks where dataset = $dataset",
    )
    assert found == [(8, 19, 18, 1, 2, 8)]


@pytest.mark.parametrize(("method", "kappa"), [("literal", 0.13), ("remapped", 0.27)])
def test_kappa_of_majority_and_judge(sample: Connection, method: str, kappa: float) -> None:
    found = rows(
        sample,
        "select n_records, n_cells, n_unknown, round(kappa, 2) from label_agreement "
        "where dataset = $dataset and human_record_id = 'all' and method = ?",
        method,
    )
    assert found == [(3, 42, 0, kappa)]


def test_only_the_record_of_round_1_gains_by_remapping(sample: Connection) -> None:
    found = rows(
        sample,
        "select task_tag, round, arg_min(kappa, method) <> arg_max(kappa, method) "
        "from label_agreement inner join mad_human_records on human_record_id = record_id "
        "group by all order by round",
    )
    assert found == [
        ("692c77d_1", "Round 1", True),
        ("cf6abd2_1", "Round 2", False),
        ("b119b1f_2", "Round 3", False),
    ]


def test_annotators_agree_by_round_and_pooled(sample: Connection) -> None:
    found = rows(
        sample,
        "select scope, counted, n_cells, n_missing, round(kappa, 2) from annotator_agreement "
        "where dataset = $dataset and statistic = 'fleiss' and scope in ('Round 3', "
        "'all, remapped') order by all",
    )
    assert found == [
        ("Round 3", "blocks", 34, 0, 0.81),
        ("Round 3", "records", 85, 0, 0.81),
        ("all, remapped", "blocks", 112, 2, 0.9),
        ("all, remapped", "records", 266, 2, 0.89),
    ]


# The full file


def test_keys_of_the_full_file_collide_as_published(sample: Connection) -> None:
    found = rows(
        sample,
        "select key_columns, n_rows, n_distinct, n_colliding_keys, n_rows_in_collisions "
        "from key_uniqueness where source_table = 'mad_full_records'",
    )
    assert {key: counts for key, *counts in found} == {
        "record_id": [1642, 1642, 0, 0],
        "body_sha256": [1642, 1642, 0, 0],
        "mas_name + llm_name + trace_id": [1642, 1522, 120, 240],
        "mas_name + llm_name + trace_id + trace_key": [1642, 1642, 0, 0],
        "mas_name + benchmark_name + llm_name + trace_id": [1642, 1552, 90, 180],
        "trace_key + trace_id": [1642, 1642, 0, 0],
    }


def test_colliding_pairs_fall_into_the_published_tiers(sample: Connection) -> None:
    found = rows(sample, "select tier, count(*) from key_collision_pairs group by all")
    assert dict(found) == {"shared prefix": 15, "similar": 8, "different": 97}
    assert rows(
        sample, "select count(*), count(*) filter (where has_other_trace_key) "
        "from key_collision_pairs"
    ) == [(120, 120)]  # fmt: skip


def test_label_blocks_of_the_full_file(sample: Connection) -> None:
    found = rows(
        sample,
        "with vectors as (select record_id, list(label order by mode_id) as vector "
        "from mad_full_annotations where dataset = $dataset group by record_id), "
        "counts as (select vector, count(*) as n_records from vectors group by vector) "
        "select count(*), max(n_records), "
        "max(n_records) filter (where not list_contains(vector, true)) from counts",
    )
    assert found == [(453, 401, 401)]


def test_prevalence_of_the_judge_is_the_published_count(sample: Connection) -> None:
    found = rows(
        sample,
        "select mast14_code, n_positive, n_known, n_unknown, n_units from failure_mode_prevalence "
        "where dataset = $dataset and label_source = 'mad judge' and framework = 'all' "
        "order by mast14_code",
    )
    assert found == [(code, n, 1638, 4, 1642) for code, n in ONES.items()]


def test_no_source_key_repeats_the_labels_of_another(sample: Connection) -> None:
    assert rows(sample, "select count(*) from label_sequence_repeats") == [(0,)]


# The names of 3.2 and 3.3, and what the prompt asks for


def test_sources_name_the_last_two_modes_differently(sample: Connection) -> None:
    found = rows(
        sample,
        "select taxonomy, code, name, mast14_code from taxonomy_crosswalk "
        "where code in ('3.2', '3.3') and taxonomy in ('mast-14', 'mast-repo-definitions', "
        "'mast-judge-answer-sheet', 'agentdash-0.1.0') order by all",
    )
    assert found == [
        ("agentdash-0.1.0", "3.2", "No or Incorrect Verification", "3.3"),
        ("agentdash-0.1.0", "3.3", "Weak Verification", "3.2"),
        ("mast-14", "3.2", "No or Incomplete Verification", "3.2"),
        ("mast-14", "3.3", "Incorrect Verification", "3.3"),
        ("mast-judge-answer-sheet", "3.2", "No or Incorrect Verification", "3.3"),
        ("mast-judge-answer-sheet", "3.3", "Weak Verification", "3.2"),
        ("mast-repo-definitions", "3.2", "Weak Verification", "3.2"),
        ("mast-repo-definitions", "3.3", "No or Incorrect Verification", "3.3"),
    ]


def test_drift_finds_the_swap_and_the_extra_codes(sample: Connection) -> None:
    swapped = rows(
        sample,
        "select mode_id, other_mode_id from taxonomy_drift where difference = 'code' and "
        "taxonomy = 'mast-repo-definitions' and other_taxonomy = 'mast-judge-answer-sheet' "
        "order by all",
    )
    assert swapped == [
        ("mast-repo-definitions:3.2", "mast-judge-answer-sheet:3.3"),
        ("mast-repo-definitions:3.3", "mast-judge-answer-sheet:3.2"),
    ]
    extra = rows(
        sample,
        "select other_mode_id from taxonomy_drift where difference = 'missing' and "
        "taxonomy = 'mast-judge-answer-sheet' and other_taxonomy = 'mast-judge-example' "
        "order by all",
    )
    assert extra == [("mast-judge-example:1.6",), ("mast-judge-example:2.7",)]


def test_drift_misses_one_mode_in_adamast(sample: Connection) -> None:
    found = rows(
        sample,
        "select mode_id, name from taxonomy_drift where taxonomy = 'mast-14' and "
        "other_taxonomy = 'adamast' and difference = 'missing'",
    )
    assert found == [("mast-14:2.6", "Reasoning-Action Mismatch")]


# The audit as a whole


def test_audit_differs_only_in_the_identity_of_the_files(sample: Connection) -> None:
    found = rows(sample, "select finding, verdict, count(*) from audit_findings group by all")
    verdicts: dict[str, dict[str, int]] = {}
    for finding, verdict, n in found:
        verdicts.setdefault(verdict, {})[finding] = n
    assert verdicts["differs"] == {"A": 4}
    assert verdicts["not loaded"] == {"F": 2}
    assert set(verdicts["match"]) == {"B", "C", "D", "E", "G", "H", "I", "kappa"}
    assert sum(verdicts["match"].values()) == 89 >= 40


PUBLISHED = {
    "A/human/bytes": "2662908",
    "A/human/sha256": "30a0c4075078e9a1",
    "A/full/bytes": "199574367",
    "A/full/sha256": "d636ac63dfc1c6af",
    "B/records": "19",
    "B/taxonomies": "3",
    "C/records-not-comparable": "15",
    "D/blocks": "8",
    "D/records-sharing": "18",
    "E/records": "1642",
    "E/bodies": "1642",
    "E/blocks": "453",
    "E/largest-block/records": "401",
    "E/largest-block/modes": "0",
    "E/records-without-labels": "4",
    "H/keys": "1522",
    "H/colliding-keys": "120",
    "H/records-in-collisions": "240",
    "H/colliding-keys-with-trace-key": "0",
    "H/pairs/identical": "0",
    "H/pairs/identical-after-whitespace": "0",
    "H/pairs/shared-prefix": "15",
    "H/pairs/similar": "8",
    "H/pairs/different": "97",
    "H/pairs/other-trace-key": "120",
    "I/codes-asked": "14",
    "I/codes-answered": "16",
    "I/codes-extra": "1.6, 2.7",
    "kappa/literal": "+0.13",
    "kappa/remapped": "+0.27",
    "kappa/literal/cells": "42",
    **{f"E/ones/{code}": str(n) for code, n in ONES.items()},
    **{
        f"C/{taxonomy}/{code}": "{} ({})".format(*OVERLAPS[code][generation])
        for generation, taxonomy in enumerate(["mad-round-1", "mad-round-2-3"])
        for code in CODES
    },
}


def test_seed_holds_what_was_published(sample: Connection) -> None:
    found = dict(rows(sample, "select check_id, published_value from audit_findings"))
    assert {check: found.get(check) for check in PUBLISHED} == PUBLISHED


# Steps of MADBench


def test_wrong_steps_get_a_failure_mode_or_say_that_none_fits(sample: Connection) -> None:
    found = rows(
        sample,
        "select count(*) filter (where failure_mode_rule is null), "
        "count(*) filter (where failure_mode_rule = 'trace'), "
        "count(*) filter (where (failure_mode is null) <> (failure_mode_rule = 'none')) "
        "from steps where status = 'wrong'",
    )
    assert found == [(0, 0, 0)]
    assert rows(
        sample, "select count(*) from steps where status is distinct from 'wrong' and "
        "failure_mode_rule is not null"
    ) == [(0,)]  # fmt: skip


# No model joins on a bare code

BARE_JOIN = re.compile(
    r"""
    \b\w+\.code \s* (?:=|is\s+not\s+distinct\s+from) \s* \w+\.code\b   # a.code = b.code
    | \b\w+\.code \s* = \s* \w+\.mast14_code\b | \b\w+\.mast14_code \s* = \s* \w+\.code\b
    | \busing \s* \( [^)]* (?<![\w.])code(?!\w) [^)]* \)                # using (code)
    | \bnatural \s+ (?:\w+\s+)*join\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
CLAUSE = re.compile(
    r"\b(?:left|right|inner|full|cross|anti|semi|where|group|order|qualify|having|union|join)\b|;",
    re.IGNORECASE,
)


def bare_joins(sql: str) -> Iterator[str]:
    """Comparisons of bare codes in a join whose clause says nothing of the taxonomy."""
    text = re.sub(r"--[^\n]*|\{#.*?#\}", " ", sql, flags=re.DOTALL)
    for found in BARE_JOIN.finditer(text):
        before = [match.end() for match in CLAUSE.finditer(text, 0, found.start())]
        after = CLAUSE.search(text, found.end())
        clause = text[before[-1] if before else 0 : after.start() if after else len(text)]
        names_taxonomy = re.search(r"\btaxonomy\b", clause, re.IGNORECASE)
        is_reference = re.search(r"\bmast14_modes\b", clause, re.IGNORECASE)
        if not (names_taxonomy or is_reference):
            yield " ".join(found.group().split())


def test_no_model_joins_on_a_bare_code() -> None:
    models = sorted((PROJECT / "models").glob("**/*.sql"))
    assert len(models) > 40
    found = {path.name: list(bare_joins(path.read_text("utf-8"))) for path in models}
    assert {name: joins for name, joins in found.items() if joins} == {}


BAD = {
    "a join of codes": "select 1 from a inner join b on a.code = b.code",
    "beside another condition": (
        "from a left join b on a.dataset = b.dataset\n    and a.code\n    = b.code where 1 = 1"
    ),
    "codes of one list": "from a join b using (dataset, code)",
    "every shared column": "from a natural join b",
    "a code taken for one of MAST-14": "from a join b on a.code = b.mast14_code",
    "in a condition": "from a, b where a.code = b.code",
    "taxonomy in another join": (
        "from a join b on a.taxonomy = b.taxonomy join c on a.code = c.code"
    ),
    "taxonomy in a remark": "from a join b on a.code = b.code -- same taxonomy",
}
GOOD = {
    "with the taxonomy": "from a join b on a.taxonomy = b.taxonomy and a.code = b.code",
    "by id": "from a join b on a.mode_id = b.mode_id",
    "by the code of MAST-14": "from a join b on a.mast14_code = b.mast14_code",
    "another code": "from a join b on a.error_code = b.error_code",
}


@pytest.mark.parametrize("sql", BAD.values(), ids=list(BAD))
def test_rule_finds_a_bare_code(sql: str) -> None:
    assert len(list(bare_joins(sql))) == 1


@pytest.mark.parametrize("sql", GOOD.values(), ids=list(GOOD))
def test_rule_lets_a_mode_pass(sql: str) -> None:
    assert list(bare_joins(sql)) == []
