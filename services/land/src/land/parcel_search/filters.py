"""The filters of a search. Each takes parcels of the area and keeps those that pass.

A parcel passes only if the loaded data says so. Where the data of a filter is not loaded, no parcel passes, and the
filter states the communes of these parcels.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import shapely

from land import gpu_datasets, registry, territory
from land.parcel_search.model import Filters
from land.provenance import CommuneLoads
from land.records.buildings import BuildingRecord
from land.records.parcels import ParcelRecord
from land.records.planning import ZoneRecord
from land.store.boxes import box_around
from land.store.buildings import MAX_ROWS, buildings_in_boxes
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.store.permits import permitted_since
from land.store.planning import zones_in
from land.store.sales import sold_since
from land.units.buildings import MATCH_REACH_M, built_among
from land.units.geometry import Area, from_wkb
from land.units.overlap import LINE_REACH_M, zoning_of
from land.units.site import Shape


class Candidates:
    """Parcels that the filters examine together, each with an outline, all in one territory."""

    def __init__(self, reads: Reads, records: Sequence[ParcelRecord], loads: CommuneLoads) -> None:
        self.reads = reads
        self.records = records
        self.loads = loads
        """Of all communes of the area."""

    @property
    def ids(self) -> list[str]:
        return [record.parcel_id for record in self.records]

    @property
    def communes(self) -> tuple[str, ...]:
        return tuple(sorted({record.commune_code for record in self.records}))

    def without(self, *datasets: str) -> dict[str, set[str]]:
        """By dataset, the communes of these parcels that it does not cover."""
        missing = {
            dataset: {each for each in self.communes if self.loads.coverage(dataset, each).status != "covered"}
            for dataset in datasets
        }
        return {dataset: communes for dataset, communes in missing.items() if communes}


class Verdict(NamedTuple):
    passing: set[str]
    """Parcel ids."""
    missing: Mapping[str, set[str]] = {}
    """By dataset, communes of examined parcels about which it says nothing."""
    loads: Sequence[Load] = ()
    """The planning documents that were read."""


@dataclass(frozen=True)
class Filter:
    name: str
    """The member of the request."""
    datasets: Sequence[str]
    keep: Callable[[Candidates], Verdict]


def filters_of(filters: Filters) -> list[Filter]:
    """The filters that are set, the cheapest first."""
    found = []
    if filters.min_area_m2 is not None or filters.max_area_m2 is not None:
        found.append(Filter("area", (), lambda candidates: _of_area(candidates, filters)))
    if filters.sold_since:
        found.append(Filter("sold_since", (registry.DVF.id,), lambda each: _sold(each, filters.sold_since)))
    if filters.permit_since:
        found.append(Filter("permit_since", registry.PERMITS, lambda each: _permitted(each, filters.permit_since)))
    if filters.zone_types:
        found.append(Filter("zone_types", (gpu_datasets.GPU_ZONES.id,), lambda each: _zoned(each, filters.zone_types)))
    if filters.unbuilt:
        found.append(Filter("unbuilt", registry.BUILDINGS, _unbuilt))
    return found


def _of_area(candidates: Candidates, filters: Filters) -> Verdict:
    least = -1.0 if filters.min_area_m2 is None else filters.min_area_m2
    most = float("inf") if filters.max_area_m2 is None else filters.max_area_m2
    areas = {
        each.parcel_id: each.geometric_area_m2 if each.cadastral_area_m2 is None else each.cadastral_area_m2
        for each in candidates.records
    }
    return Verdict({key for key, area in areas.items() if area is not None and least <= area <= most})


def _sold(candidates: Candidates, since: str) -> Verdict:
    found = sold_since(candidates.reads.snapshot, candidates.ids, since)
    return Verdict(found, candidates.without(registry.DVF.id))


def _permitted(candidates: Candidates, since: str) -> Verdict:
    found = permitted_since(candidates.reads.snapshot, candidates.ids, since)
    return Verdict(found, candidates.without(*registry.PERMITS))


def _zoned(candidates: Candidates, types: frozenset[str]) -> Verdict:
    """Parcels with a zone of one of these types, larger than a sliver, as the block `urbanism` lists it."""
    outlines = list(map(_outline, candidates.records))
    boxes = [box_around(outline.bounds, LINE_REACH_M) for outline in outlines]
    facts = zones_in(candidates.reads, boxes, candidates.communes)
    if facts is None:
        return Verdict(set(), {gpu_datasets.GPU_ZONES.id: set(candidates.communes)})
    zones, is_rnu, loads = facts
    drawn = shapely.from_wkb(np.array([zone.geometry for zone in zones], dtype=object))
    tree = shapely.STRtree(outlines)
    touching: dict[int, list[int]] = {}
    whole: set[int] = set()
    for zone, parcel in zip(*tree.query(drawn, "intersects").tolist(), strict=True):
        touching.setdefault(parcel, []).append(zone)
    wanted = [place for place, zone in enumerate(zones) if zone.zone_type in types]
    if wanted:
        whole = set(tree.query(drawn[wanted], "contains")[1].tolist())
    passing: set[str] = set()
    missing: set[str] = set()
    for place, record in enumerate(candidates.records):
        around = [zones[zone] for zone in touching.get(place, ()) if zones[zone].zone_type in types]
        if place in whole or (around and _is_in_one(around, outlines[place], record)):
            passing.add(record.parcel_id)
        elif place not in touching and not is_rnu.get(record.commune_code):
            missing.add(record.commune_code)
    return Verdict(
        passing,
        {gpu_datasets.GPU_ZONES.id: missing} if missing else {},
        [load for load in loads if load.dataset == gpu_datasets.GPU_ZONES.id and load.row_count],
    )


def _is_in_one(zones: Sequence[ZoneRecord], outline: Area, record: ParcelRecord) -> bool:
    return bool(zoning_of(zones, Shape(outline, territory.projection_of(record.commune_code))).zones)


def _unbuilt(candidates: Candidates) -> Verdict:
    """Parcels without a building, as the block `buildings` lists them. It knows if one of the sources is loaded."""
    missing = candidates.without(*registry.BUILDINGS)
    of_none = set.intersection(*(missing.get(dataset, set()) for dataset in registry.BUILDINGS))
    known = [each for each in candidates.records if each.commune_code not in of_none]
    rows: Sequence[BuildingRecord] = ()
    if known:
        boxes = [box_around(_outline(each).bounds, MATCH_REACH_M) for each in known]
        rows = buildings_in_boxes(candidates.reads.snapshot, boxes)()
    if len(rows) >= MAX_ROWS:
        of_none, known = set(candidates.communes), []
    built: set[str] = set()
    if known:
        projection = territory.projection_of(known[0].commune_code)
        metric = territory.all_to_metres(list(map(_outline, known)), projection)
        built = built_among(rows, dict(zip((each.parcel_id for each in known), metric, strict=True)), projection)
    passing = {each.parcel_id for each in known} - built
    return Verdict(passing, {dataset: of_none for dataset in registry.BUILDINGS if of_none})


def _outline(record: ParcelRecord) -> Area:
    assert record.geometry is not None  # noqa: S101 (a candidate has an outline)
    return from_wkb(record.geometry)


def named(missing: Iterable[Mapping[str, set[str]]]) -> dict[str, list[str]]:
    """By dataset, the communes of all of these, in order."""
    found: dict[str, set[str]] = {}
    for each in missing:
        for dataset, communes in each.items():
            found.setdefault(dataset, set()).update(communes)
    return {dataset: sorted(communes) for dataset, communes in found.items()}
