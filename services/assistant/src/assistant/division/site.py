"""Converts a land unit's geometry to the site to divide, in metres on the ground."""

from collections.abc import Iterator
from itertools import islice

import shapely
from shapely import MultiLineString
from shapely.geometry.base import BaseGeometry

from assistant.assessment.facts import OPEN_BOUNDS, LandFacts
from assistant.assessment.written_rules import WHOLE, division_reading, drawn_figures
from assistant.division.proposal import Missing, NeighbourParcel, Site
from assistant.division.restrictions import closed_surfaces, protected_surfaces, rules_of
from assistant.geojson import WGS84, Projection, polygons_of, read_geometry, transformed
from landpartner.land.v1 import land_pb2
from servicekit.ground import ground_projection


def site_of(unit: land_pb2.LandUnit, height_m: float | None = None) -> Site | None:
    """The unit's outline, frontage, buildings and restrictions; None if it has no valid outline.

    `height_m` is the height that the project states, for distances that depend on it.
    """
    outline = read_geometry(unit.geometry)
    if outline is None or outline.is_empty:
        return None
    west, _, east, _ = outline.bounds
    projection = ground_projection((west + east) / 2)
    has_frontage = unit.land.HasField("frontage_m")
    lines = read_geometry(unit.land.frontage) if has_frontage else None
    open_lines = [read_geometry(bound.geometry) for bound in unit.land.bounds if bound.kind in OPEN_BOUNDS]
    open_line = shapely.union_all(open_lines) if open_lines else None
    built = [read_geometry(item.geometry) for item in unit.buildings.items]
    closed = [read_geometry(surface) for surface in closed_surfaces(unit)]
    protected = [read_geometry(surface) for surface in protected_surfaces(unit)]
    samples = unit.land.terrain.samples
    points = [shapely.Point(sample.position.longitude, sample.position.latitude) for sample in samples]
    whole, front, open_front, *other_shapes = transformed(
        [outline, lines, open_line, *built, *closed, *protected, *points], WGS84, projection
    )
    shapes = iter(other_shapes)
    built, closed, protected, points = ([*islice(shapes, len(items))] for items in (built, closed, protected, points))
    frontage = None
    if front is not None:
        frontage = _lines(front)
    elif has_frontage and unit.land.frontage_m <= 0:
        frontage = MultiLineString()
    open_frontage = MultiLineString() if open_front is None else _lines(open_front)
    has_road = frontage is None or not frontage.is_empty
    if frontage is not None and not has_road:  # without a road, a path or open ground may give access
        frontage, open_frontage = open_frontage, MultiLineString()
    buildings = tuple(polygon for shape in built if shape is not None for polygon in polygons_of(shape))
    facts = LandFacts(unit)
    closing: dict[Missing, object] = {
        "buildings": facts.buildings,
        "zones": facts.urbanism,
        "risks": facts.risks,
    }
    return Site(
        shapely.union_all(polygons_of(whole)),
        frontage,
        buildings,
        closed=tuple(polygon for shape in closed if shape is not None for polygon in polygons_of(shape)),
        protected=tuple(polygon for shape in protected if shape is not None for polygon in polygons_of(shape)),
        rules=rules_of(unit),
        read_figures=drawn_figures(facts, height_m),
        is_judged_whole=division_reading(facts) in WHOLE,
        altitudes=tuple((p.x, p.y, sample.altitude_m) for p, sample in zip(points, samples, strict=True)),
        missing=tuple(name for name, fact in closing.items() if fact is None),
        declared_m2=facts.cadastral_area_m2,
        projection=projection,
        neighbours=tuple(_neighbours(unit, projection)),
        has_road=has_road,
        open_frontage=open_frontage,
    )


def _neighbours(unit: land_pb2.LandUnit, projection: Projection) -> Iterator[NeighbourParcel]:
    for item in unit.land.neighbours:
        shapes = [read_geometry(item.geometry), read_geometry(item.frontage)]
        if None not in shapes:
            outline, front = transformed(shapes, WGS84, projection)
            for part in polygons_of(outline):
                yield NeighbourParcel(item.parcel_id, part, _lines(front), tuple(item.owners))


def _lines(shape: BaseGeometry) -> MultiLineString:
    parts = shapely.get_parts(shape)
    return MultiLineString([part for part in parts if part.geom_type == "LineString"])
