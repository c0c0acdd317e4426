from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from land.datasets.sales.reader import Dvf
from land.datasets.sales.records import DvfRow, Sale
from land.datasets.sales.rows import aggregate
from land.sources.base import ReadReport

HOUSE, FLAT, DEPENDENCY, SHOP = "1", "2", "3", "4"
TYPES = {"": "", HOUSE: "Maison", FLAT: "Appartement", DEPENDENCY: "Dépendance", SHOP: "Local industriel"}
PARCEL = "000010000A0001"


def row(kind: str = "", built: float | None = None, **changes: object) -> DvfRow:
    plain = DvfRow(
        commune_code="00001", id_mutation="2024-1", date_mutation="2024-05-06", numero_disposition="000001",
        nature_mutation="Vente", valeur_fonciere=200_000.0, adresse_numero="", adresse_suffixe="",
        adresse_nom_voie="RUE HAUTE", code_postal="00100", nom_commune="Ville", id_parcelle=PARCEL,
        ancien_id_parcelle="", nombre_lots=0, lots=(), code_type_local=kind, type_local=TYPES[kind],
        surface_reelle_bati=built, nombre_pieces_principales=None, code_nature_culture="S",
        code_nature_culture_speciale="", surface_terrain=None, lon=2.0, lat=47.0,
    )  # fmt: skip
    return plain._replace(**changes)  # type: ignore[arg-type]


def sale(*rows: DvfRow) -> Sale:
    [record] = aggregate(rows)
    return record


def test_a_house_on_two_cultures_counts_once_and_its_land_twice() -> None:
    record = sale(
        row(HOUSE, 54, nombre_pieces_principales=3, surface_terrain=602, code_nature_culture="J"),
        row(DEPENDENCY, None, surface_terrain=719),
        row(HOUSE, 54, nombre_pieces_principales=3, surface_terrain=719),
        row(DEPENDENCY, None, surface_terrain=602, code_nature_culture="J"),
    )
    assert (record.surface_reelle_bati, record.nombre_pieces_principales, record.surface_terrain) == (54, 3, 1321)
    assert (record.type_local, record.has_dependance, record.valeur_fonciere) == ("Maison", True, 200_000)


def test_bare_land_has_neither_building_nor_rooms() -> None:
    record = sale(row(surface_terrain=337))
    assert (record.type_local, record.surface_reelle_bati, record.nombre_pieces_principales) == (None, None, None)
    assert (record.surface_terrain, record.has_dependance, record.lot_count) == (337, False, 0)


def test_the_price_is_that_of_the_dispositions_that_touch_the_parcel_each_once() -> None:
    other = "000010000A0002"
    first, second = aggregate(
        [
            row(HOUSE, 80, numero_disposition="000001", valeur_fonciere=100_000.1),
            row(HOUSE, 80, numero_disposition="000002", valeur_fonciere=50_000.2),
            row(DEPENDENCY, numero_disposition="000002", valeur_fonciere=50_000.2),
            row(numero_disposition="000003", valeur_fonciere=7_000, id_parcelle=other),
        ]
    )
    assert (first.valeur_fonciere, first.surface_reelle_bati, first.parcel_count) == (150_000.3, 80, 2)
    assert (second.id_parcelle, second.valeur_fonciere, second.parcel_count) == (other, 7_000, 2)


def test_dispositions_of_equal_price_are_added() -> None:
    assert sale(row(), row(numero_disposition="000002")).valeur_fonciere == 400_000


def test_a_price_that_is_nowhere_is_unknown() -> None:
    assert sale(row(valeur_fonciere=None)).valeur_fonciere is None
    assert sale(row(valeur_fonciere=None), row(numero_disposition="000002")).valeur_fonciere == 200_000


def test_a_house_names_the_sale_before_a_larger_shop_and_the_larger_house_before_the_smaller() -> None:
    rows = [
        row(SHOP, 900, adresse_numero="1"),
        row(HOUSE, 60, adresse_numero="2"),
        row(HOUSE, 90, adresse_numero="3", adresse_suffixe="B"),
        row(DEPENDENCY, adresse_numero="4"),
        row(FLAT, 300, adresse_numero="5"),
    ]
    record = sale(*rows)
    assert (record.type_local, record.adresse_numero, record.adresse_suffixe) == ("Maison", "3", "B")
    assert record.surface_reelle_bati == 900 + 60 + 90 + 300


def test_dependencies_alone_name_the_sale_without_area() -> None:
    record = sale(row(DEPENDENCY, 18, adresse_numero="21"))
    assert (record.type_local, record.adresse_numero, record.surface_reelle_bati) == ("Dépendance", "21", None)


def test_lots_count_once_each_and_those_beyond_the_five_named_are_added() -> None:
    flat = row(FLAT, 40, lots=("12",), nombre_lots=1)
    cellar = row(DEPENDENCY, lots=("45",), nombre_lots=1)
    assert sale(flat, cellar, flat).lot_count == 2
    assert sale(row(FLAT, 40, lots=("1", "2", "3", "4", "5"), nombre_lots=8)).lot_count == 8
    assert sale(row(FLAT, 40, nombre_lots=2)).lot_count == 2


def test_exact_duplicate_rows_count_as_one_unit() -> None:
    flat = row(FLAT, 40, nombre_pieces_principales=2)
    record = sale(flat, flat)
    assert (record.surface_reelle_bati, record.nombre_pieces_principales) == (40, 2)


def test_equal_houses_at_two_numbers_are_two() -> None:
    assert sale(row(HOUSE, 70, adresse_numero="6"), row(HOUSE, 70, adresse_numero="8")).surface_reelle_bati == 140


def test_the_former_parcel_id_is_kept_and_empty_texts_are_unknown() -> None:
    record = sale(row(), row(ancien_id_parcelle="000020000A0001", nature_mutation="", code_postal=""))
    assert record.ancien_id_parcelle == "000020000A0001"
    assert sale(row(nature_mutation="", code_postal="")).nature_mutation is None
    assert record.adresse_numero is None


areas = st.integers(0, 500).map(float) | st.none()
units = st.lists(
    st.tuples(
        st.sampled_from([HOUSE, FLAT, DEPENDENCY, SHOP]), areas, st.none() | st.integers(0, 9), st.integers(0, 9)
    ),
    unique=True,
    max_size=5,
)
cultures = st.lists(
    st.tuples(st.sampled_from("SJTP"), st.sampled_from(["", "PARC"]), areas), unique=True, min_size=1, max_size=4
)
prices = st.lists(st.integers(0, 10**8).map(lambda cents: cents / 100) | st.none(), min_size=1, max_size=3)


@given(units, cultures, prices, st.randoms(use_true_random=False))
def test_a_cartesian_product_folds_back_in_any_order(
    units: list[tuple[str, float | None, int | None, int]],
    cultures: list[tuple[str, str, float | None]],
    prices: list[float | None],
    random: Random,
) -> None:
    rows = [
        row(
            kind,
            built,
            nombre_pieces_principales=rooms,
            adresse_numero=str(number),
            code_nature_culture=culture,
            code_nature_culture_speciale=special,
            surface_terrain=land,
            numero_disposition=f"{disposition:06}",
            valeur_fonciere=price,
        )
        for disposition, price in enumerate(prices)
        for kind, built, rooms, number in units or [("", None, None, 0)]
        for culture, special, land in cultures
    ]
    random.shuffle(rows)
    record = sale(*rows)

    def total(values: Sequence[float | None]) -> object:
        known_values = [value for value in values if value is not None]
        return pytest.approx(sum(known_values), abs=0.005) if known_values else None

    homes = [unit for unit in units if unit[0] != DEPENDENCY]
    assert record.surface_reelle_bati == total([built for _, built, _, _ in homes])
    assert record.nombre_pieces_principales == total([rooms for _, _, rooms, _ in homes])
    assert record.surface_terrain == total([land for _, _, land in cultures])
    assert record.valeur_fonciere == total(prices)
    assert record.has_dependance == any(unit[0] == DEPENDENCY for unit in units)


# Mutations of Abzac (33001), 2021, with their rows as they stand in dvf-33001-2021.csv:
# parcel: (type, built, rooms, land, price, dependency, number, suffix, parcels).
CHECKED_BY_HAND = {
    # Lines 97 to 107: one disposition at 155,300 over 5 parcels. ZI0008 has a house of 54 m² and a dependency, each
    # once with a garden of 602 m² and once with 719 m² of ground: 4 rows. ZI0006 is bare, 887 + 189 + 189.
    "2021-537813": {
        "33001000ZI0006": (None, None, None, 1265, 155_300, False, None, None, 5),
        "33001000ZI0007": (None, None, None, 525, 155_300, False, None, None, 5),
        "33001000ZI0008": ("Maison", 54, 3, 1321, 155_300, True, "376", None, 5),
        "33001000ZI0009": (None, None, None, 360, 155_300, False, None, None, 5),
        "33001000ZI0010": (None, None, None, 46, 155_300, False, None, None, 5),
    },
    # Lines 88 and 89: an exchange in two dispositions at 1,100, each over its own parcel.
    "2021-532643": {
        "33001000ZO0300": (None, None, None, 81, 1_100, False, None, None, 2),
        "33001000ZO0302": (None, None, None, 81, 1_100, False, None, None, 2),
    },
    # Lines 3 and 4: the same row twice, a house of 55 m² on 135 m²; counted once.
    "2021-527130": {"33001000AC0495": ("Maison", 55, 3, 135, 2_700, False, "6", "T", 1)},
    # Lines 124 to 127: a garage on 22 m², a meadow, and a house of 62 m² with a dependency on a parcel without land.
    "2021-542506": {
        "33001000ZA0069": ("Dépendance", None, None, 22, 60_000, True, "21", "A", 3),
        "33001000ZA0074": (None, None, None, 227, 60_000, False, None, None, 3),
        "33001000ZA0253": ("Maison", 62, 4, None, 60_000, True, "21", None, 3),
    },
    # Lines 139 to 156: a vineyard over 12 parcels; B2064 holds a house of 453 m² and a dependency that stands twice, on
    # 2,399 m² that stand three times; B0950 is vines of 3,363 and 287 and a lane of 618.
    "2021-546022": {
        "330010000B0950": (None, None, None, 4268, 1_282_970, False, None, None, 12),
        "330010000B0951": (None, None, None, 2188, 1_282_970, False, None, None, 12),
        "330010000B0952": (None, None, None, 8637, 1_282_970, False, None, None, 12),
        "330010000B0953": (None, None, None, 892, 1_282_970, False, None, None, 12),
        "330010000B0954": (None, None, None, 1836, 1_282_970, False, None, None, 12),
        "330010000B1472": (None, None, None, 892, 1_282_970, False, None, None, 12),
        "330010000B1473": (None, None, None, 11668, 1_282_970, False, None, None, 12),
        "330010000B1474": ("Maison", 59, 3, 1996, 1_282_970, False, "300", None, 12),
        "330010000B2064": ("Maison", 453, 14, 2399, 1_282_970, True, "301", None, 12),
        "330010000B2065": (None, None, None, 38, 1_282_970, False, None, None, 12),
        "330010000B2320": (None, None, None, 303, 1_282_970, False, None, None, 12),
        "330010000B2324": (None, None, None, 8065, 1_282_970, False, None, None, 12),
    },
}


@pytest.fixture(scope="module")
def abzac(samples: Path) -> list[Sale]:
    return aggregate([row for _, row in Dvf("").read(samples / "dvf/dvf-33001-2021.csv", ReadReport("sample"))])


@pytest.mark.samples
@pytest.mark.parametrize("mutation", CHECKED_BY_HAND)
def test_sales_of_abzac_are_what_a_reader_of_the_file_finds(abzac: list[Sale], mutation: str) -> None:
    assert {
        sale.id_parcelle: (
            sale.type_local,
            sale.surface_reelle_bati,
            sale.nombre_pieces_principales,
            sale.surface_terrain,
            sale.valeur_fonciere,
            sale.has_dependance,
            sale.adresse_numero,
            sale.adresse_suffixe,
            sale.parcel_count,
        )
        for sale in abzac
        if sale.id_mutation == mutation
    } == CHECKED_BY_HAND[mutation]


@pytest.mark.samples
def test_abzac_has_fifty_mutations_and_no_sale_with_lots(abzac: list[Sale]) -> None:
    assert len({sale.id_mutation for sale in abzac}) == 50
    assert len({(sale.id_mutation, sale.id_parcelle) for sale in abzac}) == len(abzac)
    assert {sale.lot_count for sale in abzac} == {0}
