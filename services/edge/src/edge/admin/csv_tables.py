"""Tables of the usage report as CSV, in the language of the call, safe against formula injection in spreadsheets.

In French, the file is what a French Excel opens: UTF-8 with a byte order mark, semicolons, decimal commas and dates as
01/11/2026. In English, it has commas, decimal points and ISO dates. Dates and hours are those of Europe/Paris.

A spreadsheet of the other language splits at the other separator and ignores the quotes, so a cell may start in the
middle of a text.
"""

import csv
import io
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any, Literal
from zoneinfo import ZoneInfo

from landpartner.keys.v1.admin_pb2 import AuditEntry
from servicekit.languages import Language, Text

CSV = "text/csv"
Table = Literal["keys", "timeline", "bills", "totals"]

_PARIS = ZoneInfo("Europe/Paris")
_SIGN = re.compile(r"[=+\-@＝＋－＠]")
"""A sign that starts a formula at the start of a cell."""
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_INVISIBLE = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Further characters that show nothing (Default_Ignorable_Code_Point of Unicode, and the empty Braille pattern)."""
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
"""Tabs and line ends also separate cells."""
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")

_DATES = {
    "hour": Text("%d/%m/%Y %H:%M", "%Y-%m-%d %H:%M"),
    "day": Text("%d/%m/%Y", "%Y-%m-%d"),
    "month": Text("%m/%Y", "%Y-%m"),
}
_KINDS = {
    "monthly_fee": Text("abonnement", "monthly fee"),
    "tier": Text("unités", "units"),
    "adjustment": Text("régularisation", "adjustment"),
    "correction": Text("rectification", "correction"),
}
_STATES = {True: Text("provisoire", "provisional"), False: Text("clos", "closed")}


@dataclass(frozen=True)
class _Date:
    """An instant, as the hour, day or month of Europe/Paris that starts then."""

    instant: str
    bucket: str

    def read(self, language: Language) -> str:
        return f"{self._local():{_DATES[self.bucket].read(language)}}"

    def offset(self) -> str:
        """Distinguishes the two hours from 2 to 3 at the end of October."""
        return f"UTC{self._local().isoformat()[-6:]}"

    def _local(self) -> datetime:
        return datetime.fromisoformat(self.instant).astimezone(_PARIS)


_HEADINGS = {
    name: Text(**texts)
    for name, texts in tomllib.loads(
        files("edge.admin").joinpath("csv_headings.toml").read_text(encoding="utf-8")
    ).items()
}
_KEYS = ("key_id", "key", "label", "partner", "requests", "errors", "units", "estimated_cost", "currency")
_TIMELINE = ("from", "offset", "requests", "errors", "average_latency_ms", "units")
_BILL = ("month", "state", "partner", "key_id", "label")
_LINES = (*_BILL, "kind", "description", "units", "unit_price", "amount", "currency", "plan")
_TOTALS = (*_BILL, "units", "included_units", "net", "vat", "gross", "currency", "plan")
_ENTRIES = ("document", "date", "account", "debit", "credit", "partner", "due")
_AUDIT = ("at", "actor", "action", "summary", "changes", "address")
_ACCOUNTS = (("gross", "411", "debit"), ("net", "706", "credit"), ("vat", "44571", "credit"))
"""The amounts of a bill with their accounts of the plan comptable général and their sides: customers, services, VAT."""
_SIDES = {"debit": "credit", "credit": "debit"}
_DECIMALS = frozenset(
    {"estimated_cost", "average_latency_ms", "unit_price", "amount", "net", "vat", "gross", "debit", "credit"}
)
"""The columns of numbers with decimals. A text that looks like a number is not changed."""


def table(report: dict[str, Any], name: Table, language: Language) -> bytes:
    """One table of a usage report, with a header line. Sums are in `totals` alone, so that a column can be added up."""
    match name:
        case "keys":
            rows = [{**item, "partner": item["partner"]["name"]} for item in report["top_keys"]]
            return _write(_KEYS, rows, language)
        case "timeline":
            bucket = report["range"]["bucket"]
            return _write(_TIMELINE, [_point(point, bucket) for point in report["timeline"]], language)
        case "bills":
            lines = (bill | line for bill in _bills(report["billing_preview"]) for line in bill["lines"])
            return _write(
                _LINES, ({**line, "kind": _KINDS.get(line["kind"], line["kind"])} for line in lines), language
            )
        case "totals":
            return _write(_TOTALS, _bills(report["billing_preview"]), language)


def accounting_table(bills: Sequence[dict[str, Any]], language: Language) -> bytes:
    """The entries of issued bills, in the order that accounting programs read. A credit note has the opposite sides."""
    rows = []
    for bill in bills:
        dates = {"date": _Date(f"{bill['issued_on']}T12:00Z", "day"), "due": _Date(f"{bill['due_on']}T12:00Z", "day")}
        for amount, account, side in _ACCOUNTS:
            booked = {side if bill["kind"] == "bill" else _SIDES[side]: bill[amount]}
            if bill[amount].strip("0."):
                entry = {"document": bill["number"], "account": account, "partner": bill["partner"]["name"]}
                rows.append({**entry, **dates, **booked})
    return _write(_ENTRIES, rows, language)


def audit_table(entries: Iterable[AuditEntry], language: Language) -> bytes:
    """One row for each entry, with its changes in one cell."""
    rows = [
        {
            "at": _Date(entry.occurred_at, "hour"),
            "actor": entry.actor_name,
            "action": entry.action,
            "summary": entry.summary,
            "changes": " | ".join(
                f"{detail.label}: {f'{detail.old} → ' if detail.HasField('old') else ''}{detail.new}"
                for detail in entry.details
            ),
            "address": entry.client_address,
        }
        for entry in entries
    ]
    return _write(_AUDIT, rows, language)


def _point(point: dict[str, Any], bucket: str) -> dict[str, Any]:
    start, latency = _Date(point["from"], bucket), point["average_latency_ms"]
    return {
        **point,
        "from": start,
        "offset": start.offset(),
        "average_latency_ms": None if latency is None else f"{latency:.1f}",
    }


def _bills(preview: dict[str, Any] | None) -> list[dict[str, Any]]:
    if preview is None:
        return []
    common = {"month": _Date(f"{preview['month']}-01T00:00:00Z", "month"), "state": _STATES[preview["provisional"]]}
    return [{**bill, **common, "partner": bill["partner"]["name"]} for bill in preview["keys"]]


def _write(columns: Sequence[str], rows: Iterable[dict[str, Any]], language: Language) -> bytes:
    is_french = language == "fr"
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=";" if is_french else ",")
    writer.writerow([_HEADINGS[column].read(language) for column in columns])
    for row in rows:
        writer.writerow([_cell(column, row.get(column), language) for column in columns])
    return out.getvalue().encode("utf-8-sig" if is_french else "utf-8")


def _cell(column: str, value: object, language: Language) -> str:
    if isinstance(value, Text | _Date):
        return value.read(language)
    text = cell(value)
    return text.replace(".", ",") if language == "fr" and column in _DECIMALS else text


def cell(value: object) -> str:
    """The value as a cell that no spreadsheet takes for a formula."""
    text = "" if value is None else str(value)
    return text if _NUMBER.fullmatch(text) else _SIGN.sub(_harmless, _CONTROLS.sub(" ", text))


def _harmless(sign: re.Match[str]) -> str:
    """The sign, after an apostrophe if nothing visible but quotes is between it and the start or a separator."""
    text, at = sign.string, sign.start() - 1
    while at >= 0 and (text[at] == '"' or _is_invisible(text[at])):
        at -= 1
    return f"'{sign[0]}" if at < 0 or text[at] in ";," else sign[0]


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES or _INVISIBLE.match(character) is not None
