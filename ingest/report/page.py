"""The page of the report: tables and charts put into `page.html`, with everything it needs inline.

What comes from the data is text: the template escapes it, and the page's own policy lets only the
two scripts run whose hashes it names, and nothing be loaded from anywhere.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import jinja2
import vl_convert
from markupsafe import Markup

from ingest.errors import UsageError
from ingest.home import Home, check_output
from ingest.report import charts
from ingest.report.drawing import MOST_CHARTS
from ingest.report.tables import Table, exact, read_tables, shown
from ingest.report.travel import travel

MOST_BYTES = 3_000_000  # of the page
# rows of a table at the most, and whether there are charts: the first that make it small enough
_SIZES = ((1000, True), (300, True), (100, True), (30, True), (30, False))
_HERE = Path(__file__).parent


def check_target(home: Home, out: Path | None = None) -> Path:
    """Where the page is to be written; links are followed.

    Raises UsageError where that is no place for a file, or holds a part of the warehouse.
    """
    target = (out or home.report).absolute()
    check_output(home, target)
    if not target.parent.is_dir():
        raise UsageError(f"{target.parent} does not exist: the report needs a folder.")
    if target.is_dir():
        raise UsageError(f"{target} is a folder: name a file for the report.")
    if target.exists() and not os.access(target, os.W_OK):
        raise UsageError(f"{target} is read-only.")
    return target.resolve()


def write_report(home: Home, out: Path | None = None) -> Path:
    """Write the page of the home's published file to `out`, by default beside that file.

    Returns where it is. Raises UsageError where there is no published file or no place to write
    to, MadwError where the file cannot be read.
    """
    target = check_target(home, out)
    fresh = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    while True:
        read = home.published_identity()
        page = render(read_tables(home))
        if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
            target.write_text(page, "utf-8")
            return target
        try:
            fresh.write_text(page, "utf-8")
            if target.exists():
                shutil.copymode(target, fresh)
            if home.published_identity() != read:
                continue  # a build has published meanwhile: its page must not be replaced by ours
            os.replace(fresh, target)
            return target
        finally:
            fresh.unlink(missing_ok=True)


def render(tables: dict[str, Table]) -> str:
    """The whole page as HTML, below MOST_BYTES: long tables are cut, and say so."""
    vega = Markup(_vega())
    script = Markup((_HERE / "page.js").read_text("utf-8"))
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["words"] = _words
    template = environment.get_template("page.html")
    records = {name: table.records() for name, table in tables.items()}
    context: dict[str, Any] = {
        "tables": tables,
        "records": records,
        "about": {row["fact"]: row["value"] for row in records["about"]},
        "charts": {
            "escape": charts.escape_rates(records["escape_rates"]),
            "published": charts.published_rates(records["published_rates"]),
            "signals": charts.signals(records["signals"]),
            "travel": travel(records["error_starts"], records["error_transmission"]),
            "transmission": charts.transmission(records["error_transmission"]),
            "modes": charts.failure_modes(records["failure_modes"]),
            "crosswalk": charts.crosswalk(records["taxonomy_crosswalk"]),
        },
        "shown": shown,
        "exact": exact,
        "most_charts": MOST_CHARTS,
        "style": Markup((_HERE / "page.css").read_text("utf-8")),
        "scripts": [vega, script],
        "script_hashes": [_csp_hash(vega), _csp_hash(script)],
    }
    page = ""
    for most_rows, has_charts in _SIZES:
        if not has_charts:
            context["charts"] = dict.fromkeys(context["charts"], ())
        page = template.render(**context, most_rows=most_rows, has_charts=has_charts).lstrip()
        if len(page.encode("utf-8")) <= MOST_BYTES:
            break
    return page


@functools.cache
def _vega() -> str:
    """Vega, Vega-Lite and vega-embed as one script; takes seconds."""
    return vl_convert.javascript_bundle()


def _csp_hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _words(name: str) -> str:
    return name.replace("_", " ")
