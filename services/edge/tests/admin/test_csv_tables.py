"""The CSV of usage and bills: a French Excel reads the French one, and no text becomes a formula in either."""

import csv
import io
import re
import sys
import unicodedata
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge.admin.csv_tables import Table, table
from servicekit.languages import Language

SIGNS = "=+-@＝＋－＠"
NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
BOM = "\ufeff"
INVISIBLE = '"\u034f\u2800\u3164\ufe0f' + "".join(
    character
    for character in map(chr, range(sys.maxunicode + 1))
    if unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp")
)
FIRST_OF_NOVEMBER = datetime(2026, 11, 1)  # noqa: DTZ001 (a spreadsheet knows no zones)
ATTACK = "x;=cmd|' /C calc'!A0;"

texts = st.text(st.sampled_from(";,\"'\t\r\n =+-@＝a1") | st.sampled_from(INVISIBLE), max_size=12)


def report(text: str) -> dict[str, Any]:
    partner = {"name": text}
    line = {"kind": "tier", "description": text, "units": 1, "unit_price": "0.10", "amount": "-0.10"}
    bill = {
        "key_id": "k1",
        "label": text,
        "partner": partner,
        "units": 1,
        "included_units": 0,
        "currency": "EUR",
        "lines": [line],
        "net": "-0.10",
        "vat": "-0.02",
        "gross": "-0.12",
        "plan": text,
    }
    key = {"key_id": "k1", "key": "lp_live_a...z", "label": text, "partner": partner, "requests": 3, "units": 4}
    point = {"from": "2026-10-31T23:00:00Z", "requests": 3, "errors": 1, "average_latency_ms": 1234.56, "units": 4}
    return {
        "range": {"bucket": "day"},
        "top_keys": [key],
        "timeline": [point],
        "billing_preview": {"month": "2026-11", "provisional": True, "keys": [bill]},
    }


def french_excel(content: bytes) -> list[dict[str, str | Decimal | datetime]]:
    """The rows as an Excel with French regional settings opens them: only a byte order mark says that it is UTF-8."""
    text = content.decode("utf-8-sig" if content.startswith(BOM.encode()) else "cp1252")
    return [
        {column: excel_value(value) for column, value in row.items()}
        for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=";")
    ]


def excel_value(text: str) -> str | Decimal | datetime:
    if re.fullmatch(r"-?[0-9]+(,[0-9]+)?", text):
        return Decimal(text.replace(",", "."))
    for form in ("%d/%m/%Y", "%d/%m/%Y %H:%M", "%m/%Y"):
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007
        except ValueError:
            continue
    return text


def cells_of(content: str, separator: str) -> list[str]:
    """The cells that a reader with this separator finds, both with and without support for quotes."""
    read = [cell for row in csv.reader(io.StringIO(content, newline=""), delimiter=separator) for cell in row]
    plain = [cell for line in re.split(r"[\r\n]+", content) for cell in line.split(separator)]
    return read + plain


def test_french_excel_reads_numbers_and_dates_of_paris() -> None:
    (point,) = french_excel(table(report("a"), "timeline", "fr"))
    assert point == {
        "Début (heure de Paris)": FIRST_OF_NOVEMBER,
        "Décalage": "UTC+01:00",
        "Requêtes": 3,
        "Erreurs": 1,
        "Latence moyenne (ms)": Decimal("1234.6"),
        "Unités": 4,
    }
    (line,) = french_excel(table(report('É; "x"'), "bills", "fr"))
    assert (line["Mois"], line["Partenaire"], line["Description"]) == (FIRST_OF_NOVEMBER, 'É; "x"', 'É; "x"')
    assert (line["Nature"], line["État du mois"]) == ("unités", "provisoire")
    assert (line["Prix unitaire HT"], line["Montant HT"]) == (Decimal("0.10"), Decimal("-0.10"))
    (bill,) = french_excel(table(report("a"), "totals", "fr"))
    assert (bill["Total HT"], bill["TVA"], bill["Total TTC"]) == tuple(map(Decimal, ("-0.10", "-0.02", "-0.12")))
    assert "a.b" in table(report("a.b"), "keys", "fr").decode()


def test_hours_that_come_twice_differ_by_their_offset() -> None:
    usage = report("a")
    usage["range"]["bucket"] = "hour"
    usage["timeline"] = [usage["timeline"][0] | {"from": f"2026-10-25T0{hour}:00:00Z"} for hour in (0, 1)]
    lines = table(usage, "timeline", "fr").decode().splitlines()[1:]
    assert [line.split(";")[:2] for line in lines] == [
        ["25/10/2026 02:00", "UTC+02:00"],
        ["25/10/2026 02:00", "UTC+01:00"],
    ]


def test_english_has_commas_decimal_points_and_iso_dates() -> None:
    header, row = table(report("a"), "timeline", "en").decode().splitlines()
    assert header.startswith("Start (Paris time),Offset,Requests,")
    assert row == "2026-11-01,UTC+01:00,3,1,1234.6,4"


def test_sums_are_in_a_file_of_their_own() -> None:
    usage = report("a")
    (bill,) = usage["billing_preview"]["keys"]
    fee = {"kind": "monthly_fee", "description": "fee", "units": 0, "unit_price": "49", "amount": "49.00"}
    shared = {"key_id": "", "label": "", "plan": "Groupe", "lines": [fee], "units": 0, "net": "49.00"}
    usage["billing_preview"]["keys"].append({**bill, **shared})
    lines, totals = (french_excel(table(usage, name, "fr")) for name in ("bills", "totals"))
    assert (len(lines), len(totals)) == (2, 2)
    assert sum(Decimal(str(line["Montant HT"])) for line in lines) == Decimal("48.90")
    assert sum(Decimal(str(bill["Total HT"])) for bill in totals) == Decimal("48.90")
    assert [line["Tarif"] for line in lines] == [bill["Tarif"] for bill in totals] == ["a", "Groupe"]


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("name", ["keys", "bills", "totals"])
@given(text=texts)
@example(text=ATTACK)
@example(text='x;"=cmd"')
@example(text='x;""  @SUM(A1)')
@example(text="a\t=1")
@example(text="a\n=1")
@example(text='"=1')
@example(text="\u200b=1")
@example(text='x;\u061c"\ufeff+1')
def test_no_cell_is_a_formula_with_any_separator(name: Table, language: Language, text: str) -> None:
    content = table(report(text), name, language).decode().removeprefix(BOM)
    for separator in ",;\t":
        for cell in cells_of(content, separator):
            start = cell.lstrip(INVISIBLE)
            assert not start.startswith(tuple(SIGNS)) or NUMBER.fullmatch(start), (separator, cell)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters=SIGNS), max_size=20))
def test_text_without_formula_signs_is_unchanged(text: str) -> None:
    content = table(report(text), "keys", "en").decode()
    header, row = csv.reader(io.StringIO(content, newline=""))
    assert dict(zip(header, row, strict=True))["Label"] == text
