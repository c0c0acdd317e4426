"""The block `real_estate`: comparable sales near a land unit, their median price, and how they were chosen.

Candidates are sales of the same communes and of one kind, without those of the land unit. `datasets.sales.market_rows`
says which sales compare at all. The search circle is the smallest of RADII_M with ENOUGH sales. Of these the nearest
are listed; a year of age counts as 100 m.

The kind is bare land if nothing is built: building land in a zone for building, other land in another zone. Otherwise
the first of these that is known decides: the land unit's newest sale of a building; the use of its buildings in BD
TOPO; the kind most often sold among the NEIGHBOURS nearest sales, which also separates bare land without a zone.
"""

import statistics
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import partial
from importlib.resources import files
from typing import Final, Literal, NamedTuple

import shapely

from land.answers.texts import AnswerWarning, fill, join, warning
from land.datasets import territory
from land.datasets.planning.queries import zones_in
from land.datasets.planning.registration import GPU_ZONES
from land.datasets.sales import queries as sales
from land.datasets.sales.market_rows import BARE, BUILT, Kind
from land.datasets.sales.records import MarketSale, Sale
from land.datasets.sales.registration import DVF
from land.store.boxes import Box, box_around
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.units.buildings import Building, BuildingsBlock
from land.units.overlap import zoning_of
from land.units.recipe import Part, Parts, Recipe
from land.units.site import LINE_REACH_M, Shape, Site
from servicekit.languages import Text

RADII_M = (100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
ENOUGH = 20
"""Our assumption: with so many sales a wider circle is not searched."""
LEAST_FOR_MEDIAN = 5
"""Our assumption: a median of fewer sales says nothing."""
MAX_COMPARABLES = 10
NEIGHBOURS = 10
METRES_PER_YEAR = 100.0
"""Our assumption: a sale a year older compares as well as one 100 m farther."""
DAYS_PER_YEAR = 365.25
_KIND_OF_TYPE: Final[dict[str, Kind]] = {"Maison": "house", "Appartement": "flat"}
_COMMERCIAL_TYPE = "Local industriel"
_COMMERCIAL_USAGES = ("Commercial et services", "Industriel")
_ZONES_TO_BUILD, _OTHER_ZONES = ("U", "AUc", "AUs"), ("A", "N", "Nd")
_SECTORS_TO_BUILD, _OTHER_SECTORS = ("01", "02"), ("03",)
"""Types of zones of a PLU, and of sectors of a carte communale (CNIG)."""

Basis = Literal["own_sale", "zone", "nothing_built", "buildings", "nearby_sales"]
_TEXTS = {
    table: {name: Text(**texts) for name, texts in tables.items()}
    for table, tables in tomllib.loads(
        files("land.units").joinpath("real_estate.toml").read_text(encoding="utf-8")
    ).items()
}
SalesIn = Callable[[Sequence[str], Box], Sequence[MarketSale]]
"""Returns the sales of some kinds whose point lies in a box."""


class Comparable(NamedTuple):
    sale: MarketSale
    distance_m: float
    """The distance from the land unit to the point that DVF gives."""

    @property
    def price_eur_per_m2(self) -> float:
        """Per built square metre; of bare land, per square metre of ground."""
        return self.sale.price_eur / self.sale.area_m2


@dataclass(frozen=True)
class RealEstateBlock:
    period_from: str | None
    """The first day of the oldest year that is loaded."""
    period_to: str | None
    """The day of the newest sale in the communes that compares. Later sales are not known."""
    kind: str | None
    """house, flat, commercial, building_land or land; None if no sale is near."""
    kind_basis: Basis | None
    radius_m: float | None
    sale_count: int
    last_sale_on: str | None
    median_price_eur_per_m2: float | None
    comparables: tuple[Comparable, ...]
    comparables_method: Text


@dataclass(frozen=True)
class Market:
    """The sales of the communes, readable as long as the snapshot is open."""

    sales_in: SalesIn
    period_from: str | None
    period_to: str | None
    ground_kind: Kind | None = None
    """The kind of bare land in the largest zone; None if no zone is known."""
    zone_loads: Sequence[Load] = ()
    """The loads that `ground_kind` is from."""


def _market(reads: Reads, site: Site) -> Market:
    years = [load.partition.part for load in site.loads.all if load.dataset == DVF.id and load.partition.part]
    ground_kind, zone_loads = _zone(reads, site)
    return Market(
        sales_in=partial(sales.sales_in_box, reads.snapshot, site.communes),
        period_from=f"{min(years)}-01-01" if years else None,
        period_to=reads.cached(sales.newest_sale_on, site.communes) if site.has(DVF.id) else None,
        ground_kind=ground_kind,
        zone_loads=zone_loads,
    )


def _zone(reads: Reads, site: Site) -> tuple[Kind | None, Sequence[Load]]:
    """The kind of bare land in the largest zone, and the loads of this zone."""
    facts = zones_in(reads, site.boxes(LINE_REACH_M), site.communes) if site.shape else None
    overlaps = zoning_of(facts[0], site.shape).zones if facts and site.shape else ()
    for zone in (overlap.record for overlap in overlaps[:1]):
        is_to_build = zone.zone_type in _ZONES_TO_BUILD or zone.sector_type in _SECTORS_TO_BUILD
        is_other = zone.zone_type in _OTHER_ZONES or zone.sector_type in _OTHER_SECTORS
        kind: Kind | None = "building_land" if is_to_build else "land" if is_other else None
        loads = facts[2] if facts and kind else ()
        return kind, [load for load in loads if (load.dataset, load.partition.code) == (GPU_ZONES.id, zone.partition)]
    return None, ()


def compute(reads: Reads, site: Site, parts: Parts) -> Part[RealEstateBlock | None]:
    """None, with the reason, if no sales nearby are known: never a false "no sale"."""
    uncovered = [code for code in site.communes if site.loads.coverage(DVF.id, code).status != "covered"]
    warnings = [warning("real_estate_not_covered", "real_estate", commune=commune) for commune in uncovered]
    if site.shape is None:
        warnings.append(warning("real_estate_not_placed", "real_estate"))
    if site.shape is None or len(uncovered) == len(site.communes):
        return Part(None, warnings)
    sales, buildings = parts["history"].block.sales, parts["buildings"].block
    facts = _market(reads, site)
    block = compare(facts, site.shape, site.selected, sales, buildings)
    loads = facts.zone_loads if block.kind_basis == "zone" else ()
    return Part(block, [*warnings, *comparable_warnings(block.comparables)], loads=loads)


RECIPE = Recipe("real_estate", (), compute)


def compare(
    facts: Market,
    shape: Shape,
    parcel_ids: Sequence[str],
    own_sales: Sequence[Sale],
    buildings: BuildingsBlock | None,
) -> RealEstateBlock:
    """`parcel_ids` and `own_sales` are those of the land unit; `buildings` is None if they are not known."""
    kinds, basis = _kinds(own_sales, buildings, facts.ground_kind)
    around = partial(_sales_within, facts, shape, frozenset(parcel_ids))
    near, radius_m = _search(around, kinds)
    if basis == "zone" and not near:
        kinds, basis = BARE, "nothing_built"
        near, radius_m = _search(around, kinds)
    if len(kinds) > 1 and near:
        # A smaller circle does not have enough sales of all kinds, so it does not have enough of one.
        most_sold = Counter(item.sale.kind for item in near[:NEIGHBOURS]).most_common(1)[0][0]  # of equals, the nearer
        near, radius_m = _search(around, [most_sold], RADII_M.index(radius_m))
    prices = [item.price_eur_per_m2 for item in near]
    listed = sorted(near, key=lambda item: _remoteness(item, facts.period_to))[:MAX_COMPARABLES]
    kind = near[0].sale.kind if near else None
    return RealEstateBlock(
        period_from=facts.period_from,
        period_to=facts.period_to,
        kind=kind,
        kind_basis=basis if kind else None,
        radius_m=radius_m if kind else None,
        sale_count=len(near),
        last_sale_on=max((item.sale.date_mutation for item in near), default=None),
        median_price_eur_per_m2=round(statistics.median(prices), 2) if len(prices) >= LEAST_FOR_MEDIAN else None,
        comparables=tuple(listed),
        comparables_method=_method(kind, basis, radius_m, len(listed)),
    )


def comparable_warnings(comparables: Sequence[Comparable]) -> list[AnswerWarning]:
    """Warns of each comparable with identical rows that may be one piece of ground or several."""
    warnings = (
        units_ambiguous(
            sale.id_mutation,
            sale.parcel_ids.split("|"),
            [("land", sale.land_m2, sale.unfolded_land_m2)],
            "real_estate",
        )
        for sale in (item.sale for item in comparables)
    )
    return [item for item in warnings if item is not None]


def _kinds(
    own_sales: Sequence[Sale], buildings: BuildingsBlock | None, ground_kind: Kind | None
) -> tuple[Sequence[Kind], Basis]:
    """Which kinds compare, and the reason."""
    bare = [ground_kind] if ground_kind else BARE
    if buildings is not None and buildings.count == 0:
        return bare, "zone" if ground_kind else "nothing_built"
    sold = next((kind for sale in own_sales if (kind := _kind_sold(sale))), None)
    if sold:
        return [sold], "own_sale"
    built = _kind_built(buildings.items) if buildings else None
    if built:
        return [built], "buildings"
    return BUILT if buildings else (*BUILT, *bare), "nearby_sales"


def _kind_sold(sale: Sale) -> Kind | None:
    name = sale.type_local or ""
    return "commercial" if name.startswith(_COMMERCIAL_TYPE) else _KIND_OF_TYPE.get(name)


def _kind_built(items: Sequence[Building]) -> Kind | None:
    """A flat if a building has several dwellings, a house if one has a single dwelling, else business premises."""
    dwellings = [item.dwelling_count for item in items if item.dwelling_count is not None]
    if dwellings and max(dwellings) > 0:
        return "house" if max(dwellings) == 1 else "flat"
    usages = [item.usage for item in items if item.usage]
    return "commercial" if usages and usages[0].startswith(_COMMERCIAL_USAGES) else None


def _sales_within(
    facts: Market, shape: Shape, own: Set[str], kinds: Sequence[str], radius_m: float
) -> list[Comparable]:
    """The sales of these kinds within a distance, without those of the land unit."""
    other_sales = [
        sale
        for sale in facts.sales_in(kinds, box_around(shape.degrees.bounds, radius_m))
        if own.isdisjoint(sale.parcel_ids.split("|")) and sale.date_mutation >= (facts.period_from or "")
    ]
    points = shapely.points([sale.lon for sale in other_sales], [sale.lat for sale in other_sales])
    distances = shapely.distance(territory.all_to_metres(points, shape.projection), shape.metric).tolist()
    comparables = map(Comparable, other_sales, distances)
    return [comparable for comparable in comparables if comparable.distance_m <= radius_m]


def _search(
    around: Callable[[Sequence[str], float], list[Comparable]], kinds: Sequence[str], smallest: int = 0
) -> tuple[list[Comparable], float]:
    """Sales of these kinds within the smallest circle that has ENOUGH, else within the widest; nearest first.

    `smallest` is the index of the first circle in RADII_M.
    """
    near: list[Comparable] = []
    for radius_m in RADII_M[smallest:]:
        near = around(kinds, radius_m)
        if len(near) >= ENOUGH:
            break
    near.sort(
        key=lambda item: (item.distance_m, item.sale.commune_code, item.sale.date_mutation, item.sale.id_mutation)
    )
    return near, radius_m


def _remoteness(item: Comparable, newest_on: str | None) -> tuple[float, str]:
    age = date.fromisoformat(newest_on or item.sale.date_mutation) - date.fromisoformat(item.sale.date_mutation)
    return item.distance_m + METRES_PER_YEAR * age.days / DAYS_PER_YEAR, item.sale.id_mutation


def _method(kind: str | None, basis: Basis, radius_m: float, listed: int) -> Text:
    if kind is None:
        return fill(_TEXTS["methods"]["none"], radius_m=round(radius_m))
    return fill(
        _TEXTS["methods"]["chosen"],
        kind=_TEXTS["kinds"][kind],
        basis=_TEXTS["basis"][basis],
        radius_m=round(radius_m),
        listed=listed,
        metres_per_year=METRES_PER_YEAR,
        enough=ENOUGH,
    )


Reading = tuple[Literal["units", "built", "rooms", "land"], float | None, float | None]
"""A figure with identical rows counted once, and with each of them counted."""
_READINGS: Mapping[str, Text] = {
    "units": Text("{once} ou {each} locaux", "{once} or {each} units"),
    "built": Text("{once} ou {each} m² bâtis", "{once} or {each} m² built"),
    "rooms": Text("{once} ou {each} pièces principales", "{once} or {each} main rooms"),
    "land": Text("{once} ou {each} m² de terrain", "{once} or {each} m² of land"),
}


def units_ambiguous(
    id_mutation: str, parcel_ids: Sequence[str], readings: Sequence[Reading], block: str
) -> AnswerWarning | None:
    """The warning, with each figure that differs between the readings; None if none differs."""
    differing = [
        fill(_READINGS[name], once=once, each=each_counted)
        for name, once, each_counted in readings
        if once is not None and each_counted is not None and once != each_counted
    ]
    if not differing:
        return None
    return warning(
        "dvf_units_ambiguous",
        block,
        id_mutation=id_mutation,
        parcels=", ".join(parcel_ids),
        readings=join(differing, ", "),
    )
