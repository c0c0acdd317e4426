"""The properties of every division."""

import math
from collections.abc import Callable
from itertools import combinations

import pytest
import shapely
from shapely import MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.division.access import LEAST_WIDTH_M
from assistant.division.draw import draw
from assistant.division.house import house_on
from assistant.division.proposal import Assumptions, Division, Lot, Site
from assistant.geojson import WGS84, to_geojson, transformed
from assistant.project import Project
from servicekit.parts import failed_parts

REASONS = {"no_geometry", "several_pieces", "too_small", "too_narrow", "landlocked", "built_over", "no_valid_cut"}
ASSUMED = Assumptions()


def is_clear(shape: BaseGeometry, frontage: MultiLineString, width_m: float = ASSUMED.access_strip_m) -> bool:
    """Whether a disc of this width, less 15 cm, rolls from the way into the largest part of the shape."""
    radius = (width_m - 0.15) / 2
    parts = sorted(shapely.get_parts(shape.buffer(-radius)), key=lambda part: part.area)
    return bool(parts) and parts[-1].distance(frontage) <= radius + 0.6


def check_division(site: Site, project: Project | int) -> Division:
    """Draws a division and asserts its properties."""
    failed_parts.set([])
    division = draw(site, Project(project) if isinstance(project, int) else project)
    assert failed_parts.get() == []
    if not division.proposals:
        assert division.reason in REASONS
        return division
    assert division.reason is None
    assert len(division.proposals) <= 3
    assert [proposal.rank for proposal in division.proposals] == list(range(1, len(division.proposals) + 1))
    for proposal in division.proposals:
        shapes = [lot.shape for lot in proposal.lots]
        assert len(shapes) == division.lot_count
        way = proposal.shared_way
        shapes += [] if way is None else [way.shape]
        assert all(isinstance(shape, Polygon) and shape.is_valid for shape in shapes)
        assert shapely.union_all(shapes).symmetric_difference(site.unit).area <= 0.5
        assert sum(a.intersection(b).area for a, b in combinations(shapes, 2)) <= 0.01
        for lot in proposal.lots:
            assert lot.area_m2 == pytest.approx(lot.shape.area, abs=0.1)
            assert lot.area_m2 >= ASSUMED.minimum_lot_m2
            circle = shapely.maximum_inscribed_circle(lot.shape, tolerance=0.05)
            assert 2 * circle.length >= ASSUMED.minimum_width_m - 0.2
            assert 0 <= lot.buildable_area_m2 <= lot.area_m2
            assert lot.buildable_area_m2 <= lot.envelope.area + 0.01
            closed = shapely.union_all(site.closed)
            assert lot.envelope.intersection(closed).area <= 0.01
            sides = division.assumptions.house_sides_m
            if lot.role == "building_plot" and "no_house_fits" not in lot.violations:
                house = house_on(lot.envelope, sides)
                assert house is not None
                assert lot.envelope.buffer(1e-6).contains(house)
                assert house.area == pytest.approx(math.prod(sides), abs=0.2)
                assert lot.buildable_area_m2 >= math.prod(sides)
            elif lot.role == "building_plot":
                assert lot.largest_house_m is not None
                assert all(0 <= side <= full for side, full in zip(lot.largest_house_m, sides, strict=True))
            assert 0 < lot.compactness <= 1
            assert sum(side.length_m for side in lot.sides) == pytest.approx(lot.shape.length, abs=0.01)
            assert all(side.kind == "unknown" for side in lot.sides if site.frontage is None and side.kind != "lot")
            if lot.access == "strip" and site.frontage is not None:
                assert is_clear(lot.shape, site.frontage)
            if lot.right_of_way is not None:
                assert lot.access == "right_of_way"
                assert site.frontage is not None
                ground = shapely.union_all([lot.shape.buffer(0.02), lot.right_of_way.buffer(0.02)])
                assert is_clear(ground, site.frontage, LEAST_WIDTH_M)
                assert lot.right_of_way.intersection(lot.shape).area <= 0.01
                kept_free = [other.envelope for other in proposal.lots if other is not lot]
                standing = [b for b in site.buildings if b.intersection(site.unit).area >= min(5, b.area / 2)]
                obstacles = shapely.union_all([*standing, *kept_free])  # a neighbour's wall is none, as for ways
                assert obstacles.intersection(lot.right_of_way).area <= 0.02
            if way is None or lot.access != "shared_way":
                _check_access(site.frontage, lot)
            else:
                assert lot.shape.boundary.intersection(way.shape.buffer(0.01)).length >= 1
        if way is not None:
            assert site.frontage is not None
            assert isinstance(way.shape.buffer(-(way.width_m - 0.15) / 2), Polygon)  # a disc rolls through all of it
            assert is_clear(way.shape, site.frontage, way.width_m)
            assert not any(
                way.shape.intersection(building).area > 5 for building in site.buildings
            )  # a neighbour's wall
            assert way.shape.area <= 0.25 * site.unit.area
        assert sum(term.weight for term in proposal.terms) == pytest.approx(1)
        assert all(0 <= term.value <= 1 for term in proposal.terms)
        for building in site.buildings:
            for part in shapely.get_parts(building.intersection(site.unit)):
                shares = [part.intersection(lot.shape).area for lot in proposal.lots]
                assert part.area < 5 or sum(share > 0.06 for share in shares) == 1
        coordinates = shapely.from_geojson(to_geojson(shapes, site.projection)).tolist()
        assert all(shape.is_valid for shape in coordinates)
        moved = transformed(coordinates, WGS84, site.projection)
        assert sum(a.intersection(b).area for a, b in combinations(moved, 2)) <= 0.01
    return division


def _check_access(frontage: MultiLineString | None, lot: Lot) -> None:
    access, violations = lot.access, lot.violations
    assert (access == "unknown") == (frontage is None)
    assert (access == "landlocked") == ("landlocked" in violations) or lot.role == "closed_land"
    if frontage is None:
        return
    reached = frontage.intersection(lot.shape.buffer(0.3)).length
    if access in ("landlocked", "right_of_way"):
        assert reached < 2
    else:
        assert reached >= (3.5 if access == "strip" and "narrow_frontage" not in violations else 1)


@pytest.fixture
def checked() -> Callable[[Site, Project | int], Division]:
    return check_division
