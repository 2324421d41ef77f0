"""The report read back: what stands in its HTML, as tests compare it with the warehouse."""

from __future__ import annotations

import json
from decimal import Decimal
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """A page taken apart, without the program that made it.

    `tables` holds by name the header and the rows of cells, each as (text, exact value or None);
    `queries` the SQL shown; `charts` the specifications by name; `text` all that a reader sees.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[tuple[str, str | None]]]] = {}
        self.n_rows: dict[str, int] = {}
        self.queries: dict[str, str] = {}
        self.charts: dict[str, dict[str, Any]] = {}
        self.descriptions: dict[str, str] = {}
        self.tags: set[str] = set()
        self.metas: dict[str, str] = {}
        self.text = ""
        self._table = self._cell = self._query = self._chart = self._raw = None
        self._exact: str | None = None
        self.feed(html)
        self.close()

    def drawn(self, kind: str) -> list[dict[str, Any]]:
        """The rows that the lowest layer of each chart of a kind draws."""
        rows = []
        for name, spec in self.charts.items():
            if name.rpartition("-")[0] == kind:
                source = spec["layer"][0].get("data") or spec["data"]
                rows += source.get("values") or spec["datasets"][source["name"]]
        return rows

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        attributes = dict(pairs)
        self.tags.add(tag)
        if tag == "meta":
            key = attributes.get("name") or attributes.get("http-equiv") or "charset"
            self.metas[key] = attributes.get("content") or ""
        elif tag == "table":
            self._table = self.tables.setdefault(attributes["data-table"] or "", [])
            self.n_rows[attributes["data-table"] or ""] = int(attributes["data-rows"] or "")
        elif tag == "tr" and self._table is not None:
            self._table.append([])
        elif tag in ("th", "td"):
            self._cell, self._exact = "", None
        elif tag == "data":
            self._exact = attributes["value"]
        elif tag == "code" and "data-query" in attributes:
            self._query = attributes["data-query"]
            self.queries[self._query or ""] = ""
        elif tag in ("script", "style"):
            self._raw = tag
            self._chart = attributes.get("data-chart")
            if self._chart:
                self.charts[self._chart] = {}
        elif "drawing" in (attributes.get("class") or "").split():
            self.descriptions[attributes["id"] or ""] = attributes["aria-label"] or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._table = None
        elif tag in ("th", "td") and self._table is not None:
            self._table[-1].append((self._cell or "", self._exact))
            self._cell = None
        elif tag == "code":
            self._query = None
        elif tag in ("script", "style"):
            self._raw = self._chart = None

    def handle_data(self, data: str) -> None:
        if self._chart:
            self.charts[self._chart] = json.loads(data)
        elif not self._raw:
            self.text += data
            if self._cell is not None:
                self._cell += data
            if self._query is not None:
                self.queries[self._query] += data


def values(cells: list[tuple[str, str | None]], described: list[Any]) -> list[Any]:
    """A row of cells as the values a query gives; `described` is that query's description."""
    return [
        _value(text, exact, str(kind))
        for (text, exact), (_, kind, *_) in zip(cells, described, strict=True)
    ]


def _value(text: str, exact: str | None, kind: str) -> Any:
    if text == "–":
        return None
    if kind == "BOOLEAN":
        return {"yes": True, "no": False}[text]
    if kind == "DOUBLE":
        return float(exact or "missing")
    if kind.startswith("DECIMAL"):
        return Decimal(text)
    return int(text.replace(",", "")) if kind in ("BIGINT", "INTEGER") else text
