"""Figures of the public audit of MAD that several tests compare with, typed from it."""

from __future__ import annotations

SPECIFICATION = ("1.1", "1.2", "1.3", "1.4", "1.5")
COORDINATION = ("2.1", "2.2", "2.3", "2.4", "2.5", "2.6")
VERIFICATION = ("3.1", "3.2", "3.3")
CODES = (*SPECIFICATION, *COORDINATION, *VERIFICATION)
# code of MAST-14 -> (code, characters of description shared) in Round 1 and in Rounds 2 and 3
OVERLAPS = {
    "1.1": (("1.1", 124), ("1.1", 124)),
    "1.2": (("2.6", 141), ("1.7", 141)),
    "1.3": (("2.2", 124), ("1.5", 124)),
    "1.4": (("2.3", 123), ("1.6", 123)),
    "1.5": (("1.5", 165), ("1.3", 165)),
    "2.1": (("2.4", 116), ("2.1", 116)),
    "2.2": (("1.4", 162), ("2.2", 162)),
    "2.3": (("2.5", 124), ("2.3", 124)),
    "2.4": (("3.2", 184), ("2.6", 184)),
    "2.5": (("3.3", 198), ("2.7", 198)),
    "2.6": (("1.2", 152), ("1.2", 152)),
    "3.1": (("4.1", 390), ("3.1", 390)),
    "3.2": (("4.3", 446), ("3.2", 563)),
    "3.3": (("4.2", 211), ("3.3", 211)),
}
# code -> records of the full file labelled with it
ONES = dict(
    zip(CODES, (591, 91, 664, 117, 436, 80, 265, 353, 24, 370, 610, 274, 608, 658), strict=True)
)
