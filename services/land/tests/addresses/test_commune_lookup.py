"""The communes that a query names."""

import pytest

from land.addresses.commune_lookup import find_communes
from land.addresses.gazetteer import Gazetteer, make_commune
from land.addresses.model import AddressQuery

FORMER = {"18900": ("18033",)}
GAZETTEER = Gazetteer(
    [
        make_commune("18033", "Bourges", ["18000"], ["Vieux-Bourg"], None, None),
        make_commune("18050", "La Chapelle-Saint-Ursin", ["18570"], [], None, None),
        make_commune("18255", "Trouy", ["18570"], [], None, None),
        make_commune("35238", "Rennes", ["35000", "35200", "35700"], [], None, None),
        make_commune("11309", "Rennes-les-Bains", ["11190"], [], None, None),
        make_commune("75118", "Paris 18e Arrondissement", ["75018"], [], None, None),
        make_commune("75119", "Paris 19e Arrondissement", ["75019"], [], None, None),
        make_commune("80688", "Rue", ["80120"], [], None, None),
        *(make_commune(f"21{number:03}", "Saint-Martin", [f"21{number:03}"], [], None, None) for number in range(60)),
        make_commune("22001", "Saint-Martin", ["22100"], [], None, None),
    ],
    lambda code: FORMER.get(code, ()),
)


def find(query: AddressQuery) -> tuple[str, ...]:
    return find_communes(query, GAZETTEER)


@pytest.mark.parametrize(
    ("label", "codes"),
    [
        ("12 rue des lilas 18000 Bourges", ("18033",)),
        ("12 rue de Rennes 18000 Bourges", ("18033",)),
        ("12 rue de Paris, Rennes", ("35238",)),
        ("12 rue des lilas, Rennes les Bains", ("11309",)),
        ("12 rue des lilas 18000 Vieux-Bourg", ("18033",)),
        ("12 rue des lilas 18570", ("18050", "18255")),
        ("12 rue des lilas 18570 Truoy", ("18255",)),
        ("12 rue Marcadet 75018 Paris", ("75118",)),
        ("12 rue Marcadet Paris 18", ("75118",)),
        ("12 rue Marcadet Paris", ("75118", "75119")),
        ("12 rue des lilas 22999 Saint-Martin", ("22001",)),
        ("12 rue des lilas Saint-Martin", ()),
        ("12 rue des lilas", ()),
        ("rue des lilas, Pais", ()),
        ("12 rue des lilas, Rue", ("80688",)),
        ("Rue 80120, 12 rue des lilas", ("80688",)),
        ("12 rue des lilas 99123 Nulle Part", ()),
        ("", ()),
    ],
)
def test_a_label_finds_the_communes_that_it_names_most_precisely(label: str, codes: tuple[str, ...]) -> None:
    assert find(AddressQuery(label=label)) == codes


def test_a_code_finds_the_present_commune() -> None:
    assert find(AddressQuery(street="rue des lilas", city_code="35238", postcode="18000")) == ("35238",)
    assert find(AddressQuery(street="rue des lilas", city_code="18900")) == ("18033",)


def test_an_unknown_code_is_ignored() -> None:
    assert find(AddressQuery(street="rue des lilas", city_code="99999", city="Bourges")) == ("18033",)
