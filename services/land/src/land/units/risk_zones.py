"""Zones of risk prevention plans on a land unit: a part of the block `risks`."""

from collections.abc import Sequence
from dataclasses import dataclass

import shapely

from land.datasets.risk_zones.queries import zones_in_boxes
from land.datasets.risk_zones.records import RiskZoneRecord
from land.datasets.risk_zones.registration import PPRN_ZONES, PPRT_ZONES
from land.store.cached_reads import Reads
from land.units.geometry import Area
from land.units.overlap import Piece, is_sliver, surfaces_on
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site


@dataclass(frozen=True)
class RiskZone:
    zone: RiskZoneRecord
    piece: Piece
    area_m2: float
    ratio: float
    """The share of the land unit."""


def compute(reads: Reads, site: Site, _: Parts) -> Part[Sequence[RiskZone]]:
    """The zones by plan and code, the largest first. Slivers are left out."""
    if site.shape is None or site.shape.degrees.is_empty:
        return Part(())
    records = zones_in_boxes(reads.snapshot, site.boxes(0))
    groups: dict[RiskZoneRecord, list[Area]] = {}
    for record, piece in zip(records, surfaces_on(records, site.shape), strict=True):
        groups.setdefault(record._replace(is_repaired=False, geometry=b""), []).append(piece)
    zones = []
    for zone, pieces in groups.items():
        whole = shapely.union_all(pieces)
        ratio = whole.area / site.shape.metric.area
        if not is_sliver(whole.area, ratio):
            on_land = Piece(whole, site.shape.projection)
            zones.append(RiskZone(zone, on_land, round(whole.area, 1), round(min(1.0, ratio), 4)))
    return Part(sorted(zones, key=lambda zone: (-zone.area_m2, zone.zone.plan_id, zone.zone.code)))


RECIPE = Recipe("risk_zones", (PPRN_ZONES.id, PPRT_ZONES.id), compute, part_of="risks")
