"""The bundled samples: every count their simulation kept comes out of the published tables.

`tests/golden/sample_v*.expected.json` hold the counts, keyed by run, model, temperature and
difficulty, then action and signal or label, joined by "|". A group that counts nothing has no key.
A run is a condition here, so that marts, which know no runs, can be asked as well as facts.
"""

from __future__ import annotations

import json

import duckdb
import pytest
from builders import GOLDEN

SAMPLES = {"madbench-sample-v1": "sample_v1", "madbench-sample-v3": "sample_v3"}
EXPECTED = {
    dataset: json.loads((GOLDEN / f"{name}.expected.json").read_text("utf-8"))
    for dataset, name in SAMPLES.items()
}
DIMS = ("dataset", "split", "model", "temperature", "clue_domain", "unit_tools", "injection")
GROUP = (
    "concat_ws('|', string_split(run_id, '/')[-1], model, cast(temperature as double), difficulty)"
)

# Each query gives a key and a number, which are summed. A name in braces is that table, of one data
# set: a fact, which knows its run, or a mart, which learns it from `runs`.
FROM_MARTS = {
    "rooms": "select {group}, n_rooms from {escape_rates}",
    "escaped": "select {group}, n_escaped from {escape_rates}",
    "puzzles": "select {group}, n_attempts from {propagation_chains}",
    "solved": "select {group}, n_solved from {propagation_chains}",
    "first_wrong": (
        "select {group} || '|' || first_wrong_action, n_attempts from {propagation_chains}"
    ),
    "chain": "select step_pattern, n_attempts from {propagation_chains}",
    "signal": "select concat_ws('|', {group}, action, signal), n_signal from {signal_frequencies}",
    "status": (
        "select concat_ws('|', {group}, action, 'wrong'), n_signal from {signal_frequencies} "
        "where signal = 'wrong' union all "
        "select concat_ws('|', {group}, action, 'correct'), n_recorded - n_signal "
        "from {signal_frequencies} where signal = 'wrong'"
    ),
    "steps": "select '', n_steps from {signal_frequencies} where signal = 'wrong'",
    "traces": "select '', n_rooms from {escape_rates}",
    "crashed": "select '', n_signal from {room_signal_frequencies} where signal = 'crashed'",
}
FROM_FACTS = {
    "rooms": "select {group}, 1 from {rooms}",
    "escaped": "select {group}, 1 from {rooms} where escaped",
    "puzzles": "select {group}, 1 from {attempts}",
    "solved": "select {group}, 1 from {attempts} where is_solved",
    "first_wrong": "select {group} || '|' || first_wrong_action, 1 from {attempts}",
    "chain": "select step_pattern, 1 from {attempts}",
    "signal": (
        "from (select concat_ws('|', {group}, action, "
        "unnest(['wrong', 'schema_error', 'timed_out', 'superlong_reasoning'])), "
        "cast(unnest([status = 'wrong', has_schema_error, timed_out, superlong_reasoning]) as int) "
        "from {steps})"
    ),
    "status": "select concat_ws('|', {group}, action, status), 1 from {steps}",
    "steps": "select '', 1 from {steps}",
    "traces": "select '', 1 from {rooms}",
    "crashed": "select '', 1 from {rooms} where is_crashed",
}
FACTS = ("rooms", "attempts", "steps")
MARTS = ("escape_rates", "propagation_chains", "signal_frequencies", "room_signal_frequencies")


def counts(connection: duckdb.DuckDBPyConnection, dataset: str, query: str) -> dict[str, int] | int:
    """Key -> sum of what the query counts, without zeros; one number where nothing is grouped."""
    sources = {name: f"(from {name} where dataset = '{dataset}')" for name in FACTS}
    for name in MARTS:
        sources[name] = (
            f"(select mart.*, runs.run_id from {name} as mart inner join runs using "
            f"({', '.join(DIMS)}) where mart.dataset = '{dataset}')"
        )
    counted = query.format(group=GROUP, **sources)
    rows = connection.execute(
        "select key, cast(sum(n) as bigint) as n_sum "
        f"from ({counted}) as counted (key, n) group by key having n_sum > 0"
    ).fetchall()
    found = dict(rows)
    return found.get("", 0) if set(found) <= {""} else found


def test_every_count_of_the_samples_is_asked_for() -> None:
    for expected in EXPECTED.values():
        assert set(expected) - {"published"} == set(FROM_FACTS) == set(FROM_MARTS)
        assert not expected["published"]


@pytest.mark.parametrize("dataset", SAMPLES)
def test_a_run_of_the_samples_is_one_condition(
    sample: duckdb.DuckDBPyConnection, dataset: str
) -> None:
    n_runs, n_conditions = sample.execute(
        f"select count(*), count(distinct row({', '.join(DIMS)})) from runs where dataset = ?",
        [dataset],
    ).fetchone()
    assert n_runs == n_conditions > 0


@pytest.mark.parametrize("dataset", SAMPLES)
@pytest.mark.parametrize("count", FROM_MARTS)
@pytest.mark.parametrize("queries", [FROM_MARTS, FROM_FACTS], ids=["marts", "facts"])
def test_count_of_the_sample_comes_out_exactly(
    sample: duckdb.DuckDBPyConnection, dataset: str, count: str, queries: dict[str, str]
) -> None:
    expected = EXPECTED[dataset][count]
    observed = counts(sample, dataset, queries[count])
    if isinstance(expected, dict):
        different = {
            key: (expected.get(key), observed.get(key))
            for key in sorted({*expected, *observed})
            if expected.get(key) != observed.get(key)
        }
        assert not different, "key: (expected, published)"
    assert observed == expected


# The real rooms

REAL_CHECKS = "(from ground_truth_checks where dataset = 'madbench-rooms')"


def test_ground_truth_of_every_real_puzzle_is_the_published_one(
    sample: duckdb.DuckDBPyConnection,
) -> None:
    found = sample.execute(
        "select count(*), count(*) filter (where agrees), "
        "count(*) filter (where published = recomputed), "
        f"count(*) filter (where is_inert) from {REAL_CHECKS}"
    ).fetchone()
    assert found == (69, 69, 69, 14)


def test_five_easy_rooms_have_only_inert_puzzles(sample: duckdb.DuckDBPyConnection) -> None:
    found = sample.execute(
        "with rooms as (select room_id, bool_and(is_inert) as is_all_inert "
        f"from {REAL_CHECKS} inner join room_definitions using (dataset, split, room_id) "
        "where difficulty = 'easy' group by room_id) "
        "select count(*), count(*) filter (where is_all_inert) from rooms"
    ).fetchone()
    assert found == (25, 5)


def test_inert_puzzles_are_the_same_in_the_definitions(sample: duckdb.DuckDBPyConnection) -> None:
    found = sample.execute(
        "select count(*), count(*) filter (where is_inert) from puzzle_definitions "
        "where dataset = 'madbench-rooms'"
    ).fetchone()
    assert found == (69, 14)


# The published escape rates, percent: typed here from the data set's card, not read from the seed

CARD_REGULAR = {
    "deepseek-reasoner": (27, 30, 28),
    "gpt-5.4": (23, 22, 25),
    "claude-sonnet-4-20250514": (22, 23, 22),
    "gpt-4.1-mini": (18, 20, 18),
    "gpt-4.1": (16, 16, 18),
    "Qwen2.5-14B-Instruct": (4, 5, 3),
}
CARD_NIGHTMARE = {
    "deepseek-reasoner": (10, 6, 12),
    "gpt-5.4": (2, 2, 2),
    "gpt-4.1": (0, 0, 0),
    "claude-sonnet-4-20250514": (0, 0, 0),
    "Qwen2.5-14B-Instruct": (0, 0, 0),
}
EVAL = {
    "deepseek-reasoner": (52, 20, 8, 10),
    "gpt-5.4": (48, 20, 2, 2),
    "claude-sonnet-4-20250514": (38, 20, 6, 0),
    "Qwen2.5-14B-Instruct": (12, 0, 0, 0),
}
TEMPERATURES = ("0.00", "0.30", "0.60")
DIFFICULTIES = ("easy", "medium", "hard", "nightmare")


def published_cells() -> set[tuple]:
    """(source, split, model, temperature, difficulty, percent, N) of every published cell."""
    cells = set()
    for split, n, table in (("regular", 200, CARD_REGULAR), ("nightmare", 50, CARD_NIGHTMARE)):
        difficulty = "nightmare" if split == "nightmare" else "all"
        for model, percents in table.items():
            for temperature, percent in zip(TEMPERATURES, percents, strict=True):
                cells.add(("card", split, model, temperature, difficulty, percent, n))
    for model, percents in EVAL.items():
        for difficulty, percent in zip(DIFFICULTIES, percents, strict=True):
            split = "nightmare" if difficulty == "nightmare" else "regular"
            cells.add(("eval", split, model, "0.00", difficulty, percent, 50))
    return cells


def test_every_published_cell_is_in_the_reconciliation(sample: duckdb.DuckDBPyConnection) -> None:
    cells = published_cells()
    assert len(cells) == 33 + 16
    found = sample.execute(
        "select distinct case when source like '%eval%' then 'eval' else 'card' end, split, model, "
        "cast(temperature as varchar), difficulty, published_pct, published_n "
        "from escape_rate_reconciliation"
    ).fetchall()
    assert set(found) == cells


def test_synthetic_rates_are_never_compared_with_published_ones(
    sample: duckdb.DuckDBPyConnection,
) -> None:
    found = sample.execute(
        "select distinct reconciliation.dataset, verdict, n_rooms > 0 "
        "from escape_rate_reconciliation as reconciliation order by all"
    ).fetchall()
    assert found == [
        ("madbench-sample-v1", "not comparable", True),
        ("madbench-sample-v3", "not comparable", True),
        ("none", "not loaded", False),
    ]


def test_data_sets_that_are_simulated_say_so(sample: duckdb.DuckDBPyConnection) -> None:
    found = sample.execute("select dataset, is_synthetic from datasets order by dataset").fetchall()
    assert found == [
        ("mad-sample", True),
        ("madbench-rooms", False),
        ("madbench-sample-v1", True),
        ("madbench-sample-v3", True),
    ]
