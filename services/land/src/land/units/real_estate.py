"""What land like this sold for nearby: comparable sales of DVF, their median, and how they were chosen.

Chosen are sales of the same communes and of one kind (`land.facts.market_sales` says which sales count at all), within
the smallest of RADII_M that has ENOUGH of them, without the unit's own. The nearest are listed, a year counting for
100 m. The kind is bare land where nothing stands; else that of the unit's newest sale of something built; else what BD
TOPO says of its buildings; else the kind most sold among the NEIGHBOURS nearest, which also tells ground to build on
from other ground.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

import shapely

from land import territory
from land.facts.market_sales import BARE, BUILT, Kind
from land.messages import AnswerWarning, Language, text
from land.records.sales import MarketSale, Sale
from land.store.boxes import Box
from land.units.ambiguous import units_ambiguous
from land.units.buildings import Building, BuildingsBlock
from land.units.geometry import Area, widened

RADII_M = (100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
ENOUGH = 20
"""Sales from which a wider circle is not asked for: a median of fewer moves with each."""
LEAST_FOR_MEDIAN = 5
"""Fewer sales have no median worth the name."""
MAX_COMPARABLES = 10
NEIGHBOURS = 10
METRES_PER_YEAR = 100.0
"""Our assumption: a sale a year older is as good as one 100 m farther."""
DAYS_PER_YEAR = 365.25
_KIND_OF_TYPE: Final[dict[str, Kind]] = {"Maison": "house", "Appartement": "flat"}
_COMMERCIAL_TYPE = "Local industriel"
_COMMERCIAL_USAGES = ("Commercial et services", "Industriel")

Basis = Literal["own_sale", "nothing_built", "buildings", "nearby_sales"]
SalesIn = Callable[[Sequence[str], Box], Sequence[MarketSale]]
"""Sales of some kinds whose point lies in a box."""


@dataclass(frozen=True)
class ComparableSale:
    id_mutation: str
    kind: str
    date_mutation: str
    type_local: str | None
    valeur_fonciere: float
    surface_reelle_bati: float | None
    surface_terrain: float | None
    price_eur_per_m2: float
    """Of what is built; of bare land, of the ground."""
    distance_m: float
    """From the unit to the point that DVF gives."""
    parcel_ids: tuple[str, ...]
    unfolded_surface_terrain: float | None = None
    """With each identical row counted; None if that is `surface_terrain`."""


@dataclass(frozen=True)
class RealEstateBlock:
    period_from: str | None
    """The first day of the oldest year that is loaded."""
    period_to: str | None
    """The newest sale in the communes: what is sold later, or published later, is not known."""
    kind: str | None
    """What was compared: house, flat, commercial, building_land or land; None where no sale is near."""
    kind_basis: Basis | None
    radius_m: float | None
    sale_count: int
    last_sale_on: str | None
    median_price_eur_per_m2: float | None
    comparables: tuple[ComparableSale, ...]
    comparables_method: str


@dataclass(frozen=True)
class Market:
    """Where sales are asked for."""

    sales_in: SalesIn
    period_from: str | None
    period_to: str | None


@dataclass(frozen=True)
class Ground:
    """The unit."""

    degrees: Area
    metric: Area
    projection: int
    parcel_ids: Sequence[str]


@dataclass(frozen=True)
class _Near:
    sale: MarketSale
    distance_m: float


def compare(
    market: Market,
    ground: Ground,
    own_sales: Sequence[Sale],
    buildings: BuildingsBlock | None,
    language: Language,
) -> RealEstateBlock:
    """The block for a unit; `buildings` is None where they are not known."""
    kinds, basis = _kinds(own_sales, buildings)
    near, radius_m = _search(market, ground, kinds)
    if len(kinds) > 1 and near:
        # No smaller circle has enough of one kind, where it has not of all of them.
        near, radius_m = _search(market, ground, [_most_sold(near)], RADII_M.index(radius_m))
    sales = [item.sale for item in near]
    prices = [sale.price_eur / sale.area_m2 for sale in sales]
    listed = sorted(near, key=lambda item: _remoteness(item, market.period_to))[:MAX_COMPARABLES]
    kind = sales[0].kind if sales else None
    return RealEstateBlock(
        period_from=market.period_from,
        period_to=market.period_to,
        kind=kind,
        kind_basis=basis if kind else None,
        radius_m=radius_m if kind else None,
        sale_count=len(sales),
        last_sale_on=max((sale.date_mutation for sale in sales), default=None),
        median_price_eur_per_m2=round(statistics.median(prices), 2) if len(prices) >= LEAST_FOR_MEDIAN else None,
        comparables=tuple(_comparable(item) for item in listed),
        comparables_method=_method(kind, basis, radius_m, len(listed), language),
    )


def comparable_warnings(comparables: Sequence[ComparableSale], language: Language) -> list[AnswerWarning]:
    """A warning for each comparable with rows that may be one piece of ground or several."""
    found = (
        units_ambiguous(
            sale.id_mutation,
            sale.parcel_ids,
            [("land", sale.surface_terrain, sale.unfolded_surface_terrain)],
            "real_estate",
            language,
        )
        for sale in comparables
    )
    return [item for item in found if item is not None]


def _kinds(own_sales: Sequence[Sale], buildings: BuildingsBlock | None) -> tuple[Sequence[str], Basis]:
    """Which kinds may be compared, and what tells so."""
    if buildings is not None and buildings.count == 0:
        return BARE, "nothing_built"
    sold = next((kind for sale in own_sales if (kind := _kind_sold(sale))), None)
    if sold:
        return [sold], "own_sale"
    built = _kind_built(buildings.items) if buildings else None
    if built:
        return [built], "buildings"
    return BUILT if buildings else (*BUILT, *BARE), "nearby_sales"


def _kind_sold(sale: Sale) -> str | None:
    name = sale.type_local or ""
    return "commercial" if name.startswith(_COMMERCIAL_TYPE) else _KIND_OF_TYPE.get(name)


def _kind_built(items: Sequence[Building]) -> str | None:
    """A house where no building has more than one dwelling, flats where one has, premises where there is none."""
    dwellings = [item.dwelling_count for item in items if item.dwelling_count is not None]
    if dwellings and max(dwellings) > 0:
        return "house" if max(dwellings) == 1 else "flat"
    usages = [item.usage for item in items if item.usage]
    return "commercial" if usages and usages[0].startswith(_COMMERCIAL_USAGES) else None


def _search(market: Market, ground: Ground, kinds: Sequence[str], smallest: int = 0) -> tuple[list[_Near], float]:
    """Sales of these kinds within the smallest circle that has enough of them, else the widest; nearest first.

    `smallest` is the place of the first circle to look in.
    """
    near: list[_Near] = []
    own = set(ground.parcel_ids)
    for radius_m in RADII_M[smallest:]:
        found = market.sales_in(kinds, Box(*widened(ground.degrees, radius_m)))
        others = [sale for sale in found if own.isdisjoint(sale.parcel_ids.split("|"))]
        points = shapely.points([(sale.lon, sale.lat) for sale in others]).tolist() if others else []
        distances = shapely.distance(territory.all_to_metres(points, ground.projection), ground.metric).tolist()
        near = [_Near(s, metres) for s, metres in zip(others, distances, strict=True) if metres <= radius_m]
        if len(near) >= ENOUGH:
            break
    near.sort(
        key=lambda item: (item.distance_m, item.sale.commune_code, item.sale.date_mutation, item.sale.id_mutation)
    )
    return near, radius_m


def _most_sold(near: Sequence[_Near]) -> str:
    """The kind most sold among the nearest; of equals the nearer."""
    return Counter(item.sale.kind for item in near[:NEIGHBOURS]).most_common(1)[0][0]


def _remoteness(item: _Near, newest_on: str | None) -> tuple[float, str]:
    age = date.fromisoformat(newest_on or item.sale.date_mutation) - date.fromisoformat(item.sale.date_mutation)
    return item.distance_m + METRES_PER_YEAR * age.days / DAYS_PER_YEAR, item.sale.id_mutation


def _comparable(item: _Near) -> ComparableSale:
    sale = item.sale
    return ComparableSale(
        id_mutation=sale.id_mutation,
        kind=sale.kind,
        date_mutation=sale.date_mutation,
        type_local=sale.type_local,
        valeur_fonciere=sale.price_eur,
        surface_reelle_bati=sale.built_m2,
        surface_terrain=sale.land_m2,
        price_eur_per_m2=round(sale.price_eur / sale.area_m2, 2),
        distance_m=round(item.distance_m, 1),
        parcel_ids=tuple(sale.parcel_ids.split("|")),
        unfolded_surface_terrain=sale.unfolded_land_m2,
    )


def _method(kind: str | None, basis: Basis, radius_m: float, listed: int, language: Language) -> str:
    if kind is None:
        return text("comparables_none", language, radius_m=f"{radius_m:.0f}")
    return text(
        "comparables_method",
        language,
        kind=text(f"kind_{kind}", language),
        basis=text(f"basis_{basis}", language),
        radius_m=f"{radius_m:.0f}",
        listed=listed,
        metres_per_year=f"{METRES_PER_YEAR:.0f}",
        enough=ENOUGH,
    )
