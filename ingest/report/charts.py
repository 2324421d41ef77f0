"""The charts of rates and of the crosswalk: rows of `tables` in, Vega-Lite specifications out."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from ingest.report.drawing import (
    BLUE,
    GREEN,
    GREY,
    MOST_CHARTS,
    MOST_DRAWN,
    ORANGE,
    PERCENT,
    PURPLE,
    RED,
    TEXT,
    Chart,
    Row,
    by_condition,
    chart,
    cut,
    data,
    edge,
    groups,
    model_run,
    tooltips,
)

_DIFFICULTIES = {
    "easy": (GREEN, "circle"),
    "medium": (BLUE, "square"),
    "hard": (ORANGE, "triangle-up"),
    "nightmare": (RED, "diamond"),
}
_OTHER_DIFFICULTY = (GREY, "cross")
_VERDICTS = {
    "match": GREEN,
    "differs": RED,
    "partial": ORANGE,
    "not comparable": GREY,
    "not loaded": PURPLE,
}
_CODES = {
    "same code": "#dbe7fb",
    "another code": "#b23a0e",
    "several modes": "#7c3aed",
    "codes of its own": "#e5e7eb",
}
_DARK_CODES = ["another code", "several modes"]


def escape_rates(rows: Sequence[Row]) -> list[Chart]:
    """One chart per data set and condition: each model and temperature with its intervals."""
    return by_condition("escape", rows, _draw_escape_rates)


def _draw_escape_rates(group: list[Row]) -> tuple[alt.LayerChart, str] | None:
    points = [
        row | {"run": model_run(row), "difficulty": row["difficulty"] or "unknown"}
        for row in group
        if row["escape_rate"] is not None
    ]
    if not points:
        return None
    others = sorted({row["difficulty"] for row in points} - _DIFFICULTIES.keys())
    looks = _DIFFICULTIES | dict.fromkeys(others, _OTHER_DIFFICULTY)
    order = list(looks)
    colours, shapes = (list(column) for column in zip(*looks.values(), strict=True))
    title = "escape rate, 95 % interval"
    base = alt.Chart(data(points)).encode(
        y=alt.Y("run:N", title=None, sort=list(dict.fromkeys(row["run"] for row in points))),
        yOffset=alt.YOffset("difficulty:N", sort=order),
        color=alt.Color(
            "difficulty:N", title=None, sort=order, scale=alt.Scale(domain=order, range=colours)
        ),
        tooltip=[
            *tooltips("run", "difficulty", "n_rooms", "n_escaped"),
            *(
                alt.Tooltip(f"{name}:Q", title=name.replace("_", " "), format=".1%")
                for name in ("escape_rate", "ci_low", "ci_high")
            ),
        ],
    )
    intervals = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("ci_low:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=PERCENT),
        x2="ci_high:Q",
    )
    dots = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("escape_rate:Q", title=title),
        shape=alt.Shape(
            "difficulty:N", title=None, sort=order, scale=alt.Scale(domain=order, range=shapes)
        ),
    )
    lowest, highest = (pick(points, key=lambda row: row["escape_rate"]) for pick in (min, max))
    words = " to ".join(
        f"{row['escape_rate']:.1%} ({row['run']}, {row['difficulty']})" for row in (lowest, highest)
    )
    n_lines = len({row["run"] for row in points}) * len({row["difficulty"] for row in points})
    return (
        alt.layer(intervals, dots).properties(height=12 * n_lines),
        f"{len(points)} escape rates with intervals, from {words}",
    )


def published_rates(rows: Sequence[Row]) -> list[Chart]:
    """One chart per source and data set: each published rate joined to the one observed."""
    compared = [row for row in rows if row["observed_pct"] is not None]
    by_source = groups(compared, lambda row: (row["source"], row["dataset"]))
    return [
        _draw_published(
            f"published-{index}", cut(f"{source} beside {dataset}", group), group[:MOST_DRAWN]
        )
        for index, ((source, dataset), group) in enumerate(by_source[:MOST_CHARTS])
    ]


def _draw_published(name: str, heading: str, group: list[Row]) -> Chart:
    cells = [
        row
        | {
            "cell": f"{model_run(row)} · "
            + (row["split"] if row["difficulty"] == "all" else row["difficulty"])
        }
        for row in group
    ]
    verdicts = list(dict.fromkeys(row["verdict"] for row in cells))
    title = "escape rate in %"
    base = alt.Chart(data(cells)).encode(
        y=alt.Y("cell:N", title=None, sort=sorted({row["cell"] for row in cells})),
        tooltip=tooltips(
            "cell", "verdict", "published_pct", "observed_pct", "published_n", "n_rooms"
        ),
    )
    colour = alt.Color(
        "verdict:N",
        title=None,
        scale=alt.Scale(domain=verdicts, range=[_VERDICTS[verdict] for verdict in verdicts]),
    )
    gap = base.mark_rule(strokeWidth=2).encode(
        x=alt.X(
            "published_pct:Q",
            title=title,
            scale=alt.Scale(domain=[0, 100]),
            axis=alt.Axis(tickCount=5),
        ),
        x2="observed_pct:Q",
        color=colour,
    )
    said = base.mark_tick(thickness=3, size=14, color=TEXT).encode(x="published_pct:Q")
    seen = base.mark_point(filled=True, size=60, opacity=1).encode(x="observed_pct:Q", color=colour)
    counts = ", ".join(
        f"{sum(row['verdict'] == kind for row in cells)} {kind}" for kind in verdicts
    )
    return chart(
        name,
        heading,
        f"{len(cells)} published escape rates joined to the observed ones: {counts}",
        alt.layer(gap, said, seen).properties(height=18 * len(cells)),
    )


def signals(rows: Sequence[Row]) -> list[Chart]:
    """One chart per data set and condition: a cell per action and signal, as dark as its rate."""
    return by_condition("signals", rows, _draw_signals)


def _draw_signals(group: list[Row]) -> tuple[alt.LayerChart, str] | None:
    cells = [
        row
        | {
            "step": f"{row['action'] or 'no action'} ({row['agent'] or 'no agent'})",
            "signal": row["signal"].replace("_", " "),
            "label": "–" if row["rate"] is None else f"{row['rate']:.1%}",
        }
        for row in group
    ]
    known = [cell for cell in cells if cell["rate"] is not None]
    if not known:
        return None
    worst = max(known, key=lambda cell: cell["rate"])
    top = worst["rate"] or 1
    base = alt.Chart(data(cells)).encode(
        x=alt.X(
            "signal:N",
            title=None,
            sort=["wrong", "schema error", "timed out", "superlong reasoning"],
            axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, ' ')", ticks=False),
        ),
        y=alt.Y("step:N", title=None),
        tooltip=tooltips("step", "signal", "n_signal", "n_recorded", "label"),
    )
    tiles = base.mark_rect(stroke=GREY, strokeWidth=0.5).encode(
        color=alt.Color(
            "rate:Q",
            legend=None,
            scale=alt.Scale(domain=[0, top], range=["#e8eefc", "#12337f"]),
        )
    )
    words = base.mark_text().encode(
        text="label:N",
        color={
            "condition": [
                {"test": "datum.rate === null", "value": TEXT},
                # above this the tile is so dark that white stands out better than black
                {"test": f"datum.rate > {0.65 * top}", "value": "#ffffff"},
            ],
            "value": "#000000",
        },
    )
    n_actions = len({cell["step"] for cell in cells})
    return (
        alt.layer(tiles, words).properties(height=26 * n_actions),
        f"signal rates of {n_actions} actions; the highest is {worst['signal']} of "
        f"{worst['step']}, {worst['rate']:.1%} of {worst['n_recorded']} steps",
    )


def transmission(rows: Sequence[Row]) -> list[Chart]:
    """One chart per data set and condition: what became of the errors that reached each edge."""
    return by_condition("transmission", rows, _draw_transmission)


def _draw_transmission(group: list[Row]) -> tuple[alt.LayerChart, str] | None:
    reached = [row | {"edge": edge(row)} for row in group if row["n_upstream_wrong"]]
    if not reached:
        return None
    fates = ["transmitted", "absorbed"]
    parts = [
        {
            "edge": row["edge"],
            "fate": fate,
            "attempts": row[f"n_{fate}"],
            "share": row[f"n_{fate}"] / row["n_upstream_wrong"],
            "place": fates.index(fate),
        }
        for row in reached
        for fate in fates
    ]
    y = alt.Y("edge:N", title=None, axis=alt.Axis(labelExpr="split(datum.label, '→')"))
    bars = (
        alt.Chart(data(parts))
        .mark_bar()
        .encode(
            y=y,
            x=alt.X(
                "share:Q",
                title="share of attempts",
                scale=alt.Scale(domain=[0, 1]),
                axis=PERCENT,
            ),
            color=alt.Color(
                "fate:N", title=None, sort=fates, scale=alt.Scale(domain=fates, range=[RED, GREY])
            ),
            order="place:Q",
            tooltip=[*tooltips("edge", "fate", "attempts"), alt.Tooltip("share:Q", format=".1%")],
        )
    )
    base_rates = (
        alt.Chart(data(reached))
        .mark_tick(thickness=3, size=26, color=TEXT)
        .encode(y=y, x="base_rate:Q", tooltip=tooltips("edge", "base_rate"))
    )
    n_reached = sum(row["n_upstream_wrong"] for row in reached)
    n_sent = sum(row["n_transmitted"] for row in reached)
    return (
        alt.layer(bars, base_rates).properties(height=34 * len(reached)),
        f"of {n_reached} errors that reached an action that builds on them, {n_sent} were "
        f"transmitted and {n_reached - n_sent} absorbed, over {len(reached)} pairs of actions",
    )


def failure_modes(rows: Sequence[Row]) -> list[Chart]:
    """One chart per data set and source of labels: each mode's rate with its interval."""
    by_source = groups(
        [row for row in rows if row["rate"] is not None],
        lambda row: (row["dataset"], row["label_source"]),
    )
    return [
        _draw_failure_modes(
            f"modes-{index}", cut(f"{dataset}, {source}", group), group[:MOST_DRAWN]
        )
        for index, ((dataset, source), group) in enumerate(by_source[:MOST_CHARTS])
    ]


def _draw_failure_modes(name: str, heading: str, group: list[Row]) -> Chart:
    modes = [
        # without a counterpart in MAST-14, two generations may have a mode of the same name
        row | {"mode": f"{row['mast14_code'] or row['mode_id']} {row['mode_name']}"}
        for row in group
    ]
    base = alt.Chart(data(modes)).encode(
        y=alt.Y("mode:N", title=None, sort=[row["mode"] for row in modes]),
        tooltip=[
            *tooltips("mode", "n_positive", "n_known"),
            alt.Tooltip("rate:Q", format=".1%"),
        ],
    )
    title = "share with the mode, 95 % interval"
    intervals = base.mark_rule(strokeWidth=2, color=BLUE).encode(
        x=alt.X("ci_low:Q", title=title, axis=PERCENT, scale=alt.Scale(domainMin=0)),
        x2="ci_high:Q",
    )
    dots = base.mark_point(filled=True, size=55, opacity=1, color=BLUE).encode(
        x=alt.X("rate:Q", title=title)
    )
    top = max(modes, key=lambda row: row["rate"])
    return chart(
        name,
        heading,
        f"{len(modes)} modes with intervals; the commonest is {top['mode']}, {top['rate']:.1%} of "
        f"{top['n_known']}",
        alt.layer(intervals, dots).properties(height=18 * len(modes)),
    )


def crosswalk(rows: Sequence[Row]) -> list[Chart]:
    """One chart: the modes of MAST-14 by taxonomy, with the code each taxonomy gives them."""
    mapped = [row for row in rows if row["mast14_code"] is not None]
    if not mapped:
        return []
    cells = [
        {
            "mode": mode,
            "taxonomy": taxonomy,
            "codes": "\n".join(sorted(row["code"] for row in group)),
            "kind": _kind_of_code(group),
        }
        for (mode, taxonomy), group in groups(
            mapped, lambda row: (f"{row['mast14_code']} {row['mast14_name']}", row["taxonomy"])
        )
    ]
    base = alt.Chart(data(cells)).encode(
        x=alt.X("taxonomy:N", title=None, axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("mode:N", title=None),
        tooltip=tooltips("mode", "taxonomy", "codes", "kind"),
    )
    tiles = base.mark_rect(stroke=GREY, strokeWidth=0.5).encode(
        color=alt.Color(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=list(_CODES), range=list(_CODES.values())),
        )
    )
    words = base.encode(
        text="codes:N",
        color=alt.condition(
            alt.FieldOneOfPredicate("kind", _DARK_CODES),
            alt.value("#ffffff"),
            alt.value("#000000"),
        ),
    )
    one, several = "datum.kind !== 'several modes'", "datum.kind === 'several modes'"
    texts = [
        words.transform_filter(one).mark_text(fontSize=9),
        words.transform_filter(several).mark_text(fontSize=8, lineBreak="\n", lineHeight=8, dy=-4),
    ]
    counts = ", ".join(f"{sum(cell['kind'] == kind for cell in cells)} {kind}" for kind in _CODES)
    return [
        chart(
            "crosswalk-0",
            "The code that each taxonomy gives a mode of MAST-14",
            f"{len(cells)} cells: {counts}",
            alt.layer(tiles, *texts).properties(height=22 * len({cell["mode"] for cell in cells})),
        )
    ]


def _kind_of_code(modes: list[Row]) -> str:
    if len(modes) > 1:
        return "several modes"
    same = {True: "same code", False: "another code", None: "codes of its own"}
    return same[modes[0]["same_code"]]
