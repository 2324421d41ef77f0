"""What every chart of the report shares: colours, labels, and one chart per condition.

Text and axes are drawn in the page's own text colour, marks in colours that stand out on a light
and on a dark page alike, so one specification serves both. Every chart is one view as wide as its
place; what would be a facet is a chart of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import altair as alt

Row = dict[str, Any]

MOST_CHARTS = 8  # of one kind; the tables hold the rest
_LONGEST = 120  # characters of a text in a chart
MOST_DRAWN = 200  # rows of one chart; its heading then says so
BLUE, ORANGE, RED = "#3b82f6", "#d9730d", "#e5484d"
GREEN, PURPLE, GREY = "#2e9e5b", "#8e63d8", "#7d8590"
TEXT = "currentColor"
PERCENT = alt.Axis(format=".0%", tickCount=5)
_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": TEXT,
        "titleColor": TEXT,
        "titleFontWeight": "normal",
        "gridColor": GREY,
        "gridOpacity": 0.3,
        "domainColor": GREY,
        "tickColor": GREY,
        "labelLimit": 260,
    },
    "legend": {
        "labelColor": TEXT,
        "titleColor": TEXT,
        "orient": "top",
        "columns": 2,  # so that it fits a phone
        "labelLimit": 300,
    },
    "text": {"color": TEXT},
}


class Chart(NamedTuple):
    """A drawing: what it is of, the same in words for who cannot see it, and its Vega-Lite."""

    name: str
    heading: str
    alt: str
    spec: dict[str, Any]


def chart(name: str, heading: str, words: str, drawn: alt.LayerChart) -> Chart:
    """The chart of what was drawn, as wide as its place."""
    spec = drawn.properties(width="container", autosize="fit-x").configure(**_CONFIG).to_dict()
    heading = short(heading) if len(heading) > 2 * _LONGEST else heading
    return Chart(name, heading, f"{heading}: {words}. The table below holds every number.", spec)


def by_condition(
    name: str,
    rows: Sequence[Row],
    draw: Callable[[list[Row]], tuple[alt.LayerChart, str] | None],
) -> list[Chart]:
    """`draw` for each data set and condition: the first MOST_CHARTS that have something to show.

    `draw` gives the layers and what they show in words, or None where there is nothing.
    """
    charts: list[Chart] = []
    for _, group in groups(rows, condition_key):
        drawn = draw(group[:MOST_DRAWN]) if len(charts) < MOST_CHARTS else None
        if drawn is not None:
            layers, words = drawn
            heading = cut(condition(group[0]), group)
            charts.append(chart(f"{name}-{len(charts)}", heading, words, layers))
    return charts


def cut(heading: str, rows: Sequence[Row]) -> str:
    """The heading, and how many of the rows are drawn where that is not all."""
    if len(rows) <= MOST_DRAWN:
        return heading
    return f"{heading} (the first {MOST_DRAWN} of {len(rows):,} rows)"


def groups(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> list[tuple[Any, list[Row]]]:
    """The rows by their key, in the order in which the keys first come."""
    found: dict[Hashable, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return list(found.items())


def condition_key(row: Row) -> tuple[Any, ...]:
    """The data set and condition of a row."""
    return row["dataset"], row["clue_domain"], row["unit_tools"], row["injection"]


def condition(row: Row) -> str:
    """The data set and condition of a row in words."""
    tools = "with unit tools" if row["unit_tools"] else None
    injected = None if row["injection"] == "none" else f"injected {row['injection']}"
    return ", ".join(filter(None, [row["dataset"], row["clue_domain"], tools, injected]))


def model_run(row: Row) -> str:
    """The model and temperature of a row in words."""
    temperature = "?" if row["temperature"] is None else f"{row['temperature']:.2f}"
    model = short(row["model"] or "unknown model")
    return f"\u2068{model}\u2069 · {temperature}"  # a right-to-left name keeps to itself


def short(text: str) -> str:
    """A text that fits beside an axis: the middle of a longer one is left out."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 30]}…{text[-30:]}"


def edge(row: Row) -> str:
    """The two actions of a row of `error_transmission`."""
    return f"{short(row['upstream_action'])} → {short(row['downstream_action'])}"


def data(rows: list[Row]) -> alt.InlineData:
    """The rows as a chart's own data, their texts cut short."""
    return alt.InlineData(
        values=[
            {name: short(value) if isinstance(value, str) else value for name, value in row.items()}
            for row in rows
        ]
    )


def tooltips(*names: str) -> list[alt.Tooltip]:
    """The values of these fields, as they are."""
    return [alt.Tooltip(name, type="nominal", title=name.replace("_", " ")) for name in names]
