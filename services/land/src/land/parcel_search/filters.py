"""The filters of a search. Each takes parcels of the area and keeps those that pass.

A parcel passes only if the loaded data says so. Where the data of a filter is not loaded, no parcel passes, and the
filter states the communes of these parcels.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import shapely

from land.answers.provenance import CommuneLoads
from land.datasets import territory
from land.datasets.buildings.queries import MAX_ROWS, buildings_in_boxes
from land.datasets.buildings.records import BuildingRecord
from land.datasets.buildings.registration import BUILDINGS
from land.datasets.grouping import grouped
from land.datasets.parcels.records import ParcelRecord
from land.datasets.permits.queries import permitted_since
from land.datasets.permits.registration import PERMITS
from land.datasets.planning.queries import zones_in
from land.datasets.planning.registration import GPU_ZONES
from land.datasets.sales.queries import sold_since
from land.datasets.sales.registration import DVF
from land.parcel_search.model import Filters
from land.store.boxes import box_around
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.store.snapshot import Snapshot
from land.units.buildings import MATCH_REACH_M, built_among
from land.units.geometry import Area, from_wkb
from land.units.overlap import zoning_of
from land.units.site import LINE_REACH_M, Shape


@dataclass(frozen=True)
class Candidates:
    """Parcels that the filters examine together, each with an outline, all in one territory."""

    reads: Reads
    records: Sequence[ParcelRecord]
    loads: CommuneLoads
    """The loads of all communes of the area."""

    @property
    def ids(self) -> list[str]:
        return [record.parcel_id for record in self.records]

    @property
    def communes(self) -> tuple[str, ...]:
        return tuple(sorted({record.commune_code for record in self.records}))

    def without(self, *datasets: str) -> dict[str, set[str]]:
        """Returns the communes of these parcels that each dataset does not cover."""
        missing = {
            dataset: {commune for commune in self.communes if self.loads.coverage(dataset, commune).status != "covered"}
            for dataset in datasets
        }
        return {dataset: communes for dataset, communes in missing.items() if communes}


class Verdict(NamedTuple):
    passing: set[str]
    """Parcel ids."""
    missing: Mapping[str, set[str]] = {}
    """The communes of examined parcels about which a dataset says nothing, by dataset."""
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
    filter_list = [
        (
            filters.min_area_m2 is not None or filters.max_area_m2 is not None,
            Filter("area", (), lambda candidates: _of_area(candidates, filters)),
        ),
        (
            filters.sold_since,
            Filter("sold_since", (DVF.id,), partial(_since, sold_since, filters.sold_since, (DVF.id,))),
        ),
        (
            filters.permit_since,
            Filter("permit_since", PERMITS, partial(_since, permitted_since, filters.permit_since, PERMITS)),
        ),
        (
            filters.zone_types,
            Filter("zone_types", (GPU_ZONES.id,), lambda candidates: _zoned(candidates, filters.zone_types)),
        ),
        (filters.unbuilt, Filter("unbuilt", BUILDINGS, _unbuilt)),
    ]
    return [one for is_set, one in filter_list if is_set]


def _of_area(candidates: Candidates, filters: Filters) -> Verdict:
    least = -1.0 if filters.min_area_m2 is None else filters.min_area_m2
    most = float("inf") if filters.max_area_m2 is None else filters.max_area_m2
    areas = {
        record.parcel_id: record.geometric_area_m2 if record.cadastral_area_m2 is None else record.cadastral_area_m2
        for record in candidates.records
    }
    return Verdict({key for key, area in areas.items() if area is not None and least <= area <= most})


def _since(
    read: Callable[[Snapshot, Sequence[str], str], set[str]], day: str, datasets: Sequence[str], candidates: Candidates
) -> Verdict:
    """The parcels on which something happened on this day or later."""
    return Verdict(read(candidates.reads.snapshot, candidates.ids, day), candidates.without(*datasets))


def _zoned(candidates: Candidates, types: frozenset[str]) -> Verdict:
    """Parcels with a zone of one of these types, larger than a sliver, as the block `urbanism` lists it."""
    outlines = list(map(_outline, candidates.records))
    boxes = [box_around(outline.bounds, LINE_REACH_M) for outline in outlines]
    facts = zones_in(candidates.reads, boxes, candidates.communes)
    if facts is None:
        return Verdict(set(), {GPU_ZONES.id: set(candidates.communes)})
    zones, is_rnu, loads = facts
    zone_outlines = shapely.from_wkb(np.array([zone.geometry for zone in zones], dtype=object))
    tree = shapely.STRtree(outlines)
    zone_places, parcel_places = tree.query(zone_outlines, "intersects").tolist()
    touching = grouped(zip(parcel_places, zone_places, strict=True))
    whole: set[int] = set()
    places = [place for place, zone in enumerate(zones) if zone.zone_type in types]
    if places:
        whole = set(tree.query(zone_outlines[places], "contains")[1].tolist())
    passing: set[str] = set()
    missing: set[str] = set()
    for place, record in enumerate(candidates.records):
        around = [zones[zone] for zone in touching.get(place, ()) if zones[zone].zone_type in types]
        if place in whole or (around and zoning_of(around, Shape(outlines[place])).zones):
            passing.add(record.parcel_id)
        elif place not in touching and not is_rnu.get(record.commune_code):
            missing.add(record.commune_code)
    return Verdict(
        passing,
        {GPU_ZONES.id: missing} if missing else {},
        [load for load in loads if load.dataset == GPU_ZONES.id and load.row_count],
    )


def _unbuilt(candidates: Candidates) -> Verdict:
    """Parcels without a building, as the block `buildings` lists them. It knows if one of the sources is loaded."""
    missing = candidates.without(*BUILDINGS)
    of_none = set.intersection(*(missing.get(dataset, set()) for dataset in BUILDINGS))
    records = [record for record in candidates.records if record.commune_code not in of_none]
    rows: Sequence[BuildingRecord] = ()
    if records:
        boxes = [box_around(_outline(record).bounds, MATCH_REACH_M) for record in records]
        rows = buildings_in_boxes(candidates.reads.snapshot, boxes)
    if len(rows) >= MAX_ROWS:
        of_none, records = set(candidates.communes), []
    built: set[str] = set()
    if records:
        outlines = list(map(_outline, records))
        projection = territory.projection_of(outlines[0])
        metric = territory.all_to_metres(outlines, projection)
        built = built_among(rows, dict(zip((record.parcel_id for record in records), metric, strict=True)), projection)
    passing = {record.parcel_id for record in records} - built
    return Verdict(passing, {dataset: of_none for dataset in BUILDINGS if of_none})


def _outline(record: ParcelRecord) -> Area:
    assert record.geometry is not None  # noqa: S101 (a candidate has an outline)
    return from_wkb(record.geometry)
