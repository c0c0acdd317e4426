"""Tables of the usage report as CSV (RFC 4180), safe against formula injection in spreadsheets.

A French spreadsheet splits at semicolons and ignores these quotes, so a cell may start in the middle of a text.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

Table = Literal["keys", "timeline", "bills"]

_FORMULA_STARTS = re.compile(r"""((?:^|[;,])[\s"]*)([=+\-@＝＋－＠])""")
"""A sign that starts a formula, at the start of a text or after a separator and optional quotes."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
"""Tabs and line ends also separate cells."""
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")

_KEYS = ("key_id", "key", "label", "partner", "requests", "errors", "units", "estimated_cost", "currency")
_TIMELINE = ("from", "requests", "errors", "average_latency_ms", "units")
_BILLS = ("month", "key_id", "partner", "kind", "description", "units", "unit_price", "amount", "currency")


def table(report: dict[str, Any], name: Table) -> bytes:
    """One table of a usage report, with a header line."""
    match name:
        case "keys":
            rows = [{**item, "partner": item["partner"]["name"]} for item in report["top_keys"]]
            return _write(_KEYS, rows)
        case "timeline":
            return _write(_TIMELINE, report["timeline"])
        case "bills":
            return _write(_BILLS, _bill_lines(report["billing_preview"]))


def _bill_lines(preview: dict[str, Any] | None) -> Iterable[dict[str, Any]]:
    if preview is None:
        return
    for bill in preview["keys"]:
        common = {
            "month": preview["month"],
            "key_id": bill["key_id"],
            "partner": bill["partner"]["name"],
            "currency": bill["currency"],
        }
        for line in bill["lines"]:
            yield {**common, **line}
        for kind in ("net", "vat", "gross"):
            yield {**common, "kind": kind, "amount": bill[kind]}


def _write(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([cell(row.get(column)) for column in columns])
    return out.getvalue().encode("utf-8")


def cell(value: object) -> str:
    """The value as a cell that no spreadsheet takes for a formula."""
    text = "" if value is None else str(value)
    if _NUMBER.fullmatch(text):
        return text
    return _FORMULA_STARTS.sub(r"\1'\2", _CONTROLS.sub(" ", text))
