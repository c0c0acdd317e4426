"""Pieces of the land that bears easements. A request reads and intersects only the pieces near its land.

The outline of one risk prevention plan may have 50,000 corners.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import shapely
from shapely.geometry import MultiLineString, MultiPoint, MultiPolygon, box
from shapely.geometry.base import BaseGeometry

from land.datasets.easements.records import EasementRecord

MAX_CORNERS = 256
"""A piece has at most so many corners."""
MAX_CUTS = 24
"""An outline is cut in halves at most so often: a piece has a width of at least a few centimetres."""

_MULTIPLE: Mapping[int, Callable[[list[Any]], BaseGeometry]] = {0: MultiPoint, 1: MultiLineString, 2: MultiPolygon}
"""The class of several geometries, by their dimension."""


def pieces(records: Iterable[EasementRecord], within: BaseGeometry | None = None) -> Iterator[EasementRecord]:
    """Each record once per piece of its geometry; `within` leaves out what is outside this area."""
    for record in records:
        geometry = shapely.from_wkb(record.geometry)
        if within is not None:
            geometry = _part(geometry, within)
        for piece in _cut(geometry, MAX_CUTS):
            yield record._replace(geometry=shapely.to_wkb(piece, output_dimension=2, byte_order=1))


def _cut(geometry: BaseGeometry, cuts: int) -> Iterator[BaseGeometry]:
    if geometry.is_empty:
        return
    if shapely.get_num_coordinates(geometry) <= MAX_CORNERS or not cuts:
        yield geometry
        return
    west, south, east, north = geometry.bounds
    if east - west > north - south:
        middle = (west + east) / 2
        halves = box(west, south, middle, north), box(middle, south, east, north)
    else:
        middle = (south + north) / 2
        halves = box(west, south, east, middle), box(west, middle, east, north)
    for half in halves:
        yield from _cut(_part(geometry, half), cuts - 1)


def _part(geometry: BaseGeometry, area: BaseGeometry) -> BaseGeometry:
    """The part in an area that has the dimension of the geometry."""
    part = shapely.intersection(geometry, area)
    dimension = shapely.get_dimensions(geometry)
    geometries = [
        geometry
        for geometry in shapely.get_parts(shapely.get_parts(part))
        if shapely.get_dimensions(geometry) == dimension
    ]
    return geometries[0] if len(geometries) == 1 else _MULTIPLE[int(dimension)](geometries)
