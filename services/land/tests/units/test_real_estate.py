"""Comparables of a land unit of 20 m by 20 m, drawn in metres. The sales are in a list instead of the store."""

from collections.abc import Sequence
from typing import Any

import pytest
from land_builders import land_shape, lon_lat, square

from land.datasets.sales.records import MarketSale, Sale
from land.store.boxes import Box
from land.units import real_estate
from land.units.buildings import Building, BuildingsBlock
from land.units.real_estate import ENOUGH, Market, RealEstateBlock, compare

PARCEL = "18999000AB0001"


def sale(number: int, x: float, y: float = 10.0, **changes: Any) -> MarketSale:
    lon, lat = lon_lat(x, y)
    plain = MarketSale(
        commune_code="18999", id_mutation=f"2024-{number}", kind="house", date_mutation="2024-06-01",
        type_local="Maison", price_eur=200_000.0, area_m2=100.0, built_m2=100.0, land_m2=500.0,
        parcel_ids=f"18999000ZZ{number:04}", lon=lon, lat=lat,
    )  # fmt: skip
    return plain._replace(**changes)


class Sales:
    """Finds the sales of a list, and records the kinds of each query."""

    def __init__(self, sales: Sequence[MarketSale]) -> None:
        self.sales = sales
        self.queries: list[tuple[str, ...]] = []

    def __call__(self, kinds: Sequence[str], box: Box) -> list[MarketSale]:
        self.queries.append(tuple(kinds))
        return [
            s
            for s in self.sales
            if s.kind in kinds and box.west <= s.lon <= box.east and box.south <= s.lat <= box.north
        ]


def block_of(
    *sales: MarketSale,
    own_sales: Sequence[Sale] = (),
    buildings: BuildingsBlock | None = None,
    newest: str | None = "2024-06-01",
) -> RealEstateBlock:
    market = Market(Sales(sales), "2020-01-01", newest)
    return compare(market, land_shape(square(0, 0)), [PARCEL], own_sales, buildings)


def own_sale(type_local: str | None) -> Sale:
    return Sale(
        commune_code=PARCEL[:5], id_parcelle=PARCEL, id_mutation="2023-1", ancien_id_parcelle="",
        date_mutation="2023-01-01", nature_mutation="Vente", type_local=type_local, has_dependance=False, lot_count=0,
        surface_reelle_bati=None, surface_terrain=None, nombre_pieces_principales=None, valeur_fonciere=None,
        adresse_numero=None, adresse_suffixe=None, adresse_nom_voie=None, code_postal=None, nom_commune=None,
        parcel_count=1,
    )  # fmt: skip


def built(*items: dict[str, Any]) -> BuildingsBlock:
    plain: dict[str, Any] = {
        "id": "a", "footprint_m2": 80.0, "cover_ratio": 1.0, "height_m": None, "storeys": None, "usage": None,
        "dwelling_count": None, "construction_year": None, "is_light": False, "rnb_ids": (),
        "outline_source": "bdtopo", "facts_source": "bdtopo", "geometry": b"", "is_repaired": False,
    }  # fmt: skip
    return BuildingsBlock(len(items), 80.0, 0.2, tuple(Building(**plain | item) for item in items), {})


def test_the_smallest_circle_with_enough_sales_is_used() -> None:
    near = [sale(n, 20 + 0.5 * n, price_eur=100_000.0 + 1_000 * n) for n in range(ENOUGH)]
    far = [sale(100 + n, 250, price_eur=900_000.0) for n in range(50)]
    block = block_of(*near, *far)
    assert (block.radius_m, block.sale_count, block.kind) == (100, ENOUGH, "house")
    assert block.median_price_eur_per_m2 == 1_095.0
    assert len(block.comparables) == 10
    wider = block_of(*near[1:], *far)
    assert (wider.radius_m, wider.sale_count) == (300, ENOUGH - 1 + 50)


def test_the_widest_circle_is_used_when_sales_are_few() -> None:
    block = block_of(sale(1, 9_000), sale(2, 50))
    assert (block.radius_m, block.sale_count, block.last_sale_on) == (10_000, 2, "2024-06-01")
    assert [item.sale.id_mutation for item in block.comparables] == ["2024-2", "2024-1"]
    assert block_of(sale(1, 12_000)).sale_count == 0


def test_distance_is_measured_from_the_boundary_and_is_zero_inside() -> None:
    block = block_of(sale(1, 50), sale(2, 10))
    assert [(item.sale.id_mutation, round(item.distance_m, 1)) for item in block.comparables] == [
        ("2024-2", 0.0),
        ("2024-1", 30.0),
    ]


def test_one_year_of_age_counts_like_100_m() -> None:
    older = sale(1, 40, date_mutation="2022-06-01")  # 20 m and two years count like 220 m
    newer = sale(2, 120)  # 100 m
    farther = sale(3, 320)  # 300 m
    block = block_of(older, newer, farther)
    assert [item.sale.id_mutation for item in block.comparables] == ["2024-2", "2024-1", "2024-3"]


def test_prices_are_per_square_metre_built_or_of_land_by_kind() -> None:
    field = sale(1, 50, kind="land", type_local=None, price_eur=9_000.0, area_m2=12_000.0, built_m2=None)
    [item] = block_of(field, buildings=built()).comparables
    assert (item.sale.kind, item.price_eur_per_m2, item.sale.built_m2) == ("land", 0.75, None)
    [item] = block_of(sale(1, 50)).comparables
    assert (item.price_eur_per_m2, item.sale.land_m2, item.sale.parcel_ids) == (2_000.0, 500.0, "18999000ZZ0001")


@pytest.mark.parametrize(("count", "median"), [(4, None), (5, 2_000.0)])
def test_the_median_needs_five_sales(count: int, median: float | None) -> None:
    assert block_of(*(sale(n, 50 + n) for n in range(count))).median_price_eur_per_m2 == median


def test_sales_of_the_land_itself_are_no_comparables() -> None:
    block = block_of(sale(1, 10, parcel_ids=f"{PARCEL}|18999000AB0002"), sale(2, 50))
    assert [item.sale.id_mutation for item in block.comparables] == ["2024-2"]


KINDS = ("house", "flat", "commercial", "building_land", "land")
ONE_OF_EACH = [sale(n, 60 + 20 * n, kind=kind) for n, kind in enumerate(KINDS)]


@pytest.mark.parametrize(
    ("own_sales", "buildings", "kind", "basis"),
    [
        ([own_sale("Appartement")], None, "flat", "own_sale"),
        ([own_sale("Local industriel. commercial ou assimilé")], None, "commercial", "own_sale"),
        ([own_sale(None), own_sale("Maison")], built({}), "house", "own_sale"),
        ([own_sale("Maison")], built(), "building_land", "nothing_built"),
        ([], built({"dwelling_count": 1}, {"dwelling_count": 1}, {"dwelling_count": 0}), "house", "buildings"),
        ([], built({"dwelling_count": 1}, {"dwelling_count": 8}), "flat", "buildings"),
        ([], built({"usage": "Industriel", "dwelling_count": 0}), "commercial", "buildings"),
        ([], built({"usage": "Annexe"}), "house", "nearby_sales"),
        ([], None, "house", "nearby_sales"),
    ],
)
def test_the_kind_follows_own_sales_then_buildings_then_nearby_sales(
    own_sales: Sequence[Sale], buildings: BuildingsBlock | None, kind: str, basis: str
) -> None:
    block = block_of(*ONE_OF_EACH, own_sales=own_sales, buildings=buildings)
    assert (block.kind, block.kind_basis, [item.sale.kind for item in block.comparables]) == (kind, basis, [kind])


def test_an_unknown_kind_is_the_one_most_sold_nearby() -> None:
    flats = [sale(n, 60 + n, kind="flat") for n in range(6)]
    houses = [sale(10 + n, 50 + n) for n in range(4)] + [sale(20 + n, 90) for n in range(30)]
    block = block_of(*flats, *houses)
    assert (block.kind, block.sale_count) == ("flat", 6)


def test_bare_land_is_never_compared_with_buildings() -> None:
    block = block_of(sale(1, 50), sale(2, 60, kind="flat"), buildings=built())
    assert (block.kind, block.kind_basis, block.radius_m, block.sale_count) == (None, None, None, 0)
    assert str(block.comparables_method) == "No comparable sale in the commune within 10,000 m."
    assert (block.period_from, block.period_to) == ("2020-01-01", "2024-06-01")


def test_the_method_names_kind_circle_and_basis() -> None:
    method = str(block_of(sale(1, 50), own_sales=[own_sale("Maison")]).comparables_method)
    assert all(part in method for part in ("(house)", "within 10,000 m", "own last sale", "100 m", "symbolic"))


def test_each_circle_is_one_query() -> None:
    sales = Sales([])
    compare(Market(sales, None, None), land_shape(square(0, 0)), [PARCEL], [own_sale("Maison")], None)
    assert sales.queries == [("house",)] * len(real_estate.RADII_M)
