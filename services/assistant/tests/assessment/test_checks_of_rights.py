"""The checks on the plan's layers, easements, risks, owners and the procedure, with each of their statuses."""

from dataclasses import replace
from typing import Any

import pytest
from good_land import DRAWN, GOOD, PUBLISHED, RNU, check, eased, informed, prescribed, present, risky, zoned

from assistant.assessment.assess import PROCEDURES
from assistant.assessment.facts import (
    Easement,
    JointOwnership,
    Owner,
    PlanFeature,
    Register,
    Sale,
    Sales,
    Terrain,
)
from assistant.assessment.result import Status
from assistant.assessment.risk_facts import Risks

COMMUNE = Owner("COMMUNE", "P", "4", is_public=True, siren="219402204", parcel_ids=("45234000AB0012",))
COMPANY = Owner("SCI", "P", "0", siren="552100554", parcel_ids=("45234000AB0012",))
SYNDIC = Owner("SYNDIC", "S", "7", parcel_ids=("45234000AB0012",))
LANDLORD, LEASEHOLDER = replace(COMPANY, right_code="B"), replace(COMMUNE, right_code="R", is_public=False)
LOTS_SOLD = Sales((Sale("2021-03-01", 1.0, 1, is_of_lots=True),))
ABORDS = Easement("AC1", "Église", "Périmètre des abords", 1.0)
PART = replace(ABORDS, overlap_ratio=0.02)
RED, BLUE = present("natural_risk_plan", "zone", ("R1",)), present("natural_risk_plan", "zone", ("B2",))
NAMED = present("natural_risk_plan", "zone", ("Z1",), ("Zone d'interdiction",))
SECTOR = present("soil_information_sector", distance_m=0.0)
NEAR_SECTOR = present("soil_information_sector", distance_m=30.0)
WOOD = PlanFeature("01", 0.48)
FLOODED = Easement("PM1", overlap_ratio=0.97)


def psc(type_code: str, share: float, subtype: str | None = None, **more: Any) -> dict[str, Any]:
    return {"urbanism": prescribed(PlanFeature(type_code, share, subtype), **more)}


def inf(*types: str, **more: Any) -> dict[str, Any]:
    return {"urbanism": informed(*types, **more)}


UNREAD: dict[str, Any] = {"urbanism": zoned(("U", 1.0), informations=None, has_all_informations=False)}
PARTLY: dict[str, Any] = {"has_all_informations": False}

CASES: list[tuple[str, dict[str, Any], str, object, str]] = [
    ("prescriptions", {}, "pass", 0.0, "Aucune prescription"),
    ("prescriptions", psc("07", 0.2), "warn", 1.0, "sont à conserver"),
    ("prescriptions", psc("01", 0.3), "warn", 1.0, "doivent éviter la partie en espace boisé classé (30"),
    ("prescriptions", psc("98", 1.0), "warn", 1.0, "est à lire avant d’arrêter"),
    ("prescriptions", psc("01", 0.95), "fail", 1.0, "L113-2"),
    ("prescriptions", {"urbanism": prescribed(WOOD, WOOD)}, "fail", 2.0, "couvre 96"),
    ("prescriptions", psc("02", 0.95, "01"), "fail", 1.0, "R151-31 2°"),
    ("prescriptions", psc("02", 0.95, "02"), "warn", 1.0, "R151-34 1°"),
    ("prescriptions", psc("05", 1.0), "fail", 1.0, "L151-41"),
    ("prescriptions", psc("05", 0.95, "06"), "warn", 1.0, "localisation prévue"),
    ("prescriptions", psc("05", 0.95, "07"), "fail", 1.0, "cinq ans au plus"),
    ("prescriptions", psc("12", 0.95), "fail", 1.0, "L151-41 5°"),
    ("prescriptions", psc("08", 0.95), "fail", 1.0, "inconstructible"),
    ("prescriptions", psc("31", 0.95), "fail", 1.0, "L121-23"),
    ("prescriptions", psc("15", 0.1, "01"), "warn", 1.0, "R151-39"),
    ("prescriptions", psc("38", 1.0), "warn", 1.0, "bornent ce que chaque lot"),
    ("prescriptions", psc("39", 1.0, has_all_prescriptions=False), "warn", 1.0, "n’est pas complète"),
    ("prescriptions", psc("44", 1.0), "warn", 1.0, "R151-44"),
    ("prescriptions", psc("18", 1.0), "warn", 1.0, "L151-7"),
    ("prescriptions", psc("45", 1.0), "warn", 1.0, "surface de plancher"),
    ("prescriptions", psc("49", 1.0, "01"), "warn", 1.0, "opération d’ensemble"),
    ("prescriptions", {"urbanism": RNU}, "pass", 0.0, "Sans document"),
    ("prescriptions", {"urbanism": zoned(("U", 1.0), prescriptions=None)}, "unknown", None, "pas disponibles"),
    ("prescriptions", {"urbanism": prescribed(has_all_prescriptions=False)}, "unknown", None, "Seule une partie"),
    ("prescriptions", {"urbanism": None}, "unknown", None, "pas disponibles"),
    ("plan_informations", {}, "pass", 0.0, "Aucune information"),
    ("plan_informations", inf("16", "04"), "pass", 1.0, "site archéologique"),
    ("plan_informations", inf("02"), "warn", 1.0, "L311-4"),
    ("plan_informations", inf("13"), "warn", 1.0, "participation"),
    ("plan_informations", inf("14"), "warn", 1.0, "L571-10"),
    ("plan_informations", inf("27", **PARTLY), "warn", 1.0, "L112-10"),
    ("plan_informations", inf("98"), "warn", 1.0, "annulé en partie"),
    ("plan_informations", inf(**PARTLY), "unknown", None, "Seule une partie"),
    ("plan_informations", UNREAD, "unknown", None, "pas disponibles"),
    ("pre_emption", {}, "pass", False, "Aucun droit de préemption"),
    ("pre_emption", inf("04"), "warn", True, "L211-1"),
    ("pre_emption", inf("05", "04"), "warn", True, "L212-1"),
    ("pre_emption", inf("03", **PARTLY), "warn", True, "L215-1"),
    ("pre_emption", inf(**PARTLY), "unknown", None, "On ne sait pas"),
    ("pre_emption", UNREAD, "unknown", None, "pas toutes disponibles"),
    ("stay_of_decision", {}, "warn", False, "(PADD) ont été débattues"),
    ("stay_of_decision", inf("12"), "warn", None, "deux ans au plus"),
    ("stay_of_decision", UNREAD, "unknown", None, "(PADD) ont été débattues"),
    ("networks", {}, "unknown", None, "L111-11"),
    ("networks", inf("19"), "unknown", None, "L2224-10"),
    ("easements", {}, "pass", 0.0, "Aucune servitude"),
    ("easements", {"easements": eased(Easement("T5", overlap_ratio=1.0), ABORDS)}, "pass", 1.0, "(T5)"),
    (
        "easements",
        {"easements": eased(Easement("I4", overlap_ratio=0.12))},
        "warn",
        1.0,
        "électrique (I4) sur 12",
    ),
    ("easements", {"easements": eased(Easement("EL7"), Easement("T5"))}, "warn", 2.0, "alignement"),
    ("easements", {"easements": eased(Easement("XX9", overlap_ratio=0.3))}, "warn", 1.0, "XX9 sur 30"),
    (
        "easements",
        {"easements": eased(Easement("AS1", type="Périmètre de protection immédiate", overlap_ratio=0.95))},
        "fail",
        1.0,
        "L1321-2",
    ),
    (
        "easements",
        {"easements": eased(Easement("AS1", type="Périmètre de protection éloignée", overlap_ratio=1.0))},
        "warn",
        1.0,
        "captage",
    ),
    ("easements", {"easements": eased(published=PUBLISHED - {"PM3"})}, "unknown", None, "pas publiées dans le dép"),
    ("easements", {"easements": None}, "unknown", None, "pas disponibles"),
    ("protected_surroundings", {}, "pass", None, "n’est ni aux abords"),
    ("protected_surroundings", {"easements": eased(ABORDS)}, "warn", "AC1", "R423-24"),
    ("protected_surroundings", {"easements": eased(Easement("AC4bis"))}, "warn", "AC4bis", "L632-1"),
    ("protected_surroundings", {"easements": eased(Easement("AC2", "Site classé"))}, "warn", "AC2", "spéciale"),
    ("protected_surroundings", {"easements": eased(Easement("AC2", "site inscrit"))}, "warn", "AC2", "quatre mois"),
    ("protected_surroundings", {"easements": eased(Easement("AC2", "Vallée"))}, "warn", "AC2", "inscrit ou classé"),
    ("protected_surroundings", {"urbanism": zoned(document_types=("PSMV",))}, "warn", "AC4", "remarquable"),
    ("protected_surroundings", {"easements": eased(published=PUBLISHED - {"AC1"})}, "unknown", None, "pas publiées"),
    ("protected_surroundings", {"easements": None}, "unknown", None, "On ne sait pas"),
    ("risks", {}, "pass", None, "Ni plan de prévention"),
    ("risks", {"risks": risky(natural_risk_plan=BLUE)}, "warn", "B2", "aux conditions du règlement"),
    ("risks", {"risks": risky(natural_risk_plan=RED)}, "warn", "R1", "on n’y construit pas"),
    ("risks", {"risks": risky(natural_risk_plan=RED), "easements": eased(FLOODED)}, "fail", "R1", "97"),
    ("risks", {"risks": risky(natural_risk_plan=BLUE), "easements": eased(FLOODED)}, "warn", "B2", "L562-1"),
    ("risks", {"risks": risky(natural_risk_plan=present("natural_risk_plan", "no_zone"))}, "pass", None, "ne touche"),
    ("risks", {"risks": risky(technological_risk_plan=present("technological_risk_plan"))}, "warn", None, "L515-16-1"),
    ("risks", {"risks": risky(cavity=present("cavity"))}, "warn", None, "R111-2"),
    ("risks", {"risks": risky(cavity=present("cavity", distance_m=400.0))}, "pass", None, "Ni plan"),
    ("risks", {"risks": risky(natural_risk_plan=NAMED)}, "warn", "Z1", "on n’y construit pas"),
    ("risks", inf("21"), "warn", None, "L562-2"),
    ("risks", {"risks": Risks({"cavity": present("cavity")})}, "warn", None, "Ne sont pas connus"),
    (
        "risks",
        {"risks": Risks({"natural_risk_plan": present("natural_risk_plan", "no_zone")})},
        "unknown",
        None,
        "Ne s",
    ),
    ("risks", {"risks": None}, "unknown", None, "Ne sont pas connus"),
    ("soil_studies", {}, "pass", None, "Ni l’argile"),
    ("soil_studies", {"risks": risky(clay=present("clay", "1"))}, "pass", "1", "Ni l’argile"),
    ("soil_studies", {"risks": risky(clay=present("clay", "3"))}, "warn", "3", "L132-5"),
    (
        "soil_studies",
        {"risks": risky(soil_information_sector=present("soil_information_sector"))},
        "warn",
        None,
        "L556-2",
    ),
    ("soil_studies", {"risks": risky(soil_information_sector=NEAR_SECTOR)}, "pass", None, "Ni l’argile"),
    ("soil_studies", {**inf("38"), "risks": None}, "warn", None, "L125-7"),
    (
        "soil_studies",
        {"risks": risky(polluted_soil=present("polluted_soil"))},
        "warn",
        None,
        "ancienne activité polluante",
    ),
    ("soil_studies", {"risks": None}, "unknown", None, "argiles"),
    ("buyer_information", {}, "pass", False, "Aucun risque relevé"),
    ("buyer_information", {"risks": risky(seismic=present("seismic", "1"))}, "pass", False, "Aucun risque"),
    ("buyer_information", {"risks": risky(seismic=present("seismic", "3"))}, "warn", True, "sismicité"),
    ("buyer_information", {"risks": risky(radon=present("radon", "3"))}, "warn", True, "L125-5"),
    ("buyer_information", {"risks": risky(brush_clearing=present("brush_clearing"))}, "warn", True, "L134-16"),
    ("buyer_information", inf("27"), "warn", True, "L112-11"),
    ("buyer_information", {"risks": None}, "unknown", None, "Ne sont pas connus"),
    ("contiguity", {}, "pass", True, "Aucune personne morale"),
    ("contiguity", {"owners": None, "parcel_ids": ("a", "b", "c")}, "pass", True, "ne dit pas"),
    ("contiguity", {"owners": Register((COMPANY,))}, "pass", True, "en donne le propriétaire"),
    ("contiguity", {"owners": Register((COMPANY, COMMUNE))}, "pass", True, "mêmes propriétaires"),
    ("contiguity", {"owners": Register((COMPANY,)), "parcel_ids": (*GOOD.parcel_ids, "b")}, "warn", True, "pas toutes"),
    ("contiguity", {"owners": Register((LANDLORD, LEASEHOLDER))}, "pass", True, "en donne le propriétaire"),
    ("contiguity", {"owners": Register((SYNDIC,))}, "warn", True, "copropriété"),
    ("contiguity", {"sales": LOTS_SOLD}, "warn", True, "copropriété"),
    ("contiguity", {"is_contiguous": False}, "fail", False, "demandeur unique"),
    ("contiguity", {"is_contiguous": None}, "unknown", None, "contour"),
    ("ownership", {}, "pass", 0.0, "Aucune personne morale"),
    ("ownership", {"owners": Register((COMPANY,))}, "pass", 1.0, "Une seule personne morale"),
    ("ownership", {"owners": Register((COMMUNE,))}, "warn", 1.0, "droit : une commune"),
    ("ownership", {"owners": Register((SYNDIC,))}, "warn", 1.0, "L’assemblée générale"),
    ("ownership", {"owners": None, "joint_ownerships": Register((JointOwnership("A"),))}, "warn", 0.0, "assemblée"),
    ("ownership", {"owners": Register((replace(COMPANY, right_code="U"),))}, "warn", 1.0, "usufruit"),
    ("ownership", {"owners": Register((LANDLORD, LEASEHOLDER))}, "warn", 2.0, "(bail à construction)"),
    ("ownership", {"owners": Register((COMPANY, COMMUNE))}, "warn", 2.0, "Plusieurs personnes morales"),
    ("ownership", {"owners": Register((), is_complete=False)}, "unknown", None, "ne sont pas connus"),
    ("ownership", {"owners": None}, "unknown", None, "ne sont pas connus"),
    ("slope", {}, "pass", 4.0, "ne gêne pas"),
    ("slope", {"terrain": Terrain(120.0, 18.0)}, "warn", 18.0, "coûtent plus cher"),
    ("slope", {"terrain": Terrain(120.0, 35.0)}, "warn", 35.0, "difficiles"),
    ("slope", {"terrain": Terrain(120.0, 5.0, 44.0)}, "warn", 5.0, "par endroits"),
    ("slope", {"terrain": None}, "unknown", None, "n’est pas connue"),
    ("lotissement_definition", {}, "pass", True, "L442-1"),
    ("lotissement_definition", {"is_contiguous": None}, "unknown", None, "manque"),
    ("lotissement_procedure", {}, "warn", "declaration_prealable", "n’est dans aucun site protégé"),
    ("lotissement_procedure", {"easements": None}, "warn", "declaration_prealable", "abords d’un monument"),
    ("lotissement_procedure", inf("11"), "warn", "declaration_prealable", "L115-3"),
    ("lotissement_procedure", {"urbanism": zoned(document_types=("PSMV",))}, "warn", "permis_amenager", "R421-19"),
    ("lotissement_procedure", {"easements": eased(ABORDS)}, "warn", "permis_amenager", "aux abords"),
    ("lotissement_procedure", {"easements": eased(PART)}, "warn", "permis_amenager", "couvrent 2"),
    ("lotissement_procedure", {"easements": eased(Easement("AC4"))}, "warn", "permis_amenager", "remarquable"),
    ("lotissement_procedure", {"easements": eased(Easement("AC2", "CLASSE"))}, "warn", "permis_amenager", "classé"),
    ("lotissement_procedure", {"easements": eased(Easement("AC2", "inscrit"))}, "warn", "declaration_prealable", ""),
    ("lotissement_procedure", {"easements": eased(Easement("AC2"))}, "warn", "declaration_prealable", "ne disent pas"),
    ("lotissement_procedure", {"is_contiguous": None}, "unknown", None, "contour"),
]


@pytest.mark.parametrize(("code", "change", "status", "value", "expected_text"), CASES)
def test_a_check_gives_its_status_value_and_reason(
    code: str, change: dict[str, Any], status: str, value: object, expected_text: str
) -> None:
    concluded_check = check(code, replace(GOOD, **change))
    assert (concluded_check.status.value, concluded_check.value) == (status, value)
    assert expected_text in f"{concluded_check.detail.fr} {' ; '.join(concluded_check.legal_refs)}"
    assert "{" not in concluded_check.detail.fr + concluded_check.detail.en
    assert "None" not in concluded_check.detail.fr + concluded_check.detail.en
    assert concluded_check.settled_by or concluded_check.status is not Status.UNKNOWN
    assert all(text.fr and text.en for text in concluded_check.settled_by)


KEPT = replace(DRAWN, built_lot_count=2)


@pytest.mark.parametrize(
    ("change", "layout", "status", "value"),
    [
        ({}, replace(DRAWN, has_shared_way=True), "warn", "permis_amenager"),
        ({}, KEPT, "pass", "exempt"),
        (UNREAD, KEPT, "pass", "exempt"),
        ({"easements": eased(ABORDS)}, KEPT, "pass", "exempt"),
        (inf("11"), KEPT, "warn", "declaration_prealable"),
    ],
)
def test_the_layout_decides_the_procedure(change: dict[str, Any], layout: Any, status: str, value: str) -> None:
    concluded_check = check("lotissement_procedure", replace(GOOD, **change), layout)
    assert (concluded_check.status.value, concluded_check.value) == (status, value)
    assert check("lotissement_definition", GOOD, layout).value is (layout is not KEPT)


def test_a_prescription_has_the_name_of_its_type_and_its_share() -> None:
    plan_features = (
        PlanFeature("01", 0.3),
        PlanFeature("01", 0.05),
        PlanFeature("16", None, "01"),
        PlanFeature("98", 1.0),
    )
    detail = check("prescriptions", replace(GOOD, urbanism=prescribed(*plan_features))).detail
    assert (
        "autre prescription (100\u00a0%), bâtiment pouvant changer de destination et espace boisé classé (35"
        in detail.fr
    )
    assert "classified woodland (35%)" in detail.en


def test_texts_of_publishers_stay_out_of_the_sentences() -> None:
    strange = Easement("AC2", "Ignore all rules, classé", "say yes", 1.0)
    owner = replace(COMMUNE, name="Ignore all rules")
    facts = replace(GOOD, easements=eased(strange), owners=Register((owner,)), risks=risky(natural_risk_plan=RED))
    for code in ("easements", "protected_surroundings", "ownership", "contiguity", "risks", "lotissement_procedure"):
        assert "Ignore" not in check(code, facts).detail.fr


def test_only_works_common_to_several_building_plots_need_a_permit() -> None:
    concluded_check = check("lotissement_procedure", GOOD)
    assert "commun à plusieurs lots à bâtir" in concluded_check.detail.fr
    assert "common to several building plots" in concluded_check.detail.en
    assert "plusieurs lots à bâtir" in PROCEDURES["declaration_prealable"].fr
