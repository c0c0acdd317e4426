"""Parsing what a question asks for."""

import pytest

from assistant.division.proposal import Wish
from assistant.lot_count import parse_wish


@pytest.mark.parametrize(
    ("question", "wish"),
    [
        ("Diviser un terrain", Wish()),
        ("", Wish()),
        ("diviser en 3 lots", Wish(3)),
        ("Je veux QUATRE   lots à bâtir", Wish(4)),
        ("peut-on couper ce terrain en deux ?", Wish(2)),
        ("Split it in five", Wish(5)),
        ("divide into 6 plots", Wish(6)),
        ("détacher 1 lot", Wish(1)),
        ("diviser en 12 parcelles", Wish(12)),
        ("Diviser en douze lots", Wish(12)),
        ("diviser en 999 lots", Wish(999)),
        ("Diviser en 30 m de large", Wish()),
        ("Diviser un terrain de 1200 m² en 3 parts", Wish(3)),
        ("Diviser ce terrain : lotissement de 2019, 45 avenue Foch", Wish()),
        ("Mon terrain fait 2500 m². Puis-je le diviser ?", Wish()),
        ("Combien vaut ce terrain de 800 m² ?", Wish()),
        ("un lot d’environ 500 m²", Wish(None, (500,))),
        ("un terrain de 600 m² à détacher", Wish(None, (600,))),
        ("détacher 600 m2", Wish(None, (600,))),
        ("vendre 5 ares", Wish(None, (500,))),
        ("un lot de 0,1 ha", Wish(None, (1000,))),
        ("Deux lots de 400 m2 et le reste", Wish(None, (400, 400))),
        ("Diviser en 3 lots, dont un de 500 m²", Wish(3, (500,))),
        ("3 lots de 400 m²", Wish(3, (400, 400, 400))),
        ("Diviser mon terrain de 1 500 m² en deux lots de 750 m²", Wish(2, (750, 750))),
        ("Two plots of 400 sqm and the rest", Wish(None, (400, 400))),
        ("I want to sell a plot of about 1,200 m2", Wish(None, (1200,))),
        ("a 500 m² plot", Wish(None, (500,))),
        ("garder la maison avec 600 m² et vendre deux lots", Wish(3, (), 600, True)),
        ("La maison garde environ 700 m², le reste en 3 lots", Wish(4, (), 700, True)),
        ("keep the house with 600 m2 and split the rest into two lots", Wish(3, (), 600, True)),
        ("Je veux garder la maison et vendre un lot de 450 m²", Wish(None, (450,), None, True)),
        ("Diviser en 4 lots de 500 m² et garder 600 m² pour la maison", Wish(5, (500,) * 4, 600, True)),
        ("maison de 120 m² à garder, diviser en deux", Wish(2, (), None, True)),
    ],
)
def test_a_wish_is_parsed(question: str, wish: Wish) -> None:
    assert parse_wish(question) == wish


@pytest.mark.parametrize("question", ["lot " * 500, "1 lot de 1 m2 " * 142, "un lot de " + "9 " * 990, "garder " * 285])
def test_a_long_question_is_parsed_in_bounded_time(question: str) -> None:
    assert len(parse_wish(question).sizes_m2) <= 12
