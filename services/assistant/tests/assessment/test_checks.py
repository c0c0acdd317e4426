"""Each check with each of its statuses."""

from dataclasses import replace

import pytest
from good_land import DRAWN, RNU, Edit, built, check, facts, land, missing, sectors, sold, zoned

from assistant.assessment.assess import PROCEDURES, assess
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Status, Verdict
from assistant.assessment.rules import RULES
from landpartner.land.v1.land_pb2 import DvfSale, LandUnit, RealEstateBlock

CASES: list[tuple[str, list[Edit], str, object]] = [
    ("unit_area", [], "pass", 1200.0),
    ("unit_area", [land(cadastral_area_m2=300.0)], "warn", 300.0),
    ("unit_area", [land(cadastral_area_m2=100.0)], "fail", 100.0),
    ("unit_area", [land(cadastral_area_m2=0.0)], "pass", 1198.0),
    ("unit_area", [land(cadastral_area_m2=None, geometric_area_m2=None)], "unknown", None),
    ("zone_type", [], "pass", 1.0),
    ("zone_type", [zoned(("U", 0.995), ("A", 0.005))], "pass", 0.995),
    ("zone_type", [zoned(("AUc", 1.0))], "warn", 1.0),
    ("zone_type", [zoned(("U", 0.6), ("N", 0.4))], "warn", 0.6),
    ("zone_type", [zoned(("Nh", 1.0))], "warn", 0.0),
    ("zone_type", [zoned(("Ah", 1.0))], "warn", 0.0),
    ("zone_type", [zoned(("Nd", 1.0))], "fail", 0.0),
    ("zone_type", [zoned(("N", 0.6), is_complete=False)], "unknown", 0.0),
    ("zone_type", [zoned(("U", 0.6), ("", 0.4))], "unknown", 0.6),
    ("zone_type", [sectors(("01", 1.0))], "pass", 1.0),
    ("zone_type", [sectors(("01", 0.6), ("03", 0.4))], "warn", 0.6),
    ("zone_type", [sectors(("02", 1.0))], "warn", 0.0),
    ("zone_type", [sectors(("02", 0.3), ("03", 0.7))], "warn", 0.0),
    ("zone_type", [sectors(("03", 1.0))], "fail", 0.0),
    ("zone_type", [sectors(("03", 0.6), is_complete=False)], "unknown", 0.0),
    ("zone_type", [sectors(("03", 0.6), ("99", 0.4))], "unknown", 0.0),
    ("zone_type", [sectors(("01", 0.6), ("", 0.4))], "unknown", 0.6),
    ("zone_type", [sectors(("99", 1.0))], "unknown", None),
    ("zone_type", [sectors(("", 1.0))], "unknown", None),
    ("zone_type", [sectors(("01", 1.0), is_rnu=True)], "unknown", None),
    ("zone_type", [zoned(("U", 1.0), is_rnu=True)], "unknown", None),
    ("zone_type", [RNU], "warn", "RNU"),
    ("zone_type", [zoned(("AUs", 1.0))], "fail", 0.0),
    ("zone_type", [zoned(("A", 0.7), ("N", 0.3))], "fail", 0.0),
    ("zone_type", [zoned(("", 1.0))], "unknown", None),
    ("zone_type", [missing("urbanism")], "unknown", None),
    ("access", [], "pass", 24.0),
    ("access", [land(frontage_m=3.2)], "warn", 3.2),
    ("access", [land(frontage_m=0.0)], "fail", 0.0),
    ("access", [land(frontage_m=None)], "unknown", None),
    ("existing_buildings", [], "pass", 0.1),
    ("existing_buildings", [built(0, 0.0, 0.0)], "pass", 0.0),
    ("existing_buildings", [built(3, 700.0, 0.58)], "warn", 0.58),
    ("existing_buildings", [built(2, 1100.0, 0.92)], "fail", 0.92),
    ("existing_buildings", [built(2)], "unknown", None),
    ("existing_buildings", [missing("buildings")], "unknown", None),
    ("minimum_lot_size", [], "pass", 600.0),
    ("minimum_lot_size", [land(cadastral_area_m2=80.0)], "warn", 40.0),
    ("minimum_lot_size", [land(cadastral_area_m2=None, geometric_area_m2=None)], "unknown", None),
    ("project_reading", [RNU], "pass", None),
    ("project_reading", [zoned(("U", 1.0), documents=("CC",))], "pass", None),
    ("project_reading", [], "warn", None),
    ("project_reading", [missing("urbanism")], "unknown", None),
    ("networks", [], "unknown", None),
    ("boundary_survey", [], "warn", True),
    ("boundary_survey", [land(is_surveyed=False)], "warn", False),
    ("boundary_survey", [land(geometric_area_m2=1000.0)], "warn", True),
    ("boundary_survey", [land(is_surveyed=None)], "unknown", None),
    ("recent_sales", [], "pass", 1.0),
    ("recent_sales", [sold()], "pass", 0.0),
    ("recent_sales", [sold(is_complete=False)], "unknown", 0.0),
    ("recent_sales", [sold(DvfSale(), DvfSale(date_mutation="2020-01-02", valeur_fonciere=1.0))], "pass", 2.0),
    ("recent_sales", [missing("sales")], "unknown", None),
]


@pytest.mark.parametrize(("code", "edits", "status", "value"), CASES)
def test_a_check_gives_its_status_and_value(code: str, edits: list[Edit], status: str, value: object) -> None:
    concluded_check = check(code, *edits)
    assert (concluded_check.status.value, concluded_check.value) == (status, value)
    assert concluded_check.detail.fr
    assert concluded_check.detail.en
    assert "{" not in concluded_check.detail.fr + concluded_check.detail.en
    assert "None" not in concluded_check.detail.fr + concluded_check.detail.en


LAYOUTS = [
    ("division_layout", DRAWN, "pass", 0.0),
    ("division_layout", replace(DRAWN, violation_count=3), "warn", 3.0),
    ("division_layout", replace(DRAWN, violation_count=1, lot_without_house_count=DRAWN.lot_count), "fail", 1.0),
    ("division_layout", replace(DRAWN, violation_count=1, built_lot_count=0, closed_lot_count=1), "warn", 1.0),
    ("division_layout", replace(DRAWN, violation_count=2, built_lot_count=0, closed_lot_count=2), "fail", 2.0),
    ("division_layout", replace(DRAWN, violation_count=1, closed_lot_count=1), "fail", 1.0),
    ("division_layout", replace(DRAWN, violation_count=1, closed_lot_count=1, room_m2=900.0), "warn", 1.0),
    *(
        ("division_layout", Layout(2, is_drawn=False, reason=reason), "fail", reason)
        for reason in ("several_pieces", "too_small", "too_narrow", "landlocked", "built_over", "no_valid_cut")
    ),
    ("division_layout", Layout(2, is_drawn=None, reason="no_geometry"), "unknown", "no_geometry"),
]


@pytest.mark.parametrize(("code", "layout", "status", "value"), LAYOUTS)
def test_a_check_of_the_drawn_layout(code: str, layout: Layout, status: str, value: object) -> None:
    concluded_check = check(code, layout=layout)
    assert (concluded_check.status.value, concluded_check.value) == (status, value)


def test_a_division_drawn_without_known_buildings_warns() -> None:
    bare = replace(DRAWN, is_bare=True)
    for buildings in (missing("buildings"), built(2)):
        concluded_check = check("division_layout", buildings, layout=bare)
        assert concluded_check.status is Status.WARN
        assert "comme si le terrain était nu" in concluded_check.detail.fr
    assert check("division_layout", built(0, 0.0, 0.0), layout=bare).status is Status.PASS


def test_a_division_drawn_around_some_of_the_buildings_warns() -> None:
    concluded_check = check("division_layout", built(2))
    assert concluded_check.status is Status.WARN
    assert "n’est pas connue" in concluded_check.detail.fr


@pytest.mark.parametrize(
    ("kind", "near", "expected_text"),
    [
        ("", {}, "recorded nearby is €2,500 per m²."),
        ("house", {}, "of houses, their ground included, recorded nearby is €2,500 per built m²."),
        (
            "building_land",
            {"sale_count": 23, "radius_m": 1000},
            "Within 1,000\u00a0m, the median price of building land is €2,500 per m² of ground, based on 23 sales.",
        ),
    ],
)
def test_a_median_names_what_was_sold_and_per_which_area(kind: str, near: dict[str, int], expected_text: str) -> None:
    market = RealEstateBlock(median_price_eur_per_m2=2500.0, kind=kind, **near)  # type: ignore[arg-type]
    concluded_check = check("recent_sales", sold(market=market))
    assert expected_text in concluded_check.detail.en


def test_no_sale_is_only_stated_if_the_former_parcels_are_known_and_have_none() -> None:
    def young(unit: LandUnit) -> None:
        sold()(unit)
        unit.is_lineage_known = False

    def divided(unit: LandUnit) -> None:
        young(unit)
        unit.former_parcels.add(dvf_sales=[DvfSale(date_mutation="2021-03-01", valeur_fonciere=250_000.0)])

    unknown, former = check("recent_sales", young), check("recent_sales", divided)
    assert (unknown.status, former.status) == (Status.UNKNOWN, Status.PASS)
    assert "la filiation des parcelles n’est pas connue" in unknown.detail.fr
    assert "one of the parcel that the land comes from, on 1 March 2021, for €250,000" in former.detail.en


def test_a_sale_of_lots_is_named_and_no_sale_states_the_period() -> None:
    lots = DvfSale(date_mutation="2021-03-01", valeur_fonciere=250_000.0, lot_count=1)
    assert "de lots de copropriété" in check("recent_sales", sold(lots)).detail.fr
    period = RealEstateBlock(period_from="2020-01-01", period_to="2024-06-30")
    assert "du 1er janvier 2020 au 30 juin 2024" in check("recent_sales", sold(market=period)).detail.fr


@pytest.mark.parametrize(
    ("code", "fact"),
    [
        ("zone_type", "urbanism"),
        ("prescriptions", "prescriptions"),
        ("existing_buildings", "buildings"),
        ("recent_sales", "sales"),
    ],
)
def test_missing_facts_have_their_reason(code: str, fact: str) -> None:
    concluded_check = check(code, missing(fact, "not_published"))
    assert concluded_check.status is Status.UNKNOWN
    assert "the data is not published here" in concluded_check.detail.en
    assert "(" not in check(code, missing(fact)).detail.en


def test_every_status_that_a_rule_can_give_is_in_the_table() -> None:
    covered = {(case[0], case[2]) for case in [*CASES, *LAYOUTS]}
    assert ("minimum_lot_size", "fail") not in covered


def test_every_reference_of_a_check_belongs_to_its_rule() -> None:
    listed = {rule.code: set(rule.legal_refs) for rule in RULES}
    for code, edits, _, _ in CASES:
        for concluded_check in assess(facts(*edits), DRAWN).checks:
            assert set(concluded_check.legal_refs) <= listed[concluded_check.code], code


def test_the_deed_needs_the_survey_and_only_a_surveyor_draws_its_plan() -> None:
    concluded_check = check("boundary_survey")
    assert concluded_check.detail.fr.startswith("L’acte qui vend un lot de lotissement")
    assert concluded_check.legal_refs == ("Code de l'urbanisme, art. L115-4", "Loi n° 46-942 du 7 mai 1946, art. 2")


def test_access_cites_the_national_rules_only_if_they_apply() -> None:
    assert "R111-5" not in str(check("access").legal_refs)
    assert "R111-5" in str(check("access", RNU).legal_refs)
    carte_communale = zoned(("", 1.0), documents=("CC",))
    assert "R111-5" in str(check("access", carte_communale).legal_refs)


def test_a_right_of_way_is_cited_only_for_a_short_frontage() -> None:
    assert check("access").legal_refs == ()
    assert "682" in str(check("access", land(frontage_m=2.0)).legal_refs)


@pytest.mark.parametrize(
    ("edits", "verdict"),
    [
        ([], Verdict.FAVOURABLE),
        ([land(frontage_m=None)], Verdict.CONDITIONAL),
        ([zoned(("AUc", 1.0))], Verdict.CONDITIONAL),
        ([zoned(("N", 1.0))], Verdict.UNFAVOURABLE),
        ([missing("urbanism")], Verdict.UNDETERMINED),
        ([missing("urbanism"), land(frontage_m=0.0)], Verdict.UNFAVOURABLE),
    ],
)
def test_decisive_checks_determine_the_verdict(edits: list[Edit], verdict: Verdict) -> None:
    assert assess(facts(*edits), DRAWN).verdict is verdict


def test_without_facts_the_verdict_is_undetermined_and_the_confidence_0() -> None:
    assessment = assess(LandFacts(LandUnit()), Layout(2, is_drawn=None, reason="no_geometry"))
    assert assessment.verdict is Verdict.UNDETERMINED
    assert {check.status for check in assessment.checks} == {Status.UNKNOWN}
    assert assessment.confidence == 0.0
    assert assessment.procedure.label == PROCEDURES["undetermined"]


def test_a_missing_fact_lowers_the_confidence() -> None:
    complete, partial = assess(facts(), DRAWN), assess(facts(missing("sales")), DRAWN)
    assert 0 < partial.confidence < complete.confidence < 1
    assert complete.disclaimer.fr
    assert complete.rules_version
