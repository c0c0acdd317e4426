"""Addresses inside other texts: letters, deeds, tables, and texts without spaces."""

import pytest
from small_index import INDEX

from land.addresses.model import AddressQuery
from land.addresses.resolver import resolve


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("Un appartement sis à PARIS (75018), 10 bis rue Lepic, cadastré section AB numéro 112", "10 bis"),
        ("M. Jean Martin, né le 3 mai 1961 à Brest, demeurant 10 rue Lepic à Paris (75018)", "10"),
        ("Bonjour, je voudrais visiter le 12 de la rue Lepic, Paris 18e, vers 14h30, est-ce possible ?", "12"),
        ("https://maps.example/place/10+Rue+Lepic,+75018+Paris/@48.8566,2.3522,17z", "10"),
        ('{"numero": "12", "voie": "rue Lepic", "cp": "75018", "commune": "Paris", "etage": 3}', "12"),
        ("vendu avec deux caves, lot 7, 10-12 rue Lepic 75018 Paris, quatre pièces et balcon", "10"),
        ("10ruelepic75018paris", "10"),
        ("10 rue Le pic 75018 Paris, bâtiment du fond, sonner fort", "10"),
    ],
)
def test_a_published_name_is_found_in_a_text(label: str, number: str) -> None:
    match = resolve(AddressQuery(label=label), INDEX)
    assert match is not None
    assert (match.address.number, match.address.street, match.address.city_code) == (number, "Rue Lepic", "75118")


@pytest.mark.parametrize(
    "label",
    [
        "10 rue Lepicard 75018 Paris, bâtiment du fond, sonner fort",
        "10 rue Inconnue, à l'angle de la rue Lepic, 75018 Paris, au fond de la cour",
        "99bis rue Inconnue et sa cour, en face de la rue Lepic, 75018 Paris",
        "99 rue Inconnue et sa cour, en face de la rue Lepic, 75018 Paris",
        "10 rue Lepic des Moulins 75018 Paris, bâtiment du fond, sonner fort",
        "Le Doudeauville 75018 Paris ou bien Lepic, sonner fort au fond de la grande cour",
    ],
)
def test_an_unknown_street_is_not_taken_for_a_published_one(label: str) -> None:
    assert resolve(AddressQuery(label=label), INDEX) is None
