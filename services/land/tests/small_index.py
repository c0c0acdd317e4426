"""A small index of addresses in memory."""

from collections.abc import Iterable, Sequence

from land.addresses.gazetteer import Commune, Gazetteer, make_commune
from land.addresses.normalise import canonical_street
from land.addresses.stored_streets import StoredStreets, encode
from land.addresses.streets import StreetIndex
from land.datasets.addresses.records import HouseNumberPoint, NamedStreet, Street

COMMUNES = [
    make_commune("75118", "Paris 18e Arrondissement", ["75018"], [], 2.34, 48.89),
    make_commune("75111", "Paris 11e Arrondissement", ["75011"], [], 2.38, 48.86),
    make_commune("29232", "Quimper", ["29000"], ["Ergué-Armel"], -4.1, 48.0),
    make_commune("29220", "Pont-l'Abbé", ["29120"], [], -4.22, 47.87),
    make_commune("67447", "Schiltigheim", ["67300"], [], 7.74, 48.6),
    make_commune("97411", "Saint-Denis", ["97400", "97490"], [], 55.4, -20.9),
]
STREETS = {
    "75118": ["Rue Doudeauville", "Rue des Poissonniers", "Avenue de Saint-Ouen", "Rue du Mont-Cenis", "Rue Lepic"],
    "75111": ["Rue de la Roquette", "Avenue du Général de Gaulle", "Rue Lepic"],
    "29232": ["Rue du 8 Mai 1945", "Kerlagadec", "Rue de l'Île d'Œssant"],
    "29220": ["Rue de l'École", "Quai Saint-Laurent"],
    "67447": ["Bahnhofstrasse", "Am Rebgarten", "Rue de la Gare"],
    "97411": ["Chemin Bœuf Mort", "Rue Saint-Denis"],
}
NUMBERS = [
    (1, ""),
    (10, ""),
    (10, "b"),
    (12, ""),
    (12, "a"),
    (33, "bis"),
    (34, "b"),
    (34, "bis"),
    (42, "a bis"),
    (162, "p21"),
]


def street(commune: Commune, key: str, name: str, address_count: int = 0, former: str = "") -> NamedStreet:
    commune_street = Street(
        commune_code=commune.code, id=f"{commune.code}_{key}", name=name, postcodes=commune.postcodes,
        is_locality=False, lon=2.0, lat=48.0, address_count=address_count, former_commune=former,
    )  # fmt: skip
    return NamedStreet(commune_street, (canonical_street(name),))


class Index:
    def __init__(self, communes: Iterable[Commune], streets: Iterable[NamedStreet]) -> None:
        self.gazetteer = Gazetteer(communes, lambda code: ["29232"] if code == "29001" else [])
        self._streets = list(streets)

    def streets(self, commune_codes: Sequence[str]) -> list[StreetIndex]:
        return [
            StreetIndex(
                StoredStreets(code, encode([street for street in self._streets if street.street.commune_code == code]))
            )
            for code in commune_codes
        ]

    def numbers(self, street: Street, number: int) -> list[HouseNumberPoint]:
        return [
            HouseNumberPoint(
                ban_id=f"{street.id}_{n:05}_{s}",
                number=n,
                suffix=s,
                postcode=street.postcodes[0],
                lon=2.0,
                lat=48.0,
                parcel_ids=(),
            )
            for n, s in NUMBERS
            if n == number
        ]

    def is_name(self, word: str) -> bool:
        return any(f" {name}".endswith(f" {word}") for street in self._streets for name in street.search_names)


INDEX = Index(
    COMMUNES, [street(commune, f"{i:04}", name) for commune in COMMUNES for i, name in enumerate(STREETS[commune.code])]
)
