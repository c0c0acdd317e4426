"""What is known of a land unit, by the coverage of its datasets."""

from __future__ import annotations  # an enum's ValueType is a type only

from collections.abc import Callable

import pytest
from good_land import cover
from shapely import box

from assistant.assessment.facts import DATASETS, LandFacts, is_within, zones_of
from landpartner.land.v1 import land_pb2

MakeUnit = Callable[..., land_pb2.LandUnit]
COVERED, NOT_COVERED = land_pb2.COVERAGE_STATUS_COVERED, land_pb2.COVERAGE_STATUS_NOT_COVERED
PARTIAL = land_pb2.COVERAGE_STATUS_PARTIAL


def reasons(unit: land_pb2.LandUnit) -> dict[str, str]:
    """The facts that are missing for a reason, with its text."""
    return {fact: why.en for fact in DATASETS if (why := LandFacts(unit).why_missing(fact)).en}


def test_every_block_is_read(land_unit: MakeUnit) -> None:
    unit = land_unit(buildings=[box(5, 5, 15, 15)])
    unit.urbanism.prescriptions.add(label="x", type_code="05", overlap_area_m2=600.0)
    unit.urbanism.documents.add(id="d", document_type="PLUi")
    facts = LandFacts(unit)
    assert (facts.cadastral_area_m2, facts.frontage_m, facts.is_surveyed) == (1200.0, 30.0, False)
    assert facts.urbanism == unit.urbanism
    assert facts.prescriptions == unit.urbanism.prescriptions
    assert facts.is_complete("urbanism")
    assert facts.is_complete("prescriptions")
    assert facts.document_types == {"PLUi"}
    assert facts.buildings == unit.buildings
    assert facts.sales == []


def test_zoning_that_is_not_covered_is_unknown_even_with_a_block(land_unit: MakeUnit) -> None:
    unit = land_unit()
    cover(unit, "urbanism", NOT_COVERED, "not_loaded")
    facts = LandFacts(unit)
    assert (facts.urbanism, facts.prescriptions, facts.has_national_rules) == (None, None, None)
    assert reasons(unit) == {"urbanism": " (the commune's data is not loaded)"}


@pytest.mark.parametrize(
    "status", [status for status in land_pb2.CoverageStatus.values() if status not in (COVERED, PARTIAL)]
)
def test_facts_with_any_status_but_covered_or_partial_are_unknown(
    land_unit: MakeUnit, status: land_pb2.CoverageStatus.ValueType
) -> None:
    unit = land_unit(buildings=[box(5, 5, 15, 15)])
    missing = ("urbanism", "prescriptions", "buildings", "sales")
    for fact in missing:
        cover(unit, fact, status, "loading")
    facts = LandFacts(unit)
    assert (facts.urbanism, facts.buildings, facts.sales) == (None, None, None)
    assert reasons(unit) == dict.fromkeys(missing, " (the data is being loaded)")


def test_facts_without_coverage_are_unknown(land_unit: MakeUnit) -> None:
    unit = land_unit()
    del unit.coverage[:]
    facts = LandFacts(unit)
    assert (facts.urbanism, facts.buildings, facts.sales) == (None, None, None)
    assert reasons(unit) == {}


@pytest.mark.parametrize("fact", ["urbanism", "prescriptions", "sales"])
def test_facts_that_are_covered_in_part_are_known_and_incomplete(land_unit: MakeUnit, fact: str) -> None:
    unit = land_unit()
    cover(unit, fact, PARTIAL, "not_loaded")
    facts = LandFacts(unit)
    assert getattr(facts, fact) is not None
    assert not facts.is_complete(fact)
    assert reasons(unit) == {}


def test_prescriptions_that_are_not_covered_are_unknown_and_not_empty(land_unit: MakeUnit) -> None:
    unit = land_unit()
    cover(unit, "prescriptions", NOT_COVERED)
    facts = LandFacts(unit)
    assert facts.urbanism is not None
    assert facts.prescriptions is None
    assert not facts.is_complete("prescriptions")


def test_an_information_is_absent_only_if_all_are_known(land_unit: MakeUnit) -> None:
    unit = land_unit()
    unit.urbanism.informations.add(type_code="04")
    assert LandFacts(unit).has_information("04") is None
    cover(unit, "informations", PARTIAL)
    facts = LandFacts(unit)
    assert (facts.has_information("04"), facts.has_information("05")) == (True, None)
    cover(unit, "informations", COVERED)
    assert LandFacts(unit).has_information("05") is False


def test_an_urbanism_block_without_a_zone_is_unknown_unless_the_national_rules_apply(land_unit: MakeUnit) -> None:
    unit = land_unit(zone_type=None)
    unit.urbanism.SetInParent()
    assert LandFacts(unit).urbanism is None
    unit.urbanism.is_rnu = True
    facts = LandFacts(unit)
    assert facts.urbanism is not None
    assert facts.has_national_rules


def test_zero_buildings_without_coverage_are_unknown(land_unit: MakeUnit) -> None:
    unit = land_unit()
    buildings = LandFacts(unit).buildings
    assert buildings is not None
    assert buildings.count == 0
    cover(unit, "buildings", NOT_COVERED, "not_loaded")
    assert LandFacts(unit).buildings is None
    assert reasons(unit) == {"buildings": " (the commune's data is not loaded)"}


@pytest.mark.parametrize("dataset", DATASETS["buildings"])
def test_one_source_of_buildings_is_enough(land_unit: MakeUnit, dataset: str) -> None:
    unit = land_unit(buildings=[box(5, 5, 15, 15)])
    cover(unit, "buildings", NOT_COVERED)
    [coverage] = [item for item in unit.coverage if item.dataset == dataset]
    coverage.status = COVERED
    facts = LandFacts(unit)
    assert facts.buildings is not None
    assert not facts.is_complete("buildings")
    unit.ClearField("buildings")  # as in land's answer if it does not know every parcel
    assert LandFacts(unit).buildings is None


def test_comparable_sales_have_a_price(land_unit: MakeUnit) -> None:
    unit = land_unit()
    unit.real_estate.comparables.add(id_mutation="c", date_mutation="2024-01-02", kind="flat", price_eur_per_m2=3000.0)
    unit.real_estate.comparables.add(id_mutation="d", date_mutation="2024-01-03", kind="flat")
    assert [sale.id_mutation for sale in LandFacts(unit).comparables] == ["c"]


def test_sales_are_grouped_by_mutation_and_unknown_without_dvf(land_unit: MakeUnit) -> None:
    unit = land_unit()
    for mutation, day, parcel in (("a", "2020-01-01", "p"), ("b", "2023-06-01", "p"), ("b", "2023-06-01", "q")):
        unit.dvf_sales.add(id_mutation=mutation, id_parcelle=parcel, date_mutation=day, parcel_count=2)
    sales = LandFacts(unit).sales
    assert sales is not None
    assert [sale.date_mutation for sale in sales] == ["2023-06-01", "2020-01-01"]
    cover(unit, "sales", NOT_COVERED)
    assert LandFacts(unit).sales is None


def test_an_absent_scalar_is_unknown_and_not_zero() -> None:
    facts = LandFacts(land_pb2.LandUnit(parcel_ids=["75118000AB0012"]))
    assert (facts.area_m2, facts.frontage_m, facts.is_contiguous, facts.urbanism) == (None, None, None, None)


def test_permits_are_grouped_by_number_newest_first_and_unknown_without_a_register(land_unit: MakeUnit) -> None:
    unit = land_unit()
    assert LandFacts(unit).permits is None
    for number, day, parcel in (("1", "2015-02-01", "p"), ("2", "2019-06-01", "p"), ("2", "2019-06-01", "q")):
        unit.urban_authorizations.add(num_dau=number, date_reelle_autorisation=day, parcelle_id=parcel)
    unit.coverage.add(dataset=DATASETS["permits"][0], status=COVERED)
    facts = LandFacts(unit)
    assert [permit.num_dau for permit in facts.permits or ()] == ["2", "1"]
    assert not facts.is_complete("permits")
    cover(unit, "permits", COVERED)
    assert LandFacts(unit).is_complete("permits")


def test_only_published_categories_of_easements_show_that_there_are_none(land_unit: MakeUnit) -> None:
    unit = land_unit()
    assert LandFacts(unit).easements is None
    cover(unit, "easements", PARTIAL)
    unit.urbanism.easements.add(category="AC1", name="Église", type="Périmètre des abords", overlap_ratio=0.4)
    facts = LandFacts(unit)
    assert facts.easements == unit.urbanism.easements
    assert (facts.has_easement("AC2", "AC1"), facts.has_easement("PM1")) == (True, None)
    unit.urbanism.published_easement_categories.append("PM1")
    facts = LandFacts(unit)
    assert (facts.has_easement("PM1"), facts.has_easement("PM1", "PM3")) == (False, None)


def test_each_risk_has_its_own_status(land_unit: MakeUnit) -> None:
    unit = land_unit()
    assert LandFacts(unit).risks is None
    plan = unit.risks.items.add(subject="natural_risk_plan", status="present", grain="parcel")
    plan.findings.add(name="PPRi", status="approved", zones=["R1", "B2"], zone_labels=["Interdiction", ""])
    plan.findings.add(name="PPRn", zones=["B2"])
    unit.risks.items.add(subject="cavity", status="unavailable", reason="source_unavailable")
    facts = LandFacts(unit)
    assert zones_of(facts.risk("natural_risk_plan")) == {"R1": "Interdiction", "B2": ""}
    assert facts.risk("cavity").status == "unavailable"
    assert facts.risk("radon").status == "not_covered"


def test_a_site_without_a_distance_counts_as_near() -> None:
    risk = land_pb2.Risk(status="present")
    assert is_within(risk, 0)
    risk.findings.add(name="Garage", distance_m=120.0)
    assert (is_within(risk, 100), is_within(risk, 120)) == (False, True)
    risk.findings.add(name="Usine")
    assert is_within(risk, 100)
    risk.status = "none"
    assert not is_within(risk, 100)


def test_owners_joint_ownerships_ratings_and_relief_are_known_by_their_coverage(land_unit: MakeUnit) -> None:
    unit = land_unit()
    facts = LandFacts(unit)
    assert (facts.owners, facts.joint_ownerships, facts.energy_ratings, facts.terrain) == (None, None, None, None)
    for fact in ("owners", "joint_ownerships", "energy_ratings"):
        cover(unit, fact, COVERED)
    unit.land.terrain.mean_altitude_m = 120.0
    facts = LandFacts(unit)
    assert facts.owners is not None
    assert not facts.owners
    assert facts.joint_ownerships is not None
    assert facts.energy_ratings is not None
    assert facts.energy_ratings.count == 0
    assert facts.terrain == unit.land.terrain
