"""The conversion of land units to facts and sites."""

from __future__ import annotations  # an enum's ValueType is a type only

import math
from collections.abc import Callable

import pytest
import shapely
from shapely import box

from assistant.assessment.facts import (
    Comparable,
    Easement,
    EnergyRatings,
    JointOwnership,
    Owner,
    Permit,
    Register,
    Terrain,
)
from assistant.rpc.facts import (
    BUILDINGS,
    EASEMENTS,
    JOINT_OWNERSHIPS,
    OWNERS,
    PERMITS,
    PRESCRIPTIONS,
    RATINGS,
    SALES,
    ZONES,
    facts_of,
)
from assistant.rpc.site import site_of, to_geojson
from landpartner.land.v1 import land_pb2

MakeUnit = Callable[..., land_pb2.LandUnit]
COVERED, NOT_COVERED = land_pb2.COVERAGE_STATUS_COVERED, land_pb2.COVERAGE_STATUS_NOT_COVERED
PARTIAL = land_pb2.COVERAGE_STATUS_PARTIAL


def cover(
    unit: land_pb2.LandUnit, dataset: str, status: land_pb2.CoverageStatus.ValueType, reason: str | None = None
) -> None:
    coverage = [item for item in unit.coverage if item.dataset != dataset]
    del unit.coverage[:]
    unit.coverage.extend([*coverage, land_pb2.DatasetCoverage(dataset=dataset, status=status, reason=reason)])


def test_every_block_is_read(land_unit: MakeUnit) -> None:
    unit = land_unit(buildings=[box(5, 5, 15, 15)])
    unit.urbanism.prescriptions.add(
        label="x", type_code="05", subtype_code="01", geometry_kind="surface", overlap_area_m2=600.0
    )
    unit.urbanism.documents.add(id="d", document_type="PLUi")
    facts = facts_of(unit)
    assert (facts.cadastral_area_m2, facts.frontage_m, facts.is_surveyed) == (1200.0, 30.0, False)
    assert facts.urbanism is not None
    assert [zone.zone_type for zone in facts.urbanism.zones] == ["U"]
    assert facts.urbanism.prescriptions is not None
    assert facts.urbanism.prescriptions[0].overlap_ratio == pytest.approx(0.5)
    assert facts.urbanism.prescriptions[0].subtype_code == "01"
    assert facts.urbanism.is_zoned_whole
    assert facts.urbanism.has_all_prescriptions
    assert facts.urbanism.document_types == ("PLUi",)
    assert facts.buildings is not None
    assert facts.buildings.count == 1
    assert facts.sales is not None
    assert facts.sales.items == ()


def test_zoning_that_is_not_covered_is_unknown_even_with_a_block(land_unit: MakeUnit) -> None:
    unit = land_unit()
    cover(unit, ZONES, NOT_COVERED, "not_loaded")
    facts = facts_of(unit)
    assert facts.urbanism is None
    assert facts.missing_reasons == {"urbanism": "not_loaded"}


@pytest.mark.parametrize(
    "status", [status for status in land_pb2.CoverageStatus.values() if status not in (COVERED, PARTIAL)]
)
def test_facts_with_any_status_but_covered_or_partial_are_unknown(
    land_unit: MakeUnit, status: land_pb2.CoverageStatus.ValueType
) -> None:
    unit = land_unit(buildings=[box(5, 5, 15, 15)])
    for dataset in (ZONES, PRESCRIPTIONS, SALES, *BUILDINGS):
        cover(unit, dataset, status, "loading")
    facts = facts_of(unit)
    assert (facts.urbanism, facts.buildings, facts.sales) == (None, None, None)
    assert facts.missing_reasons == dict.fromkeys(("urbanism", "prescriptions", "buildings", "sales"), "loading")


def test_facts_without_coverage_are_unknown(land_unit: MakeUnit) -> None:
    unit = land_unit()
    del unit.coverage[:]
    facts = facts_of(unit)
    assert (facts.urbanism, facts.buildings, facts.sales) == (None, None, None)
    assert facts.missing_reasons == {}


def test_partial_zoning_is_marked_as_partial(land_unit: MakeUnit) -> None:
    unit = land_unit()
    cover(unit, ZONES, PARTIAL)
    urbanism = facts_of(unit).urbanism
    assert urbanism is not None
    assert not urbanism.is_zoned_whole


def test_prescriptions_that_are_not_covered_are_unknown_and_not_empty(land_unit: MakeUnit) -> None:
    unit = land_unit()
    cover(unit, PRESCRIPTIONS, NOT_COVERED)
    urbanism = facts_of(unit).urbanism
    assert urbanism is not None
    assert urbanism.prescriptions is None
    cover(unit, PRESCRIPTIONS, PARTIAL)
    urbanism = facts_of(unit).urbanism
    assert urbanism is not None
    assert urbanism.prescriptions == ()
    assert not urbanism.has_all_prescriptions


def test_an_urbanism_block_without_a_zone_is_unknown_unless_the_national_rules_apply(land_unit: MakeUnit) -> None:
    unit = land_unit(zone_type=None)
    unit.urbanism.SetInParent()
    assert facts_of(unit).urbanism is None
    unit.urbanism.is_rnu = True
    facts = facts_of(unit)
    assert facts.urbanism is not None
    assert facts.is_rnu


def test_a_sector_of_a_carte_communale_has_its_type(land_unit: MakeUnit) -> None:
    unit = land_unit()
    unit.urbanism.zones[0].ClearField("zone_type")
    unit.urbanism.zones.add(label="ZC", sector_type="01", overlap_ratio=0.5)
    urbanism = facts_of(unit).urbanism
    assert urbanism is not None
    assert [(zone.zone_type, zone.sector_type, zone.kind) for zone in urbanism.zones] == [
        (None, None, None),
        (None, "01", "01"),
    ]


def test_zero_buildings_without_coverage_are_unknown(land_unit: MakeUnit) -> None:
    unit = land_unit()
    buildings = facts_of(unit).buildings
    assert buildings is not None
    assert buildings.count == 0
    cover(unit, "cadastre-buildings", NOT_COVERED, "not_loaded")
    facts = facts_of(unit)
    assert facts.buildings is None
    assert facts.missing_reasons == {"buildings": "not_loaded"}


@pytest.mark.parametrize("dataset", BUILDINGS)
def test_one_source_of_buildings_is_enough(land_unit: MakeUnit, dataset: str) -> None:
    unit = land_unit(buildings=[box(5, 5, 15, 15)])
    for name in BUILDINGS:
        cover(unit, name, COVERED if name == dataset else NOT_COVERED)
    assert facts_of(unit).buildings is not None
    unit.ClearField("buildings")  # as in land's answer if it does not know every parcel
    assert facts_of(unit).buildings is None


def test_sales_have_lots_period_and_median(land_unit: MakeUnit) -> None:
    unit = land_unit()
    unit.dvf_sales.add(id_mutation="a", id_parcelle="p", date_mutation="2020-01-01", lot_count=2)
    unit.real_estate.CopyFrom(
        land_pb2.RealEstateBlock(
            period_from="2020-01-01", period_to="2024-06-30", median_price_eur_per_m2=3100.0, kind="flat",
            sale_count=23, radius_m=300.0,
        )
    )  # fmt: skip
    unit.real_estate.comparables.add(id_mutation="c", date_mutation="2024-01-02", kind="flat", price_eur_per_m2=3000.0)
    unit.real_estate.comparables.add(id_mutation="d", date_mutation="2024-01-03", kind="flat")
    sales = facts_of(unit).sales
    assert sales is not None
    assert [sale.is_of_lots for sale in sales.items] == [True]
    assert (sales.period_from, sales.period_to, sales.is_complete) == ("2020-01-01", "2024-06-30", True)
    assert sales.median is not None
    assert (sales.median.kind, sales.median.sale_count, sales.median.radius_m) == ("flat", 23, 300.0)
    assert sales.comparables == (Comparable(3000.0, "flat", "2024-01-02"),)
    cover(unit, SALES, PARTIAL)
    sales = facts_of(unit).sales
    assert sales is not None
    assert not sales.is_complete


def test_sales_are_grouped_by_mutation_and_unknown_without_dvf(land_unit: MakeUnit) -> None:
    unit = land_unit()
    for mutation, day, parcel in (("a", "2020-01-01", "p"), ("b", "2023-06-01", "p"), ("b", "2023-06-01", "q")):
        unit.dvf_sales.add(id_mutation=mutation, id_parcelle=parcel, date_mutation=day, parcel_count=2)
    sales = facts_of(unit).sales
    assert sales is not None
    assert [sale.sold_on for sale in sales.items] == ["2023-06-01", "2020-01-01"]
    assert sales.items[0].price_eur is None
    del unit.dvf_sales[:]
    cover(unit, "dvf", NOT_COVERED)
    assert facts_of(unit).sales is None


def test_an_absent_scalar_is_unknown_and_not_zero() -> None:
    facts = facts_of(land_pb2.LandUnit(parcel_ids=["75118000AB0012"]))
    assert (facts.area_m2, facts.frontage_m, facts.is_contiguous, facts.urbanism) == (None, None, None, None)


@pytest.mark.parametrize(
    ("department", "point", "projection"),
    [
        ("75", (2.35, 48.85), 2154),
        ("00", (1.0, 46.5), 2154),
        ("2A", (8.74, 41.92), 2154),
        ("971", (-61.55, 16.25), 5490),
        ("972", (-61.0, 14.65), 5490),
        ("973", (-52.33, 4.93), 2972),
        ("974", (55.45, -20.88), 2975),
        ("976", (45.2, -12.8), 4471),
    ],
)
def test_a_site_is_in_the_projection_of_its_territory(
    department: str, point: tuple[float, float], projection: int
) -> None:
    x, y = point
    unit = land_pb2.LandUnit(geometry=shapely.to_geojson(box(x, y, x + 0.001, y + 0.001)).encode())
    unit.land.department_code = department
    projected = site_of(unit)
    assert projected is not None
    assert projected.projection == projection
    side = 111_320 * 0.001
    assert projected.site.unit.area == pytest.approx(side**2 * math.cos(math.radians(y)), rel=0.02)
    assert projected.site.frontage is None
    back = shapely.from_geojson(to_geojson([projected.site.unit], projection)[0])
    assert back.symmetric_difference(box(x, y, x + 0.001, y + 0.001)).area < 1e-12


def test_without_the_land_block_the_department_comes_from_the_parcel() -> None:
    outline = shapely.to_geojson(box(55.4, -21, 55.401, -20.999)).encode()
    unit = land_pb2.LandUnit(parcel_ids=["97411000AB0001"], geometry=outline)
    projected = site_of(unit)
    assert projected is not None
    assert projected.projection == 2975


@pytest.mark.parametrize("geometry", [b"", b"{", b'{"type":"Polygon","coordinates":[]}'])
def test_without_outline_there_is_no_site(geometry: bytes) -> None:
    assert site_of(land_pb2.LandUnit(geometry=geometry)) is None


def test_a_frontage_of_0_m_is_known_and_empty(land_unit: MakeUnit) -> None:
    projected = site_of(land_unit(front=False))
    assert projected is not None
    assert projected.site.frontage is not None
    assert projected.site.frontage.is_empty


def test_an_outline_that_crosses_itself_is_repaired() -> None:
    bow = b'{"type":"Polygon","coordinates":[[[1,47],[1.001,47.001],[1.001,47],[1,47.001],[1,47]]]}'
    projected = site_of(land_pb2.LandUnit(geometry=bow))
    assert projected is not None
    assert projected.site.unit.is_valid
    assert projected.site.unit.area > 1000


def test_permits_are_grouped_by_number_newest_first_and_unknown_without_a_register(land_unit: MakeUnit) -> None:
    unit = land_unit()
    assert facts_of(unit).permits is None
    for number, day, parcel in (("1", "2015-02-01", "p"), ("2", "2019-06-01", "p"), ("2", "2019-06-01", "q")):
        unit.urban_authorizations.add(
            num_dau=number, type_dau="PC", etat_dau="terminé", date_reelle_autorisation=day, parcelle_id=parcel
        )
    cover(unit, PERMITS[0], COVERED)
    assert facts_of(unit).permits == Register(
        (Permit("PC", "terminé", "2019-06-01"), Permit("PC", "terminé", "2015-02-01")), is_complete=False
    )
    for dataset in PERMITS:
        cover(unit, dataset, COVERED)
    permits = facts_of(unit).permits
    assert permits is not None
    assert permits.is_complete


def test_only_published_categories_of_easements_show_that_there_are_none(land_unit: MakeUnit) -> None:
    unit = land_unit()
    assert facts_of(unit).easements is None
    cover(unit, EASEMENTS, PARTIAL)
    unit.urbanism.easements.add(category="AC1", name="Église", type="Périmètre des abords", overlap_ratio=0.4)
    easements = facts_of(unit).easements
    assert easements is not None
    assert easements.items == (Easement("AC1", "Église", "Périmètre des abords", 0.4),)
    assert (easements.has("AC2", "AC1"), easements.has("PM1")) == (True, None)
    unit.urbanism.published_easement_categories.append("PM1")
    easements = facts_of(unit).easements
    assert easements is not None
    assert (easements.has("PM1"), easements.has("PM1", "PM3")) == (False, None)


def test_each_risk_has_its_own_status(land_unit: MakeUnit) -> None:
    unit = land_unit()
    assert facts_of(unit).risks is None
    plan = unit.risks.items.add(subject="natural_risk_plan", status="present", grain="parcel")
    plan.findings.add(name="PPRi", status="approved", zones=["R1", "B2"], zone_labels=["Interdiction", ""])
    plan.findings.add(name="PPRn", zones=["B2"])
    unit.risks.items.add(subject="clay", status="present", level="3", grain="point")
    unit.risks.items.add(subject="cavity", status="unavailable", reason="source_unavailable")
    unit.risks.commune.recorded_risks.append("Inondation")
    risks = facts_of(unit).risks
    assert risks is not None
    assert risks.of("natural_risk_plan").zones == {"R1": "Interdiction", "B2": ""}
    assert (risks.of("clay").level, risks.of("clay").is_present) == ("3", True)
    assert (risks.of("cavity").is_known, risks.of("cavity").reason) == (False, "source_unavailable")
    assert risks.of("radon").status == "not_covered"
    assert (risks.recorded_in_commune, risks.natural_disaster_count) == (("Inondation",), None)


def test_owners_joint_ownerships_ratings_and_relief_are_read(land_unit: MakeUnit) -> None:
    unit = land_unit()
    facts = facts_of(unit)
    assert (facts.owners, facts.joint_ownerships, facts.energy_ratings, facts.terrain) == (None, None, None, None)
    for dataset in (OWNERS, JOINT_OWNERSHIPS, RATINGS):
        cover(unit, dataset, COVERED)
    facts = facts_of(unit)
    assert facts.owners is not None
    assert facts.owners.items == ()
    assert facts.energy_ratings is not None
    assert facts.energy_ratings.count == 0
    unit.land.owners.add(name="COMMUNE", right_code="P", group_code="4", is_public=True, parcel_ids=["p"])
    unit.buildings.joint_ownerships.add(id="AA1", lot_count=12, parcel_ids=["p"])
    unit.buildings.energy_ratings.count = 3
    unit.buildings.energy_ratings.energy.add(letter="D", count=3)
    unit.land.terrain.mean_altitude_m = 120.0
    unit.land.terrain.mean_slope_percent = 8.0
    facts = facts_of(unit)
    assert facts.owners == Register((Owner("COMMUNE", "P", "4", is_public=True, parcel_ids=("p",)),))
    assert facts.joint_ownerships == Register((JointOwnership("AA1", 12, ("p",)),))
    assert facts.energy_ratings == EnergyRatings(3, {"D": 3}, {})
    assert facts.terrain == Terrain(120.0, 8.0)
