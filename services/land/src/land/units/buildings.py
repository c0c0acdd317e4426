"""The block `buildings`: what stands on a land unit by the cadastre, BD TOPO and the national register (RNB).

Records of different sources are one building if they share an RNB id, or if more than half of the smaller one lies
within the other. The outline is the cadastre's if there is one, since parcels are drawn on the same plan; else BD
TOPO's, else the RNB's. Height, storeys, use, dwellings and year come from BD TOPO: the other sources do not have them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Point, Polygon
from shapely.geometry.base import BaseGeometry

from land.answers.texts import truncated, warning
from land.datasets import territory
from land.datasets.buildings.queries import MAX_ROWS, buildings_in_boxes
from land.datasets.buildings.records import BuildingRecord
from land.datasets.buildings.registration import BDTOPO, BUILDINGS, CADASTRE_BUILDINGS, RNB
from land.datasets.grouping import grouped
from land.store.cached_reads import Reads
from land.units import geometry
from land.units.geometry import Area
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Shape, Site

MATCH_REACH_M = 5.0
"""How far outside a parcel records of its buildings may lie. BD TOPO states an accuracy of 3 to 5 m."""
SAME_BUILDING_RATIO = 0.5
"""The share of the smaller of two outlines. It can lie by more than half in one other only: terraced houses stay
separate.
"""
MIN_PART_M2 = 1.0
MIN_PART_RATIO = 0.01
MIN_PART_WIDTH_M = 1.0
"""A part of a building is a sliver if it has less than 1 m². It is also one if it has less than 1 % of the building
and is narrower than 1 m on average: then two sources draw one wall differently.
"""
MIN_FOREIGN_PART_M2 = 5.0
MIN_FOREIGN_PART_RATIO = 0.05
"""The least area, or share, on the land unit of an outline that is not the cadastre's: it may be metres off."""
MAX_ITEMS = 500
_AREA_DECIMALS = 1
_RATIO_DECIMALS = 4


@dataclass(frozen=True)
class Building:
    """One building, and its part on the land unit."""

    id: str
    """The RNB id if the building has exactly one, else the id of the record with its outline."""
    footprint_m2: float | None
    """The footprint of the part on the land unit; None without an outline."""
    cover_ratio: float | None
    """The share of the building that is on the land unit."""
    height_m: float | None
    storeys: int | None
    usage: str | None
    dwelling_count: int | None
    construction_year: int | None
    is_light: bool | None
    rnb_ids: tuple[str, ...]
    outline_source: str
    """The dataset of its outline; without an outline, of its point."""
    facts_source: str | None
    """The dataset of its height, storeys, usage, dwellings and year."""
    geometry: bytes
    """The part on the land unit, as GeoJSON; empty without an outline."""
    is_repaired: bool


@dataclass(frozen=True)
class BuildingsBlock:
    count: int
    footprint_area_m2: float | None
    """The area that buildings cover, overlaps once. None if a building has no outline."""
    ground_coverage_ratio: float | None
    items: tuple[Building, ...]
    """Largest footprint first, MAX_ITEMS at most."""
    rnb_shares: Mapping[str, float]
    """The share of each building on the land unit by RNB id: 0 for the register's others nearby."""


@dataclass(frozen=True)
class _Record:
    row: BuildingRecord
    shape: Area | Point
    """The shape in metres."""


def compute(reads: Reads, site: Site, _: Parts) -> Part[BuildingsBlock | None]:
    """None, with the reason, where it is not known of every parcel what stands on it: never a false "no building"."""
    warnings = [
        warning("buildings_not_covered", "buildings", commune=commune)
        for commune in site.communes
        if all(site.loads.coverage(dataset, commune).status != "covered" for dataset in BUILDINGS)
    ]
    if not site.is_drawn:
        warnings.append(warning("buildings_not_placed", "buildings"))
    rows = buildings_in_boxes(reads.snapshot, site.boxes(MATCH_REACH_M)) if site.has(*BUILDINGS) else ()
    if len(rows) >= MAX_ROWS:
        warnings.append(warning("buildings_too_many", "buildings"))
    if warnings or site.shape is None:
        return Part(None, warnings)
    block = buildings_on(rows, site.shape, site.selected)
    warnings = [warning("building_repaired", "buildings", building=item.id) for item in block.items if item.is_repaired]
    return Part(block, [*warnings, *truncated("buildings_truncated", "buildings", block.count, MAX_ITEMS)])


RECIPE = Recipe("buildings", BUILDINGS, compute, needed_by=("real_estate",))


def buildings_on(rows: Sequence[BuildingRecord], shape: Shape, parcel_ids: Sequence[str]) -> BuildingsBlock:
    """The buildings among these records that stand on the land unit.

    `rows` are all records within MATCH_REACH_M of it; `parcel_ids` are its parcels.
    """
    ground, projection = shape.metric, shape.projection
    records = _records(rows, projection)
    shapely.prepare(ground)
    buildings_on_unit = _on_ground(_buildings(records), ground, set(parcel_ids))
    buildings_on_unit.sort(key=lambda item: (-(item[0].footprint_m2 or 0.0), item[0].id))
    items, parts = [item for item, _ in buildings_on_unit], [part for _, part in buildings_on_unit]
    covered = None
    if all(item.footprint_m2 is not None for item in items):
        covered = shapely.union_all(parts).area
    return BuildingsBlock(
        count=len(items),
        footprint_area_m2=None if covered is None else round(covered, _AREA_DECIMALS),
        ground_coverage_ratio=None if covered is None else round(min(1.0, covered / ground.area), _RATIO_DECIMALS),
        items=tuple(
            replace(item, geometry=outline)
            for item, outline in zip(items, _geojson(parts[:MAX_ITEMS], projection), strict=False)
        ),
        rnb_shares=_rnb_shares(records, items, parcel_ids),
    )


def _rnb_shares(
    records: Sequence[_Record], items: Sequence[Building], parcel_ids: Sequence[str]
) -> Mapping[str, float]:
    """The register's own shares on parcels if it gives them, else those of the outlines."""
    shares = {rnb_id: item.cover_ratio or 0.0 for item in items for rnb_id in item.rnb_ids}
    registered = {
        record.row.building_id: sum(plots.get(parcel_id, 0.0) for parcel_id in parcel_ids)
        if (plots := _plots(record))
        else shares.get(record.row.building_id, 0.0)
        for record in records
        if record.row.dataset == RNB.id
    }
    return shares | registered


def built_among(rows: Sequence[BuildingRecord], grounds: Mapping[str, Area], projection: str) -> set[str]:
    """Ids of the parcels on which a building stands, by the rules of `buildings_on`. `rows` are all records within
    MATCH_REACH_M of the parcels, which are given in metres by id.
    """
    ids, areas = list(grounds), list(grounds.values())
    shapely.prepare(areas)
    tree = shapely.STRtree(areas)
    built: set[str] = set()
    for group in _buildings(_records(rows, projection)):
        record_with_outline = _drawn(group)
        if record_with_outline is None:
            built |= _parcels_of_point(group[0], tree, ids)
            continue
        source, whole, _ = record_with_outline
        for place in tree.query(whole, "intersects").tolist():
            part = geometry.polygons_of(whole.intersection(areas[place]))
            if _stands(part, whole, source):
                built.add(ids[place])
    return built


def _parcels_of_point(record: _Record, tree: shapely.STRtree, ids: Sequence[str]) -> set[str]:
    """The parcels that a record without an outline stands on, among these."""
    plots = _plots(record)
    return (
        {parcel_id for parcel_id in ids if plots.get(parcel_id, 0.0) > 0}
        if plots
        else {ids[place] for place in tree.query(record.shape, "intersects").tolist()}
    )


def _plots(record: _Record) -> dict[str, float]:
    """The share of the building, by parcel id, on the parcels that its source names."""
    pairs = (plot.split(":") for plot in record.row.plots.split("|") if plot)
    return {parcel_id: float(ratio) for parcel_id, ratio in pairs}


def _drawn(group: Sequence[_Record]) -> tuple[str, BaseGeometry, list[_Record]] | None:
    """The source of the outline of a building, the outline, and the records that it is from; None without one."""
    records_with_outline = [record for record in group if not isinstance(record.shape, Point)]
    if not records_with_outline:
        return None
    source = min((record.row.dataset for record in records_with_outline), key=BUILDINGS.index)
    outlines = [record for record in records_with_outline if record.row.dataset == source]
    return source, shapely.union_all([record.shape for record in outlines]), outlines


def _records(rows: Sequence[BuildingRecord], projection: str) -> list[_Record]:
    """The records of the rows, each once."""
    unique = list({(row.dataset, row.building_id): row for row in rows}.values())
    shapes = territory.all_to_metres([shapely.from_wkb(row.geometry) for row in unique], projection)
    records = []
    for row, shape in zip(unique, shapes, strict=True):
        assert isinstance(shape, Polygon | MultiPolygon | Point)  # noqa: S101 (what records promise)
        records.append(_Record(row, shape))
    return records


def _buildings(records: Sequence[_Record]) -> list[list[_Record]]:
    """The records of each building."""
    leader = list(range(len(records)))

    def first(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    for one, other in (*_of_same_rnb_id(records), *_of_same_ground(records)):
        leader[max(first(one), first(other))] = min(first(one), first(other))
    return list(grouped((first(place), record) for place, record in enumerate(records)).values())


def _of_same_rnb_id(records: Sequence[_Record]) -> Iterable[tuple[int, int]]:
    count_by_id: dict[str, int] = {}
    for place, record in enumerate(records):
        for rnb_id in filter(None, record.row.rnb_ids.split("|")):
            yield count_by_id.setdefault(rnb_id, place), place


def _of_same_ground(records: Sequence[_Record]) -> Iterable[tuple[int, int]]:
    """Pairs of records of different sources, of which one lies mostly within the other."""
    areas = [(place, record) for place, record in enumerate(records) if not isinstance(record.shape, Point)]
    if len({record.row.dataset for _, record in areas}) < 2:  # noqa: PLR2004 (a pair takes two sources)
        return
    datasets = np.array([record.row.dataset for _, record in areas])
    shapes = np.array([record.shape for _, record in areas], dtype=object)
    one, other = shapely.STRtree(shapes).query(shapes, "intersects")
    is_pair = (one < other) & (datasets[one] != datasets[other])
    one, other = one[is_pair], other[is_pair]
    shared, sizes = shapely.area(shapely.intersection(shapes[one], shapes[other])), shapely.area(shapes)
    is_same = shared > SAME_BUILDING_RATIO * np.minimum(sizes[one], sizes[other])
    for first, second in zip(one[is_same].tolist(), other[is_same].tolist(), strict=True):
        yield areas[first][0], areas[second][0]


def _on_ground(groups: Sequence[Sequence[_Record]], ground: Area, parcel_ids: set[str]) -> list[tuple[Building, Area]]:
    """The buildings with a part on the land unit, still without its GeoJSON, and this part in metres."""
    outlined_groups: list[tuple[Sequence[_Record], str, BaseGeometry, list[_Record]]] = []
    buildings: list[tuple[Building, Area]] = []
    for group in groups:
        if outline := _drawn(group):
            outlined_groups.append((group, *outline))
        elif building := _placed(group[0], ground, parcel_ids):
            buildings.append((building, Polygon()))
    parts = shapely.intersection([whole for _, _, whole, _ in outlined_groups], ground)
    for (group, source, whole, outlines), cut in zip(outlined_groups, parts, strict=True):
        part = geometry.polygons_of(cut)
        if _stands(part, whole, source):
            largest = max(outlines, key=lambda record: record.shape.area)
            is_repaired = any(record.row.is_repaired for record in outlines)
            ratio = min(1.0, part.area / whole.area)
            buildings.append((_building(group, largest, part.area, ratio, is_repaired=is_repaired), part))
    return buildings


def _stands(part: Area, whole: BaseGeometry, source: str) -> bool:
    """Whether the part is more than a sliver."""
    if part.area < MIN_PART_M2:
        return False
    ratio = part.area / whole.area
    if ratio < MIN_PART_RATIO and 2 * part.area / part.length < MIN_PART_WIDTH_M:
        return False
    return source == CADASTRE_BUILDINGS.id or part.area >= MIN_FOREIGN_PART_M2 or ratio >= MIN_FOREIGN_PART_RATIO


def _placed(record: _Record, ground: Area, parcel_ids: set[str]) -> Building | None:
    """A building without an outline. It is on the parcels that its source names, else where its point lies."""
    plots = _plots(record)
    shares = [ratio for parcel_id, ratio in plots.items() if parcel_id in parcel_ids]
    if not (sum(shares) > 0 if plots else ground.intersects(record.shape)):
        return None
    ratio = min(1.0, sum(shares)) if plots else None
    return _building([record], record, None, ratio, is_repaired=False)


def _building(
    group: Sequence[_Record],
    outline: _Record,
    footprint_m2: float | None,
    cover_ratio: float | None,
    *,
    is_repaired: bool,
) -> Building:
    described = [record for record in group if record.row.dataset == BDTOPO.id]
    described.sort(key=lambda record: -record.shape.area)
    rows = [record.row for record in described]
    dwellings = [row.dwelling_count for row in rows]
    rnb_ids = sorted({rnb_id for record in group for rnb_id in record.row.rnb_ids.split("|") if rnb_id})
    return Building(
        id=rnb_ids[0] if len(rnb_ids) == 1 else outline.row.building_id,
        footprint_m2=None if footprint_m2 is None else round(footprint_m2, _AREA_DECIMALS),
        cover_ratio=None if cover_ratio is None else round(cover_ratio, _RATIO_DECIMALS),
        height_m=max((row.height_m for row in rows if row.height_m is not None), default=None),
        storeys=max((row.storeys for row in rows if row.storeys is not None), default=None),
        usage=next((row.usage for row in rows if row.usage), None),
        dwelling_count=None
        if None in dwellings or not rows
        else sum(count for count in dwellings if count is not None),
        construction_year=min(
            (row.construction_year for row in rows if row.construction_year is not None), default=None
        ),
        is_light=outline.row.is_light,
        rnb_ids=tuple(rnb_ids),
        outline_source=outline.row.dataset,
        facts_source=BDTOPO.id if rows else None,
        geometry=b"",
        is_repaired=is_repaired,
    )


def _geojson(parts: Sequence[Area], projection: str) -> list[bytes]:
    """The parts as GeoJSON; empty where a part is empty."""
    degrees = shapely.set_precision(territory.all_to_degrees(parts, projection), 10**-geometry.COORDINATE_DECIMALS)
    return [b"" if part.is_empty else geometry.to_geojson(geometry.polygons_of(part)) for part in degrees]
