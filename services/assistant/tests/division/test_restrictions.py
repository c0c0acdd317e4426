"""What prescriptions and easements of a land unit mean for its lots."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapely import affinity, box

from assistant.assessment.facts import LandFacts
from assistant.division.draw import draw
from assistant.division.proposal import StatedRules
from assistant.division.restrictions import closed_surfaces, rules_of
from assistant.division.site import site_of
from assistant.geojson import WGS84, read_geometry, transformed
from assistant.project import Project
from assistant.study import study
from landpartner.land.v1 import land_pb2

SURFACE = b'{"type":"Polygon","coordinates":[]}'


@pytest.mark.parametrize(
    ("type_code", "subtype", "kind", "is_closed"),
    [
        ("01", "00", "surface", True),
        ("02", "01", "surface", True),
        ("02", "02", "surface", False),
        ("05", "01", "surface", True),
        ("05", "01", "line", False),
        ("07", "03", "surface", True),
        ("07", "01", "surface", False),
        ("15", "01", "surface", False),
    ],
)
def test_a_prescription_closes_its_surface_by_its_type(
    type_code: str, subtype: str, kind: str, is_closed: bool
) -> None:
    unit = land_pb2.LandUnit()
    unit.urbanism.prescriptions.add(
        type_code=type_code, subtype_code=subtype, geometry_kind=kind, label="Zone", geometry=SURFACE
    )
    assert bool([*closed_surfaces(unit)]) == is_closed


@pytest.mark.parametrize(
    ("category", "kind", "is_closed"),
    [
        ("EL7", "", True),
        ("PM1", "Enveloppe des zonages réglementaires", False),
        ("PM1", "Zone d'interdiction", True),
        ("I3", "Bande non aedificandi", True),
        ("I4", "Bande de servitude", False),
        ("AC1", "Périmètre des abords", False),
    ],
)
def test_an_easement_closes_its_surface_by_category_or_kind(category: str, kind: str, is_closed: bool) -> None:
    unit = land_pb2.LandUnit()
    unit.urbanism.easements.add(category=category, type=kind, geometry_kind="surface", geometry=SURFACE)
    assert bool([*closed_surfaces(unit)]) == is_closed


@pytest.mark.parametrize(
    ("zone_type", "sector", "is_closed"),
    [("U", "", False), ("AUc", "", False), ("Nh", "", False), ("", "01", False), ("", "", False)]
    + [(closed, "", True) for closed in ("AUs", "A", "N", "Nd")]
    + [("", "03", True)],
)
def test_a_zone_that_is_not_open_to_building_closes_its_surface(zone_type: str, sector: str, is_closed: bool) -> None:
    unit = land_pb2.LandUnit(geometry=SURFACE)
    unit.urbanism.zones.add(zone_type=zone_type, sector_type=sector, overlap_ratio=1.0)
    assert [*closed_surfaces(unit)] == ([SURFACE] if is_closed else [])


@pytest.mark.parametrize(
    ("open_m", "status", "roles"),
    [
        (40, "pass", ("building_plot", "building_plot")),
        (32, "pass", ("building_plot", "building_plot")),
        (20, "pass", ("building_plot", "building_plot")),  # cut at right angles to the zones
        (1, "fail", ("closed_land", "closed_land")),
    ],
)
def test_a_building_plot_lies_in_zones_open_to_building(
    open_m: float,
    status: str,
    roles: tuple[str, ...],
    land_unit: Callable[..., land_pb2.LandUnit],
    degrees_of: Callable[..., bytes],
) -> None:
    unit = land_unit(40, 40)
    unit.urbanism.zones.add(zone_type="N", geometry=degrees_of(box(0, open_m, 40, 40)))
    done = study(LandFacts(unit), "Diviser en 2 lots")
    best = done.division.proposals[0]
    assert tuple(lot.role for lot in best.lots) == roles
    assert sum(lot.buildable_area_m2 for lot in best.lots) == pytest.approx(max(0, 28 * (min(open_m, 37) - 3)), abs=5)
    assert {check.code: check.status.value for check in done.assessment.checks}["division_layout"] == status
    if open_m == 32:
        behind = next(p for p in done.division.proposals if p.method == "parallel_cut")
        assert [lot.role for lot in behind.lots] == ["building_plot"] * 2  # the lots share out the open ground
    assert all(lot.violations == ("closed_land",) for lot in best.lots if lot.role == "closed_land")


@settings(max_examples=30, suppress_health_check=list(HealthCheck), derandomize=True, deadline=None)
@given(
    corner=st.tuples(st.floats(-10, 35), st.floats(-10, 35)),
    size=st.floats(2, 40),
    turn=st.floats(0, 90),
    regulation=st.sampled_from(["forbidden", "acquisition", "conditions"]),
)
def test_no_building_plot_has_buildable_area_in_a_red_zone(
    land_unit: Callable[..., land_pb2.LandUnit],
    degrees_of: Callable[..., bytes],
    corner: tuple[float, float],
    size: float,
    turn: float,
    regulation: str,
) -> None:
    x, y = corner
    unit = land_unit(40, 40)
    outline = degrees_of(affinity.rotate(box(x, y, x + size, y + size), turn).intersection(box(0, 0, 40, 40)))
    unit.risks.zones.add(code="R1", regulation=regulation, geometry=outline)
    site = site_of(unit)
    assert site is not None
    [zone] = transformed([read_geometry(outline)], WGS84, site.projection)
    for proposal in draw(site, Project(2)).proposals:
        for lot in proposal.lots:
            shared_m2 = lot.shape.intersection(zone).area
            if regulation == "conditions":
                assert lot.closed_area_m2 == 0
                continue
            assert lot.envelope.intersection(zone).area < 0.01
            assert lot.closed_area_m2 == pytest.approx(shared_m2, abs=0.1)
            assert lot.role != "building_plot" or lot.area_m2 - shared_m2 >= 39.9


def test_a_surface_states_a_figure_only_if_it_covers_the_unit() -> None:
    unit = land_pb2.LandUnit()
    unit.land.geometric_area_m2 = 1000
    rule = unit.urbanism.prescriptions.add(type_code="38", label="Emprise 30 %", geometry_kind="surface")
    rule.overlap_area_m2 = 500
    assert rules_of(unit) == StatedRules()
    rule.overlap_area_m2 = 999
    assert rules_of(unit) == StatedRules(footprint_ratio=0.3)


def test_the_site_has_closed_surfaces_and_altitudes(
    land_unit: Callable[..., land_pb2.LandUnit], degrees_of: Callable[..., bytes]
) -> None:
    unit = land_unit(30, 40, buildings=[box(5, 5, 15, 15)])
    unit.urbanism.prescriptions.add(type_code="01", geometry_kind="surface", geometry=degrees_of(box(0, 30, 30, 40)))
    for longitude in (1.9, 1.91):
        unit.land.terrain.samples.add(position=land_pb2.Position(latitude=47.9, longitude=longitude), altitude_m=100.0)
    site = site_of(unit)
    assert site is not None
    assert [round(surface.area) for surface in site.closed] == [300]
    assert [round(building.area) for building in site.buildings] == [100]
    assert [altitude for _, _, altitude in site.altitudes] == [100.0, 100.0]
