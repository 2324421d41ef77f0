"""A corpus of any size for the benchmarks: the bundled traces, repeated in runs of 200 rooms."""

from __future__ import annotations

import itertools
from pathlib import Path

from ingest.home import SAMPLE

ROOMS_PER_RUN = 200


def make_corpus(folder: Path, n_bytes: int) -> tuple[int, int]:
    """Write at least `n_bytes` of traces below `folder`; return (files, bytes) written.

    Runs are named and sized as upstream's: 200 regular rooms of one model and temperature.
    """
    sources = sorted(SAMPLE.glob("madbench-sample-v*/run_*[0-9]/*.json"))
    contents = itertools.cycle([source.read_bytes() for source in sources])
    n_files = size = 0
    for run in itertools.count():
        if size >= n_bytes:
            return n_files, size
        model = f"model-{run // 3}_{(0.0, 0.3, 0.6)[run % 3]}"
        target = folder / f"run_{20260101 + run // 24:08d}_{run % 24:02d}0000_{model}"
        target.mkdir(parents=True)
        for room in range(ROOMS_PER_RUN):
            data = next(contents)
            outcome = "escaped" if b'"escaped": true' in data[-200:] else "failed"
            name = (
                f"20260101{room // 60:04d}{room % 60:02d}_EscapeRoom_room_{room:04d}_{outcome}.json"
            )
            (target / name).write_bytes(data)
            n_files += 1
            size += len(data)
