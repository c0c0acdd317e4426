"""No answer denies what the facts of the land show: each sentence that says "none" is compared with the facts."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapely import box

from assistant.assessment.facts import DATASETS
from assistant.models.base import Brief
from assistant.models.rules import passages
from assistant.text import read_table
from landpartner.land.v1 import land_pb2
from servicekit.languages import Language

MakeUnit = Callable[..., land_pb2.LandUnit]
MakeBrief = Callable[..., Brief]
Denied = Callable[[land_pb2.LandUnit], bool]
PROTECTED = {"AC1", "AC2", "AC4"}


def categories(unit: land_pb2.LandUnit) -> set[str]:
    return {easement.category for easement in unit.urbanism.easements}


def has_risk(*subjects: str) -> Denied:
    return lambda unit: any(risk.subject in subjects and risk.status == "present" for risk in unit.risks.items)


def has_information(*codes: str) -> Denied:
    return lambda unit: any(item.type_code in codes for item in unit.urbanism.informations)


def never(_unit: land_pb2.LandUnit) -> bool:
    return False


DENIED: dict[str, Denied] = {
    "assessment/prescriptions.none": lambda unit: bool(unit.urbanism.prescriptions),
    "assessment/prescriptions.none_in_part": lambda unit: bool(unit.urbanism.prescriptions),
    "assessment/prescriptions.no_plan": lambda unit: bool(unit.urbanism.prescriptions),
    "assessment/plan_informations.none": has_information("02", "14", "27"),
    "assessment/easements.none": lambda unit: bool(categories(unit) - {"T5"}),
    "assessment/easements.none_in_part": lambda unit: bool(categories(unit) - {"T5"}),
    "assessment/easements.none_besides": lambda unit: bool(categories(unit) - {"T5"} - PROTECTED),
    "assessment/easements.none_in_part_besides": lambda unit: bool(categories(unit) - {"T5"} - PROTECTED),
    "assessment/risks.none": has_risk("natural_risk_plan", "cavity"),
    "assessment/existing_buildings.none": lambda unit: unit.buildings.count > 0,
    "assessment/ownership.none": lambda unit: bool(unit.land.owners),
    "assessment/protected_surroundings.none": lambda unit: bool(
        categories(unit) & PROTECTED or unit.urbanism.nearby_monuments
    ),
    "assessment/stay_of_decision.none_under_way": lambda unit: any(
        rules.plan_under_way for rules in unit.land.commune_rules
    ),
    "assessment/mountain_and_coast.none": lambda unit: any(
        {rules.mountain_law, rules.coast_law} & {"whole", "part"} for rules in unit.land.commune_rules
    ),
    "assessment/soil_studies.none": lambda unit: any(r.subject == "clay" and r.level == "3" for r in unit.risks.items),
    "assessment/pre_emption.none": lambda unit: has_information("03", "04", "05")(unit) or bool(unit.land.farmed_land),
    "assessment/buyer_information.none": lambda unit: any(
        r.subject == "natural_risk_plan" and r.findings for r in unit.risks.items
    ),
    "assessment/recent_sales.none": lambda unit: bool(unit.dvf_sales),
    "assessment/recent_sales.none_in_period": lambda unit: bool(unit.dvf_sales),
    "assessment/lotissement_procedure.no_protected_site": lambda unit: bool(
        categories(unit) & PROTECTED or unit.urbanism.nearby_monuments
    ),
    "questions/energy_ratings.none": lambda unit: unit.buildings.energy_ratings.count > 0,
    "questions/permits.none": lambda unit: bool(unit.urban_authorizations),
    "questions/permits.none_in_part": lambda unit: bool(unit.urban_authorizations),
    # These state the law, a zone or a project, and deny nothing of the land.
    "questions/proposals.none": never,
    "assessment/zone_type.no_plan": never,
    "assessment/contiguity.private_owner_assumed": lambda unit: bool(unit.land.owners),
    "assessment/project_reading.no_question": never,
    "assessment/minimum_lot_size.no_minimum": never,
    "assessment/minimum_lot_size.no_question": never,
    "assessment/unit_area.no_building_plot": never,
    "assessment/access.no_road": lambda unit: unit.land.frontage_m > 0,
    "assessment/division_layout.no_geometry": never,
    "assessment/division_layout.no_valid_cut": never,
    "assessment/risks.no_zone": lambda unit: any(
        r.subject == "natural_risk_plan" and r.findings for r in unit.risks.items
    ),
    "assessment/risks.no_room": never,
    "assessment/study.no_building_plot": never,
    "assessment/summary.no_number_fits": never,
}
"""The facts that each sentence denies: if one is on the land, the sentence must not be in an answer."""
OPENINGS = ("none", "no_")
QUESTION = (
    "Diviser en 2 lots ? Servitudes ? Risques ? Piscine ? Ventes du terrain ? Permis accordés ? Préemption ? "
    "Patrimoine ? Que peut-on construire ? Propriétaires ? Bâtiments existants ? Étude de sol ?"
)


def sentences() -> dict[str, tuple[str, str]]:
    return {
        f"{folder}/{table}.{name}": tuple(pair)
        for folder in ("assessment", "questions")
        for table, pairs in read_table(f"{folder}/sentences.toml").items()
        for name, pair in pairs.items()
    }


SENTENCES = sentences()


def test_every_denial_is_listed() -> None:
    names = {key for key in SENTENCES if key.partition(".")[2].startswith(OPENINGS)}
    assert names <= DENIED.keys()
    assert DENIED.keys() <= SENTENCES.keys()


EASEMENTS = ("AC1", "AC2", "AC4", "I4", "T5", "EL7")
PUBLISHED = (*EASEMENTS, "A4", "A5", "AS1", "EL3", "I1", "I3", "PM1", "PM2", "PM3", "T1")


RISKS = (
    "clay", "cavity", "natural_risk_plan", "technological_risk_plan", "mining_risk_plan", "landslide",
    "flood_territory", "soil_information_sector", "polluted_soil", "seismic", "radon", "brush_clearing",
)  # fmt: skip


def filled(unit: land_pb2.LandUnit, present: set[str]) -> land_pb2.LandUnit:
    """The unit with all datasets covered, and with the facts that are named."""
    for datasets in DATASETS.values():
        for dataset in datasets:
            unit.coverage.add(dataset=dataset, status=land_pb2.COVERAGE_STATUS_COVERED)
    unit.urbanism.published_easement_categories.extend(PUBLISHED)
    for category in EASEMENTS:
        if category in present:
            unit.urbanism.easements.add(category=category, overlap_ratio=0.4, geometry_kind="surface")
    for code in ("04", "12", "14"):
        if f"information {code}" in present:
            unit.urbanism.informations.add(type_code=code, geometry_kind="surface")
    if "prescription" in present:
        unit.urbanism.prescriptions.add(type_code="07", geometry_kind="surface", overlap_area_m2=100.0)
    for subject in RISKS:
        risk = unit.risks.items.add(subject=subject, status="present" if subject in present else "none")
        if subject == "clay":
            risk.level = "3" if subject in present else ""
        if subject == "natural_risk_plan" and subject in present:
            risk.findings.add(zones=["B1"])
    if "owner" in present:
        unit.land.owners.add(name="SCI", right_code="P", group_code="6", parcel_ids=unit.parcel_ids)
    if "sale" in present:
        unit.dvf_sales.add(id_mutation="a", date_mutation="2021-12-31", valeur_fonciere=1000.0)
    if "permit" in present:
        unit.urban_authorizations.add(num_dau="1", type_dau="PC", date_reelle_autorisation="2016-03-04")
    return unit


FACTS = (
    *EASEMENTS, "information 04", "information 12", "information 14", "prescription", "clay", "cavity",
    "natural_risk_plan", "owner", "sale", "permit", "building",
)  # fmt: skip


def denied_facts(unit: land_pb2.LandUnit, brief: Brief, language: Language) -> list[str]:
    """The sentences of the answer and of the checks that deny what the unit has."""
    checks = " ".join(check.detail.read(language) for check in brief.assessment.checks)
    text = "".join(passage.text for passage in passages(brief)) + checks
    plain = text.replace("\u00a0", " ").replace("\u202f", " ")
    return [
        key
        for key, is_there in DENIED.items()
        if is_there(unit)
        and "{" not in (sentence := SENTENCES[key][0 if language == "fr" else 1])
        and sentence.removesuffix(".").replace("\u00a0", " ") in plain
    ]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(present=st.sets(st.sampled_from(FACTS)), language=st.sampled_from(["fr", "en"]))
def test_no_sentence_denies_what_is_on_the_land(
    land_unit: MakeUnit, make_brief: MakeBrief, present: set[str], language: Language
) -> None:
    unit = filled(land_unit(buildings=[box(8, 6, 20, 16)] if "building" in present else []), present)
    assert denied_facts(unit, make_brief(unit, language, QUESTION), language) == []


@pytest.mark.parametrize("language", ["fr", "en"])
def test_without_facts_the_denials_are_told(land_unit: MakeUnit, make_brief: MakeBrief, language: Language) -> None:
    """The test above would pass if the sentences were not found in the text."""
    unit = filled(land_unit(), set())
    full = filled(land_unit(buildings=[box(8, 6, 20, 16)]), set(FACTS))
    assert len(denied_facts(full, make_brief(unit, language, QUESTION), language)) >= 10


@pytest.mark.parametrize(("category", "is_declared"), [("AC1", True), ("AC4", True), ("I4", False)])
def test_the_smallest_pool_is_declared_where_the_land_is_protected(
    land_unit: MakeUnit, make_brief: MakeBrief, category: str, *, is_declared: bool
) -> None:
    brief = make_brief(filled(land_unit(), {category}), "fr", "Puis-je construire une piscine ?")
    text = "".join(passage.text for passage in passages(brief))
    assert ("même la plus petite piscine s’y déclare" in text) == is_declared
    [protection] = [check for check in brief.assessment.checks if check.code == "protected_surroundings"]
    assert ("accord de l’architecte des Bâtiments de France" in protection.detail.fr) == is_declared


def test_flood_zones_are_in_what_may_be_built(land_unit: MakeUnit, make_brief: MakeBrief) -> None:
    unit = filled(land_unit(), {"natural_risk_plan"})
    text = "".join(p.text for p in passages(make_brief(unit, "fr", "Que peut-on construire ?")))
    assert "Zone B1 du plan de prévention" in text


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Quelles pièces pour diviser en 2 lots ?", "Cerfa n° 16703"),
        ("Quelles pièces pour 4 lots avec une voie commune ?", "Cerfa n° 16297"),
        ("Un promoteur construit 4 maisons et les vend. Quelles pièces ?", "permis de construire valant division"),
        ("Je cède 40 m² à mon voisin pour agrandir son jardin. Quelles pièces ?", "Aucun dossier de lotissement"),
    ],
)
def test_the_file_is_that_of_the_procedure_and_of_every_division(
    land_unit: MakeUnit, make_brief: MakeBrief, question: str, part: str
) -> None:
    text = "".join(p.text for p in passages(make_brief(land_unit(50, 60), "fr", question)))
    plain = text.replace("\u00a0", " ")
    assert part in plain
    assert "document modificatif du parcellaire cadastral" in plain
    assert "L115-3" not in plain or "zones où" in plain or "communes exigent" in plain


def test_plots_that_do_not_touch_may_share_one_file(land_unit: MakeUnit, make_brief: MakeBrief) -> None:
    unit = land_unit()
    unit.land.is_contiguous = False
    checks = make_brief(unit, "fr", "Quelles pièces à fournir ?").assessment.checks
    [procedure] = [check for check in checks if check.code == "lotissement_procedure"]
    assert "un dossier unique les réunit" in procedure.detail.fr
