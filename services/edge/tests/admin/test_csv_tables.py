"""No text of a partner or an admin becomes a formula, with any separator of cells."""

import csv
import io
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge.admin.csv_tables import Table, table

SIGNS = "=+-@＝＋－＠"
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
ATTACK = "x;=cmd|' /C calc'!A0;"

texts = st.text(st.sampled_from(";,\"'\t\r\n =+-@＝a1\u2028"), max_size=12)


def report(text: str) -> dict[str, Any]:
    partner = {"name": text}
    line = {"kind": "tier", "description": text, "units": 1, "unit_price": "0.10", "amount": "-0.10"}
    bill = {
        "key_id": "k1",
        "partner": partner,
        "currency": "EUR",
        "lines": [line],
        "net": "1",
        "vat": "0",
        "gross": "1",
    }
    key = {"key_id": "k1", "key": "lp_live_a...z", "label": text, "partner": partner, "requests": 3, "units": 4}
    return {"top_keys": [key], "timeline": [], "billing_preview": {"month": "2026-11", "keys": [bill]}}


def cells_of(written: str, separator: str) -> list[str]:
    """The cells that a reader with this separator finds, both with and without support for quotes."""
    read = [cell for row in csv.reader(io.StringIO(written, newline=""), delimiter=separator) for cell in row]
    plain = [cell for line in re.split(r"[\r\n]+", written) for cell in line.split(separator)]
    return read + plain


@pytest.mark.parametrize("name", ["keys", "bills"])
@given(text=texts)
@example(text=ATTACK)
@example(text='x;"=cmd"')
@example(text='x;""  @SUM(A1)')
@example(text="a\t=1")
@example(text="a\n=1")
@example(text='"=1')
def test_no_cell_is_a_formula_with_any_separator(name: Table, text: str) -> None:
    written = table(report(text), name).decode()
    for separator in ",;\t":
        for cell in cells_of(written, separator):
            start = cell.strip(' "')
            assert not start.startswith(tuple(SIGNS)) or NUMBER.fullmatch(start), (separator, cell)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters=SIGNS), max_size=20))
def test_text_without_formula_signs_is_unchanged(text: str) -> None:
    written = table(report(text), "keys").decode()
    header, row = csv.reader(io.StringIO(written, newline=""))
    assert dict(zip(header, row, strict=True))["label"] == text
