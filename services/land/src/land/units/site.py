"""The parcels of a land unit with their shapes: what every block starts from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import shapely

from land.answers.provenance import CommuneLoads
from land.datasets import territory
from land.datasets.parcels.records import ParcelRecord
from land.datasets.relief.records import Altitudes
from land.store.boxes import Box, box_around
from land.units import geometry
from land.units.geometry import Area

LINE_REACH_M = 0.2
"""A line this close to the boundary of the land unit counts as running along it."""


@dataclass(frozen=True)
class Shape:
    """The union of the outlines of a land unit."""

    degrees: Area

    @cached_property
    def projection(self) -> str:
        """The PROJ definition of the plane in which the land unit is measured on the ground."""
        return territory.projection_of(self.degrees)

    @cached_property
    def metric(self) -> Area:
        """The shape in metres on the ground."""
        return territory.to_metres(self.degrees, self.projection)

    @cached_property
    def line_reach(self) -> Area:
        """Where a line counts as running along or over the land unit, in metres."""
        return self.metric.buffer(LINE_REACH_M)


@dataclass(frozen=True)
class Site:
    selected: Sequence[str]
    """The requested parcel ids, each once, in the order of the request."""
    parcels: Sequence[ParcelRecord]
    """The selected parcels that exist, in the same order."""
    communes: tuple[str, ...]
    """The communes of these parcels, each once, in the same order."""
    outlines: Mapping[str, Area]
    """Outlines by parcel id, in degrees. A parcel without an outline is left out."""
    shape: Shape | None
    """None if no parcel has an outline."""
    loads: CommuneLoads
    """What is loaded with rows of these communes, except planning documents."""
    altitudes: Altitudes = field(default_factory=Altitudes)
    lookups: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Why a publisher's answer about the site is missing or old, by place and question."""
    is_territory_missing: bool = False
    """Whether a commune's territory that is published could not be loaded: the land may face another commune."""

    @property
    def is_drawn(self) -> bool:
        """Whether every parcel has an outline."""
        return len(self.outlines) == len(self.parcels)

    def has(self, *datasets: str) -> bool:
        """Whether one of these datasets is loaded for one of the communes."""
        return any(load.dataset in datasets for load in self.loads.all)

    def boxes(self, reach_m: float) -> list[Box]:
        """The box of each outline, widened by so many metres."""
        return [box_around(bounds, reach_m) for bounds in self._bounds]

    @cached_property
    def _bounds(self) -> list[list[float]]:
        bounds: list[list[float]] = shapely.bounds(list(self.outlines.values())).tolist()
        return bounds


def site_of(selected: Sequence[str], records: Mapping[str, ParcelRecord], loads: CommuneLoads) -> Site:
    """Raises nothing; at least one selected parcel must be among the records."""
    parcels = [records[parcel_id] for parcel_id in selected if parcel_id in records]
    communes = tuple(dict.fromkeys(record.commune_code for record in parcels))
    outlines = {record.parcel_id: geometry.from_wkb(record.geometry) for record in parcels if record.geometry}
    shape = Shape(geometry.union(list(outlines.values()))) if outlines else None
    return Site(selected, parcels, communes, outlines, shape, loads)
