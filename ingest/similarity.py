"""How alike two texts are, as numbers: what SQL cannot measure well. No threshold stands here.

Every measure is exact and defined once:

- the common run of two texts is the length of their longest common substring, in characters;
- the common prefix is counted in characters of the texts as they are;
- the ratio is that of Python's `difflib.SequenceMatcher`, with its own junk heuristic, over the
  first 20,000 characters of both texts after white space was made one space.
"""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

RATIO_CHARS = 20_000
_SPACE = re.compile(r"\s+")


class PairMeasures(NamedTuple):
    """Two texts measured against each other."""

    is_identical: bool
    is_identical_after_whitespace: bool
    prefix_chars: int
    shorter_chars: int
    similarity_ratio: float


def one_spaced(text: str) -> str:
    """The text with every run of white space made one space, and none at its ends."""
    return _SPACE.sub(" ", text).strip(" ")


def longest_common_run(first: str, second: str) -> int:
    """Characters of the longest run that stands in both texts."""
    longest = 0
    for start in range(len(first)):
        while start + longest < len(first) and first[start : start + longest + 1] in second:
            longest += 1
    return longest


def common_prefix(first: str, second: str) -> int:
    """Characters that both texts begin with."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[:middle] == second[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def measure_pair(first: str, second: str) -> PairMeasures:
    """Measure two texts; `first` is the earlier one, because the ratio depends on the order."""
    plain, other = one_spaced(first), one_spaced(second)
    return PairMeasures(
        first == second,
        plain == other,
        common_prefix(first, second),
        min(len(first), len(second)),
        _ratio(plain[:RATIO_CHARS], other[:RATIO_CHARS]),
    )


def _ratio(first: str, second: str) -> float:
    if first == second:  # what difflib says too, without its quadratic way there
        return 1.0
    return difflib.SequenceMatcher(None, first, second).ratio()
