"""The map of how errors travel: actions as discs, what one hands to the next as lines."""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from typing import NamedTuple

import altair as alt

from ingest.report.drawing import (
    BLUE,
    GREY,
    RED,
    Chart,
    Row,
    by_condition,
    condition_key,
    data,
    edge,
)
from ingest.report.drawing import tooltips as tips

_ROW_PX = 120  # from one row of actions to the next
_WIDEST_PX = 20  # of a line
_NO_ACTION = {"none", "unknown"}  # first wrong "actions" of attempts without a wrong step


class Place(NamedTuple):
    """Where an action stands: x from 0 to 1, y its row, and whether it stands aside."""

    x: float
    y: int
    is_aside: bool


def travel(starts: Sequence[Row], edges: Sequence[Row]) -> list[Chart]:
    """One map per data set and condition.

    `starts` are rows of the table error_starts, `edges` of error_transmission. Actions stand below
    those they build on. A disc's area is the number of attempts whose first wrong step is there. A
    line is as wide as the errors that reached its lower end, its red core as wide as those
    transmitted: the grey rim is what was absorbed.
    """
    started: dict[Hashable, dict[str, int]] = {}
    for row in starts:
        started.setdefault(condition_key(row), {})[row["first_wrong_action"]] = row["n_attempts"]
    return by_condition(
        "travel", edges, lambda group: _draw(started.get(condition_key(group[0]), {}), group)
    )


def _draw(started: dict[str, int], group: list[Row]) -> tuple[alt.LayerChart, str]:
    places = place(
        [(row["upstream_action"], row["downstream_action"]) for row in group],
        started.keys() - _NO_ACTION,
    )
    lines = [_line(row, places) for row in group]
    most_words = max(len(action.split("_")) for action in places)
    discs = [
        {
            "action": action,
            "attempts": started.get(action, 0),
            # as many lines for each in the top row, whose labels stand above their discs
            "label": "\n".join(
                [""] * (most_words - len(action.split("_")) if spot.y == 0 else 0)
                + [*action.split("_"), f"{started.get(action, 0)} start here"]
            ),
            **spot._asdict(),
        }
        for action, spot in places.items()
    ]
    n_rows = 1 + max(spot.y for spot in places.values())
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.3, 1.25]))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[n_rows - 0.6, -0.85]))
    layers = [
        *_draw_lines(lines, x, y),
        alt.Chart(data(discs))
        .mark_circle(color=BLUE, opacity=1)
        .encode(
            x=x,
            y=y,
            tooltip=tips("action", "attempts"),
            size=alt.Size(
                "attempts:Q",
                legend=None,
                scale=alt.Scale(
                    domain=[0, max(1, *(disc["attempts"] for disc in discs))], range=[60, 1600]
                ),
            ),
        ),
        *_label_discs(discs, most_words + 1, x, y),
    ]
    begun = sorted(started.items(), key=lambda item: (-item[1], item[0]))
    where = ", ".join(f"{n} at {action}" for action, n in begun if action not in _NO_ACTION)
    went = "; ".join(f"{line['edge']}: {line['label']} transmitted" for line in lines)
    return (
        alt.layer(*layers)
        .resolve_scale(strokeWidth="independent")
        .properties(height=_ROW_PX * n_rows),
        f"chains of errors start {where or 'nowhere'}; of {started.get('unknown', 0)} attempts it "
        f"is unknown whether one does. {went}",
    )


def _line(row: Row, places: dict[str, Place]) -> Row:
    upper, lower = places[row["upstream_action"]], places[row["downstream_action"]]
    return {
        "edge": edge(row),
        "x": upper.x,
        "y": upper.y,
        "x2": lower.x,
        "y2": lower.y,
        "middle_x": (upper.x + lower.x) / 2,
        "middle_y": (upper.y + lower.y) / 2,
        "reached": row["n_upstream_wrong"],
        "transmitted": row["n_transmitted"],
        "absorbed": row["n_absorbed"],
        "label": f"{row['n_transmitted']} of {row['n_upstream_wrong']}",
    }


def _draw_lines(lines: list[Row], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    widest = max(1, *(line["reached"] for line in lines))
    base = alt.Chart(data(lines))
    rules = [
        base.mark_rule(color=colour, opacity=opacity, strokeCap="round").encode(
            x=x,
            y=y,
            x2="x2:Q",
            y2="y2:Q",
            tooltip=tips("edge", "reached", "transmitted", "absorbed"),
            strokeWidth=alt.StrokeWidth(
                f"{field}:Q",
                legend=None,
                scale=alt.Scale(domain=[0, widest], range=[thinnest, _WIDEST_PX]),
            ),
        )
        for field, colour, opacity, thinnest in (
            ("reached", GREY, 0.55, 1),
            ("transmitted", RED, 1, 0),
        )
    ]
    labels = base.mark_text(align="left", dx=18, fontWeight="bold").encode(
        x=alt.X("middle_x:Q", axis=None), y=alt.Y("middle_y:Q", axis=None), text="label:N"
    )
    return [*rules, labels]


def _label_discs(discs: list[Row], most_lines: int, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Names above the top row, to the left of what stands aside, to the right of the rest."""
    line_px = 13
    above = {"dy": -22 - line_px * (most_lines - 1)}
    left = {"align": "right", "dx": -24, "dy": -10}
    right = {"align": "left", "dx": 24, "dy": -10}
    sides = [above if disc["y"] == 0 else left if disc["is_aside"] else right for disc in discs]
    return [
        alt.Chart(data([disc for disc, its in zip(discs, sides, strict=True) if its is side]))
        .mark_text(lineBreak="\n", lineHeight=line_px, **side)
        .encode(x=x, y=y, text="label:N")
        for side in (above, left, right)
    ]


def place(edges: Sequence[tuple[str, str]], starts: Set[str] = frozenset()) -> dict[str, Place]:
    """Where each action of the (upper, lower) edges stands, and each of `starts`.

    An action stands below all it builds on, in the middle of them; aside, to the left, where a
    line goes past it, from one it builds on to one that builds on it. The edges have no circle.
    """
    above: dict[str, set[str]] = {}
    below: dict[str, set[str]] = {}
    for upper, lower in sorted(edges):
        above.setdefault(lower, set()).add(upper)
        below.setdefault(upper, set()).add(lower)
    row = dict.fromkeys(sorted(above.keys() | below.keys() | starts), 0)
    for _ in row:  # the longest way down
        for upper, lower in edges:
            row[lower] = max(row[lower], row[upper] + 1)
    tops = sorted(
        (action for action in row if action not in above),
        key=lambda action: (
            min((row[lower] for lower in below.get(action, ())), default=9),
            action,
        ),
    )
    places: dict[str, Place] = {}
    for action in sorted(row, key=lambda action: (row[action], action)):
        uppers = sorted(above.get(action, ()))
        is_aside = any(below[upper] & below.get(action, set()) for upper in uppers)
        if uppers:
            x = sum(places[upper].x for upper in uppers) / len(uppers) - 0.25 * is_aside
        else:
            x = tops.index(action) / max(len(tops) - 1, 1)
        places[action] = Place(x, row[action], is_aside)
    return places
