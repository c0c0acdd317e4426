"""The area of a search: the boxes where its parcels are, whether a parcel is in it, and how far plans are loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from land.datasets import territory
from land.datasets.parcels.queries import communes_in_boxes, territories_of
from land.datasets.parcels.records import ParcelRecord
from land.store.boxes import Box, box_around
from land.store.cached_reads import Reads
from land.store.snapshot import Snapshot
from land.units import geometry

LOOK_M = 5.0
"""How far around a parcel its neighbours may be in a commune that is not loaded."""
NEARBY_M = 500.0
"""An area without a parcel, such as a forest, belongs to the communes with a parcel at most so far."""
COVERED_RATIO = 0.99
"""Territories with at least this share of the area cover it: their limits do not meet exactly."""


@dataclass(frozen=True)
class Area:
    shape: BaseGeometry
    """The shape is in degrees."""
    reach_m: float | None = None
    """Parcels at most so far from the shape; None: those that intersect it."""

    @cached_property
    def boxes(self) -> list[Box]:
        return self._boxes(self.reach_m or 0.0)

    def _boxes(self, reach_m: float) -> list[Box]:
        return [box_around(part.bounds, reach_m) for part in shapely.get_parts(self.shape).tolist()]

    @property
    def is_point(self) -> bool:
        return self.reach_m is None and not self.shape.area

    def within(self, records: Sequence[ParcelRecord]) -> list[ParcelRecord]:
        """The parcels of the area among these, which all have an outline."""
        if not records:
            return []
        outlines = shapely.from_wkb(np.array([record.geometry for record in records], dtype=object))
        if self.reach_m is None:
            shapely.prepare(self.shape)
            inside = shapely.intersects(self.shape, outlines)
        else:
            projection = territory.projection_of(outlines[0])
            metric = territory.to_metres(self.shape, projection)
            shapely.prepare(metric)
            inside = shapely.dwithin(metric, territory.all_to_metres(outlines, projection), self.reach_m)
        return [record for record, is_inside in zip(records, inside.tolist(), strict=True) if is_inside]

    def communes(self, snapshot: Snapshot) -> tuple[tuple[str, ...], bool]:
        """The communes with a loaded plan here, and True; or else those nearby, and False."""
        communes = communes_in_boxes(snapshot, self.boxes)
        if communes:
            return tuple(communes), True
        return tuple(communes_in_boxes(snapshot, self._boxes((self.reach_m or 0.0) + NEARBY_M))), False

    def is_covered(self, reads: Reads, communes: Sequence[str], *, are_here: bool) -> bool:
        """Whether the area, without the shape that it surrounds, is in the territories of these communes. A commune
        whose territory is not loaded counts as covering it, if it has a parcel here.
        """
        outlines = [reads.cached(_territory_of, commune) for commune in communes]
        land = [outline for outline in outlines if outline is not None]
        if len(land) < len(outlines) and are_here:
            return True
        if not land:
            return False
        ground = self._ground()
        if shapely.covers(land, ground).any():
            return True
        inside: BaseGeometry = shapely.union_all(shapely.intersection(land, ground))
        return bool(0 < COVERED_RATIO * ground.area <= inside.area)

    def _ground(self) -> BaseGeometry:
        if self.reach_m is None:
            return self.shape
        projection = territory.projection_of(self.shape)
        metric = territory.to_metres(self.shape, projection)
        return territory.to_degrees(metric.buffer(max(self.reach_m, LOOK_M)).difference(metric), projection)


def _territory_of(snapshot: Snapshot, commune: str) -> geometry.Area | None:
    """The prepared territory of a commune; None if it is not loaded."""
    wkb = territories_of(snapshot, [commune]).get(commune)
    if wkb is None:
        return None
    territory_ = geometry.from_wkb(wkb)
    shapely.prepare(territory_)
    return territory_
