"""MAD's full file at full size: what its ingest costs beside the plain way to read it.

The twin has the keys and labels of the bundled facsimile and bodies of the published sizes, cut
from the bundled real traces. In one twin no two records share a key, so that ingest measures no
similarity; in the other the keys collide as published, and the difference is what that costs.

Usage: python -m bench.mad FOLDER; the processes it starts: twin FILE alone|paired,
yardstick FILE OUT. The twins are made in processes of their own, because the system counts the
memory of the process that starts another as the other's too.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.costs import REPEATS, Cost, add_row, median_of, new_table, run

N_BYTES = 200_000_000
SHORTEST, MEDIAN, LONGEST = 1_262, 9_700, 2_004_123  # characters of a body
_STEP = 911  # has no divisor in common with the number of records: spreads the long bodies


def lengths(n: int, total: float) -> list[int]:
    """So many lengths, in order of size, from the shortest to the longest with about that sum."""

    def at(share: float, bend: float) -> int:
        if share < 0.5:
            return round(SHORTEST * (MEDIAN / SHORTEST) ** (2 * share))
        return round(MEDIAN * (LONGEST / MEDIAN) ** ((2 * share - 1) ** bend))

    low, high = 0.1, 10.0  # the more bent, the fewer long ones
    for _ in range(50):
        bend = (low + high) / 2
        found = [at(number / (n - 1), bend) for number in range(n)]
        low, high = (bend, high) if sum(found) > total else (low, bend)
    return found


def make_twin(path: str, which: str) -> None:
    """Write a twin of the full file, its keys `alone` or `paired` as published."""
    from ingest.home import SAMPLE

    sample = SAMPLE / "mad-sample"
    records = json.loads((sample / "MAD_full_dataset.json").read_text("utf-8"))
    humans = json.loads((sample / "MAD_human_labelled_dataset.json").read_text("utf-8"))
    words = "\n".join(
        record["trace"] for record in humans if "[placeholder" not in record["trace"][:200]
    )
    bytes_per_char = len(json.dumps(words)) / len(words)
    sizes = lengths(len(records), N_BYTES / bytes_per_char)
    text = words * (LONGEST // len(words) + 2)
    for index, record in enumerate(records):
        size = sizes[index * _STEP % len(records)]
        head = f"[body {index}]\n"
        begin = index * _STEP % len(words)
        record["trace"]["trajectory"] = head + text[begin : begin + size - len(head)]
        if which == "alone":
            record["trace_id"] = index
    Path(path).write_text(json.dumps(records), "utf-8")


def load_and_write(path: str, out: str) -> None:
    """The yardstick: `json.load`, then every field to Parquet with pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with open(path, encoding="utf-8") as file:
        records = json.load(file)
    columns = {
        name: [record[name] for record in records]
        for name in ("mas_name", "llm_name", "benchmark_name", "trace_id")
    }
    columns |= {
        name: [record["trace"][name] for record in records]
        for name in ("key", "index", "trajectory")
    }
    columns |= {
        code: [record["mast_annotation"][code] for record in records]
        for code in records[0]["mast_annotation"]
    }
    pq.write_table(pa.table(columns), out)


def mad_table(folder: Path) -> Table:
    """Measure, in a folder that may be filled, and return the table."""
    this = [sys.executable, "-m", "bench.mad"]
    alone, paired, home = folder / "alone", folder / "paired", folder / "home"
    for twin in (alone, paired):
        twin.mkdir()
        run([*this, "twin", str(twin / "MAD_full_dataset.json"), twin.name])
    megabytes = (alone / "MAD_full_dataset.json").stat().st_size / 1e6

    def ingest(twin: Path) -> Cost:
        shutil.rmtree(home, ignore_errors=True)
        command = [sys.executable, "-m", "ingest.cli", "ingest", str(twin), "--home", str(home)]
        return run(command)

    plain, ours, with_pairs = [], [], []
    for _ in range(REPEATS):  # in turn, so that a change of the machine's speed meets them alike
        files = [alone / "MAD_full_dataset.json", folder / "plain.parquet"]
        plain.append(run([*this, "yardstick", *map(str, files)]))
        ours.append(ingest(alone))
        with_pairs.append(ingest(paired))
    yardstick, cost, cost_with_pairs = median_of(plain), median_of(ours), median_of(with_pairs)
    sizes = _sizes(home)
    table = new_table(
        f"MAD's full file: {len(sizes):,} records, {megabytes:,.0f} MB, bodies of {min(sizes):,} "
        f"to {max(sizes):,} characters, median {statistics.median(sizes):,.0f}; "
        f"median of {REPEATS}"
    )
    add_row(table, "json.load, fields to Parquet with pyarrow", yardstick, read_mb=megabytes)
    add_row(
        table,
        "madw ingest",
        cost,
        f"{cost.seconds / yardstick.seconds:.2f} x the time of that",
        "at most 1 x; peak < 600",
        read_mb=megabytes,
    )
    add_row(
        table,
        "madw ingest, keys that collide as published",
        cost_with_pairs,
        f"similarity: {cost_with_pairs.seconds - cost.seconds:.2f} s",
    )
    return table


def _sizes(home: Path) -> list[int]:
    """The length of every body, as the lake has it."""
    import pyarrow.parquet as pq

    (path,) = home.glob("lake/trace_bodies/dataset=paired/data.parquet")
    return pq.read_table(path, columns=["n_chars"])["n_chars"].to_pylist()


def main() -> None:
    """Print the table of this file alone, or be one of the processes it starts."""
    what, *arguments = sys.argv[1:]
    if arguments:
        {"twin": make_twin, "yardstick": load_and_write}[what](*arguments)
    else:
        Console(width=120).print(mad_table(Path(what)))


if __name__ == "__main__":
    main()
