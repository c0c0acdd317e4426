"""Parsing the number of lots in a question."""

import pytest

from assistant.lot_count import parse_lot_count


@pytest.mark.parametrize(
    ("question", "lots", "asked"),
    [
        ("Diviser un terrain", 2, None),
        ("diviser en 3 lots", 3, 3),
        ("Je veux QUATRE   lots à bâtir", 4, 4),
        ("peut-on couper ce terrain en deux ?", 2, 2),
        ("Split it in five", 5, 5),
        ("divide into 6 plots", 6, 6),
        ("détacher 1 lot", 2, 1),
        ("diviser en 12 parcelles", 6, 12),
        ("diviser en 999 lots", 6, 999),
        ("Diviser en 30 m de large", 2, None),
        ("Diviser un terrain de 1200 m² en 3 parts", 3, 3),
        ("Diviser ce terrain : lotissement de 2019, 45 avenue Foch", 2, None),
        ("", 2, None),
    ],
)
def test_the_number_of_lots_is_parsed(question: str, lots: int, asked: int | None) -> None:
    count = parse_lot_count(question)
    assert (count.drawn, count.requested) == (lots, asked)
    assert (count.limitation() is None) == (asked in (None, lots))
