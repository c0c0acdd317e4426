"""The properties of divisions of generated sites."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar, get_args

import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapely import MultiLineString, Polygon, affinity, box
from shapely.geometry.base import BaseGeometry
from sized_projects import sized

from assistant.division.draw import draw
from assistant.division.proposal import Division, Site
from assistant.project import Position, Project

Checked = Callable[[Site, Project | int], Division]
EXAMPLES = 20 * settings().max_examples
SETTINGS = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), derandomize=True)

G = TypeVar("G", bound=BaseGeometry)
ORIGIN = (618_000.0, 6_753_000.0)


@st.composite
def outlines(draw_: st.DrawFn) -> Polygon:
    """Rectangles, L and U shapes, trapezes and stars of all sizes, rotated by any angle."""
    width, depth = draw_(st.floats(5, 120)), draw_(st.floats(5, 120))
    kind = draw_(st.sampled_from(["rectangle", "l", "u", "trapeze", "star"]))
    cut = draw_(st.floats(0.2, 0.8))
    if kind == "rectangle":
        shape = box(0, 0, width, depth)
    elif kind == "l":
        notch = box(width * cut, depth * cut, width + 1, depth + 1)
        shape = Polygon(shapely.get_coordinates(box(0, 0, width, depth).difference(notch)))
    elif kind == "u":
        notch = box(width * cut / 2, depth * cut, width * (1 - cut / 2), depth + 1)
        shape = Polygon(shapely.get_coordinates(box(0, 0, width, depth).difference(notch)))
    elif kind == "trapeze":
        shape = Polygon([(0, 0), (width, 0), (width * cut, depth), (width * cut / 2, depth)])
    else:
        count = draw_(st.integers(4, 12))
        radii = draw_(st.lists(st.floats(8, 60), min_size=count, max_size=count))
        turns = [2 * math.pi * i / count for i in range(count)]
        shape = Polygon([(r * math.cos(a), r * math.sin(a)) for r, a in zip(radii, turns, strict=True)])
    turned = affinity.rotate(shape, draw_(st.floats(0, 360)), origin=(0, 0))
    moved = affinity.translate(turned, *ORIGIN)
    assert isinstance(moved, Polygon)
    return moved


@st.composite
def sites(draw_: st.DrawFn) -> Site:
    """An outline with up to three buildings, a closed surface on a side of some, and a frontage along some edges, none,
    or an unknown frontage.
    """
    unit = draw_(outlines())
    corners = list(unit.exterior.coords)
    edges = list(pairwise(corners))
    frontage = draw_(
        st.one_of(
            st.none(),
            st.lists(st.sampled_from(edges), max_size=2, unique=True).map(MultiLineString),
        )
    )
    west, south, east, north = unit.bounds
    buildings = []
    for _ in range(draw_(st.integers(0, 3))):
        x, y = draw_(st.floats(west, east)), draw_(st.floats(south, north))
        house = box(x, y, x + draw_(st.floats(3, 15)), y + draw_(st.floats(3, 15)))
        buildings.append(affinity.rotate(house, draw_(st.floats(0, 90))))
    edge = draw_(st.floats(south, north))
    closed = draw_(st.sampled_from([(), (), (box(west, edge, east, north).intersection(unit),)]))
    return Site(unit, frontage, tuple(b for b in buildings if isinstance(b, Polygon)), closed)


@st.composite
def projects(draw_: st.DrawFn) -> Project:
    """Numbers of lots, some with wished areas and places, a kept house, a shared way or even lots."""
    sizes = draw_(st.one_of(st.just([]), st.lists(st.floats(30, 1500), max_size=3)))
    house = draw_(st.one_of(st.none(), st.floats(50, 1500)))
    project = sized(draw_(st.one_of(st.none(), st.integers(1, 14))), tuple(sizes), house, house is not None)
    positions = draw_(st.lists(st.sampled_from([None, *get_args(Position)]), min_size=4, max_size=4))
    lots = tuple(replace(lot, position=position) for lot, position in zip(project.lots, positions, strict=False))
    has_way, is_even = draw_(st.sampled_from([None, None, True, False])), draw_(st.sampled_from([None, None, True]))
    return replace(project, lots=lots, has_shared_way=has_way, has_even_lots=is_even)


@SETTINGS
@given(site=sites(), project=projects())
def test_every_division_has_the_properties(checked: Checked, site: Site, project: Project) -> None:
    checked(site, project)


@settings(max_examples=60, suppress_health_check=list(HealthCheck), derandomize=True)
@given(site=sites(), lot_count=st.integers(2, 12))
def test_the_same_ground_gives_the_same_proposals(site: Site, lot_count: int) -> None:
    assert draw(site, Project(lot_count)) == draw(site, Project(lot_count))


@pytest.mark.parametrize("turn", range(0, 180, 15))
def test_rotating_the_site_rotates_the_lots(turn: int) -> None:
    unit, way, house = box(0, 0, 30, 50), MultiLineString([[(0, 0), (30, 0)]]), box(5, 5, 15, 14)

    def turned(shape: G) -> G:
        rotated: G = affinity.rotate(shape, turn, origin=(0, 0))
        return rotated

    straight = draw(Site(unit, way, (house,)), Project(2)).proposals[0]
    other = draw(Site(turned(unit), turned(way), (turned(house),)), Project(2)).proposals[0]
    assert other.method == straight.method
    assert sorted(lot.area_m2 for lot in other.lots) == pytest.approx(
        sorted(lot.area_m2 for lot in straight.lots), abs=0.5
    )
