"""`make bench`: what ingest and build cost, each beside a yardstick measured in the same run.

Every figure is the median of three runs of a whole process, start-up included. Peak memory is that
of the largest process, as the operating system reports it.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from bench.corpus import make_corpus
from bench.costs import HERE, REPEATS, Cost, add_row, median, median_of, new_table, run
from bench.mad import mad_table

MADW = [sys.executable, "-m", "ingest.cli"]
JOBS = 2


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Measure, and print one table for the traces and one for MAD."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=500, help="size of the corpus")
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="madw-bench-") as folder:
        _measure(Path(folder), options.megabytes * 1_000_000)
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="madw-bench-") as folder:
        Console(width=120).print(mad_table(Path(folder)))


def _measure(folder: Path, n_bytes: int) -> None:
    corpus, home, scratch = folder / "corpus", folder / "home", folder / "scratch"
    part = folder / "part"  # read_json is so slow that a tenth must do
    n_files, size = make_corpus(corpus, n_bytes)
    _, part_size = make_corpus(part, n_bytes // 10)
    megabytes = size / 1e6
    yardstick = [sys.executable, str(HERE / "yardsticks.py")]

    def fresh_ingest() -> Cost:
        shutil.rmtree(home, ignore_errors=True)
        return run([*MADW, "ingest", str(corpus), "--jobs", str(JOBS), "--home", str(home)])

    def again() -> Cost:
        return run([*MADW, "ingest", str(corpus), "--jobs", str(JOBS), "--home", str(home)])

    def read_json() -> Cost:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        return run([*yardstick, "read_json", str(part), str(scratch)])

    def one_run() -> Cost:
        shutil.rmtree(scratch, ignore_errors=True)
        return run([*MADW, "ingest", str(extra), "--jobs", "1", "--home", str(scratch)])

    # In turn, so that a change of the machine's speed meets them alike.
    orjson_costs, ingest_costs = [], []
    for _ in range(REPEATS):
        orjson_costs.append(run([*yardstick, "orjson", str(corpus)]))
        ingest_costs.append(fresh_ingest())
    orjson_s = statistics.median(cost.seconds for cost in orjson_costs)
    ingest = median_of(ingest_costs)
    ratio = statistics.median(
        yard.seconds / ours.seconds for yard, ours in zip(orjson_costs, ingest_costs, strict=True)
    )
    slow = median(read_json)
    stat = median(lambda: run([*yardstick, "stat", str(corpus)]))
    startup = median(lambda: run([*yardstick, "nothing"]))
    stat_s = stat.seconds - startup.seconds
    unchanged = median(again)
    extra = corpus / "run_20270101_000000_model-more_0.0"
    first = sorted(path for path in corpus.iterdir() if path.is_dir())[0]
    more_costs = []
    for number in range(REPEATS):
        extra = corpus / f"run_2027010{number + 1}_000000_model-more_0.0"
        shutil.copytree(first, extra)
        more_costs.append(again())
    more = statistics.median(cost.seconds for cost in more_costs)
    alone = median(one_run)
    lake_size = size_of(home / "lake")
    build = run([*MADW, "build", str(corpus), "--jobs", str(JOBS), "--home", str(home)])

    table = new_table(
        f"{n_files:,} traces, {megabytes:,.0f} MB, runs of 200 rooms; median of {REPEATS}"
    )
    add_row(
        table,
        "orjson, one process, parse only",
        Cost(orjson_s, orjson_costs[0].peak_mb),
        read_mb=megabytes,
    )
    add_row(
        table,
        f"madw ingest --jobs {JOBS}",
        ingest,
        f"{ratio:.2f} x orjson",
        "0.6 x; peak < 400",
        read_mb=megabytes,
    )
    add_row(
        table,
        f"DuckDB read_json, typed, to Parquet ({part_size / 1e6:,.0f} MB)",
        slow,
        f"ingest is {slow.seconds / part_size / ingest.seconds * size:.1f} x as fast",
        "6 x",
        read_mb=part_size / 1e6,
    )
    add_row(table, "bare scandir and stat", Cost(stat_s, stat.peak_mb))
    budget = 3 * stat_s + 0.5
    add_row(
        table, "madw ingest, nothing changed", unchanged, f"budget {budget:.2f} s", "within budget"
    )
    add_row(
        table,
        "madw ingest, one run more",
        Cost(more, more_costs[0].peak_mb),
        f"budget {budget + alone.seconds:.2f} s (that run alone: {alone.seconds:.2f} s)",
        "within budget",
    )
    add_row(table, "madw build, end to end, lake unchanged", build)
    console = Console(width=120)
    console.print(table)
    console.print(
        f"Lake: {lake_size / 1e6:,.1f} MB, {lake_size / size:.1%} of the raw JSON "
        f"(the corpus repeats the same {len(set(_names()))} traces)."
    )


def _names() -> list[str]:
    from ingest.home import SAMPLE

    return [str(path) for path in SAMPLE.glob("madbench-sample-v*/run_*[0-9]/*.json")]


if __name__ == "__main__":
    main()
