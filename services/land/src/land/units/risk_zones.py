"""Zones of risk prevention plans on a land unit: a part of the block `risks`."""

from collections.abc import Sequence

import shapely

from land.datasets.grouping import grouped
from land.datasets.risk_zones.queries import zones_in_boxes
from land.datasets.risk_zones.records import RiskZoneRecord
from land.datasets.risk_zones.registration import PPRN_ZONES, PPRT_ZONES
from land.store.cached_reads import Reads
from land.units.overlap import Overlap, is_sliver, surface_on, surfaces_on
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site

RiskZone = Overlap[RiskZoneRecord]


def compute(reads: Reads, site: Site, _: Parts) -> Part[Sequence[RiskZone]]:
    """The zones by plan and code, the largest first. Slivers are left out."""
    if site.shape is None or site.shape.degrees.is_empty:
        return Part(())
    records = zones_in_boxes(reads.snapshot, site.boxes(0))
    zones_with_pieces = zip(records, surfaces_on(records, site.shape), strict=True)
    groups = grouped((zone._replace(is_repaired=False, geometry=b""), piece) for zone, piece in zones_with_pieces)
    wholes = {zone: shapely.union_all(pieces) for zone, pieces in groups.items()}
    zones = [
        surface_on(zone, whole, site.shape)
        for zone, whole in wholes.items()
        if not is_sliver(whole.area, site.shape.metric.area)
    ]
    zones.sort(key=lambda zone: (-(zone.area_m2 or 0.0), zone.record.plan_id, zone.record.code))
    return Part(zones)


RECIPE = Recipe("risk_zones", (PPRN_ZONES.id, PPRT_ZONES.id), compute, part_of="risks")
