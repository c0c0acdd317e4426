"""The checks on the plan's layers, easements, risks, owners and the procedure, with each of their statuses."""

from dataclasses import replace
from typing import Any

import pytest
from good_land import (
    DRAWN,
    PUBLISHED,
    RNU,
    Edit,
    check,
    eased,
    facts,
    informed,
    jointly_owned,
    land,
    missing,
    outlined,
    owned,
    parcels,
    prescribed,
    present,
    risky,
    sloped,
    sold,
    zoned,
)

from assistant.assessment.assess import assess
from assistant.assessment.facts import Layout
from assistant.assessment.result import Status
from landpartner.land.v1.land_pb2 import CommuneRules, DvfSale, Easement, FarmedLand, LandUnit, Owner, RiskZone

PARCEL = ("45234000AB0012",)
COMMUNE = Owner(name="COMMUNE", right_code="P", group_code="4", is_public=True, siren="219402204", parcel_ids=PARCEL)
COMPANY = Owner(name="SCI", right_code="P", group_code="0", siren="552100554", parcel_ids=PARCEL)
SYNDIC = Owner(name="SYNDIC", right_code="S", group_code="7", parcel_ids=PARCEL)
LANDLORD = Owner(name="SCI", right_code="B", group_code="0", siren="552100554", parcel_ids=PARCEL)
LEASEHOLDER = Owner(name="COMMUNE", right_code="R", group_code="4", siren="219402204", parcel_ids=PARCEL)
BENEFICIARY = Owner(name="SCI", right_code="U", group_code="0", siren="552100554", parcel_ids=PARCEL)
LOTS_SOLD = DvfSale(date_mutation="2021-03-01", valeur_fonciere=1.0, lot_count=1)
ABORDS = Easement(category="AC1", name="Église", type="Périmètre des abords", overlap_ratio=1.0)
PART = Easement(category="AC1", name="Église", type="Périmètre des abords", overlap_ratio=0.02)
RED, BLUE = present("natural_risk_plan", "zone", "R1"), present("natural_risk_plan", "zone", "B2")
NAMED = present("natural_risk_plan", "zone", "Z1", "Zone d'interdiction")
SECTOR = present("soil_information_sector")
NEAR_SECTOR = present("soil_information_sector", distance_m=30.0)
WOOD = ("01", 0.48, "")


def easement(category: str, ratio: float | None = None, kind: str = "", name: str = "") -> Easement:
    return Easement(category=category, overlap_ratio=ratio, type=kind, name=name)


FLOODED = easement("PM1", 0.97)


def area_of(code: str, regulation: str | None, share: float, subject: str = "natural_risk_plan") -> RiskZone:
    area_m2 = 1200 * share
    return RiskZone(
        plan_id="P", subject=subject, code=code, regulation=regulation, overlap_area_m2=area_m2, overlap_ratio=share
    )


RED_AREA, BLUE_AREA = area_of("R1", "forbidden", 0.3), area_of("B2", "conditions", 0.2)


def ruled(**facts: Any) -> list[Edit]:
    return [lambda unit: unit.land.commune_rules.extend([CommuneRules(commune_code="45234", **facts)])]


def farmed(area_m2: float) -> Edit:
    part = FarmedLand(year=2024, crop_code="BTH", overlap_area_m2=area_m2)
    return lambda unit: unit.land.farmed_land.extend([part])


def near_monument(unit: LandUnit) -> None:
    unit.urbanism.nearby_monuments.add(reference="PA00000001", name="Beffroi", distance_m=120.4)


def psc(type_code: str, share: float, subtype: str = "", *, is_complete: bool = True) -> list[Edit]:
    return [prescribed((type_code, share, subtype), is_complete=is_complete)]


def inf(*types: str, is_complete: bool = True) -> list[Edit]:
    return [informed(*types, is_complete=is_complete)]


CASES: list[tuple[str, list[Edit], str, object, str]] = [
    ("prescriptions", [], "pass", 0.0, "Aucune prescription"),
    ("prescriptions", psc("07", 0.2), "warn", 1.0, "sont à conserver"),
    ("prescriptions", psc("01", 0.3), "warn", 1.0, "éviter cette partie"),
    ("prescriptions", psc("98", 1.0), "warn", 1.0, "est à lire avant d’arrêter"),
    ("prescriptions", psc("01", 0.95), "fail", 1.0, "L113-2"),
    ("prescriptions", [prescribed(WOOD, WOOD)], "fail", 2.0, "couvre 96"),
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
    ("prescriptions", psc("39", 1.0, is_complete=False), "warn", 1.0, "n’est pas complète"),
    ("prescriptions", psc("44", 1.0), "warn", 1.0, "R151-44"),
    ("prescriptions", psc("18", 1.0), "warn", 1.0, "L151-7"),
    ("prescriptions", psc("45", 1.0), "warn", 1.0, "surface de plancher"),
    ("prescriptions", psc("49", 1.0, "01"), "warn", 1.0, "opération d’ensemble"),
    ("prescriptions", [RNU], "pass", 0.0, "Sans document"),
    ("prescriptions", [missing("prescriptions")], "unknown", None, "pas disponibles"),
    ("prescriptions", [prescribed(is_complete=False)], "unknown", None, "Seule une partie"),
    ("prescriptions", [missing("urbanism")], "unknown", None, "pas disponibles"),
    ("plan_informations", [], "pass", 0.0, "Aucune information"),
    ("plan_informations", inf("16", "04"), "pass", 1.0, "site archéologique"),
    ("plan_informations", inf("02"), "warn", 1.0, "L311-4"),
    ("plan_informations", inf("13"), "warn", 1.0, "participation"),
    ("plan_informations", inf("14"), "warn", 1.0, "L571-10"),
    ("plan_informations", inf("27", is_complete=False), "warn", 1.0, "L112-10"),
    ("plan_informations", inf("98"), "warn", 1.0, "annulé en partie"),
    ("plan_informations", inf(is_complete=False), "unknown", None, "Seule une partie"),
    ("plan_informations", [missing("informations")], "unknown", None, "pas disponibles"),
    ("pre_emption", [], "pass", False, "Aucun droit de préemption"),
    ("pre_emption", inf("04"), "warn", True, "L211-1"),
    ("pre_emption", inf("05", "04"), "warn", True, "L212-1"),
    ("pre_emption", inf("03", is_complete=False), "warn", True, "L215-1"),
    ("pre_emption", [zoned(("A", 1.0))], "warn", True, "L143-1"),
    ("pre_emption", [farmed(1_200.0)], "warn", True, "1\u202f200\u00a0m² du terrain sont déclarés"),
    ("pre_emption", [farmed(1_200.0), zoned(("A", 1.0))], "warn", True, "L143-4"),
    ("pre_emption", inf(is_complete=False), "unknown", None, "On ne sait pas"),
    ("pre_emption", [missing("informations")], "unknown", None, "pas toutes disponibles"),
    ("stay_of_decision", [], "warn", False, "(PADD) ont été débattues"),
    ("stay_of_decision", inf("12"), "warn", None, "deux ans au plus"),
    ("stay_of_decision", [missing("informations")], "unknown", None, "(PADD) ont été débattues"),
    ("stay_of_decision", ruled(plan_in_force="PLU"), "pass", False, "aucun plan n’est en cours"),
    ("stay_of_decision", ruled(plan_in_force="PLU", plan_under_way="PLUi"), "warn", True, "« PLUi »"),
    ("mountain_and_coast", [], "unknown", None, "pas toutes chargées"),
    ("mountain_and_coast", ruled(mountain_law="none", coast_law="none"), "pass", False, "Ni la loi Montagne"),
    ("mountain_and_coast", ruled(mountain_law="part"), "warn", True, "L122-5"),
    ("mountain_and_coast", ruled(mountain_law="none", coast_law="whole"), "warn", True, "L121-8"),
    ("mountain_and_coast", ruled(mountain_law="none"), "unknown", None, "pas toutes chargées"),
    ("networks", [], "unknown", None, "L111-11"),
    ("networks", inf("19"), "unknown", None, "L2224-10"),
    ("easements", [], "pass", 0.0, "Aucune servitude"),
    ("easements", [eased(easement("T5", 1.0), ABORDS)], "pass", 1.0, "(T5)"),
    (
        "easements",
        [eased(easement("I4", 0.12))],
        "warn",
        1.0,
        "électrique (I4) sur 12",
    ),
    ("easements", [eased(easement("EL7"), easement("T5"))], "warn", 2.0, "alignement"),
    ("easements", [eased(easement("XX9", 0.3))], "warn", 1.0, "XX9 sur 30"),
    (
        "easements",
        [eased(easement("AS1", 0.95, "Périmètre de protection immédiate"))],
        "fail",
        1.0,
        "L1321-2",
    ),
    (
        "easements",
        [eased(easement("AS1", 1.0, "Périmètre de protection éloignée"))],
        "warn",
        1.0,
        "captage",
    ),
    ("easements", [eased(published=PUBLISHED - {"PM3"})], "unknown", None, "non publiées dans le dép"),
    ("easements", [missing("easements")], "unknown", None, "pas disponibles"),
    ("protected_surroundings", [], "pass", None, "n’est ni aux abords"),
    ("protected_surroundings", [eased(ABORDS)], "warn", "AC1", "R423-24"),
    ("protected_surroundings", [eased(easement("AC1"))], "warn", "AC1", "ne vaut que si"),
    ("protected_surroundings", [eased(easement("AC4bis"))], "warn", "AC4bis", "L632-1"),
    ("protected_surroundings", [eased(easement("AC2", name="Site classé"))], "warn", "AC2", "spéciale"),
    ("protected_surroundings", [eased(easement("AC2", name="site inscrit"))], "warn", "AC2", "quatre mois"),
    ("protected_surroundings", [eased(easement("AC2", name="Vallée"))], "warn", "AC2", "inscrit ou classé"),
    ("protected_surroundings", [zoned(("U", 1.0), documents=("PSMV",))], "warn", "AC4", "remarquable"),
    ("protected_surroundings", [eased(published=PUBLISHED - {"AC1"})], "unknown", None, "pas publiées"),
    ("protected_surroundings", [missing("easements")], "unknown", None, "On ne sait pas"),
    ("protected_surroundings", [near_monument], "unknown", None, "Beffroi est à 120\u00a0m"),
    ("protected_surroundings", [missing("easements"), near_monument], "unknown", None, "L621-30"),
    ("protected_surroundings", [eased(ABORDS), near_monument], "warn", "AC1", "R423-24"),
    ("risks", [], "pass", None, "Ni plan de prévention"),
    ("risks", [risky(BLUE)], "warn", "B2", "aux conditions du règlement"),
    ("risks", [risky(RED)], "warn", "R1", "on n’y construit pas"),
    ("risks", [risky(RED), eased(FLOODED)], "fail", "R1", "97"),
    ("risks", [risky(BLUE), eased(FLOODED)], "warn", "B2", "L562-1"),
    ("risks", [risky(present("natural_risk_plan", "no_zone"))], "pass", None, "ne touche"),
    ("risks", [risky(present("technological_risk_plan"))], "warn", None, "le dessin des lots n’en tient pas compte"),
    ("risks", [risky(present("cavity"))], "warn", None, "R111-2"),
    (
        "risks",
        [risky(present("cavity", distance_m=42.4))],
        "warn",
        None,
        "cavité souterraine (au plus près à 42\u00a0m)",
    ),
    ("risks", [risky(present("cavity", distance_m=0.0))], "warn", None, "cavité souterraine (sur le terrain)"),
    ("risks", [risky(present("cavity", distance_m=400.0))], "pass", None, "Ni plan"),
    ("risks", [risky(NAMED)], "warn", "Z1", "on n’y construit pas"),
    ("risks", inf("21"), "warn", None, "L562-2"),
    ("risks", [risky(present("cavity"), others="not_covered")], "warn", None, "Ne sont pas connus"),
    (
        "risks",
        [risky(present("natural_risk_plan", "no_zone"), others="not_covered")],
        "unknown",
        None,
        "Ne s",
    ),
    ("risks", [missing("risks")], "unknown", None, "Ne sont pas connus"),
    ("risks", [outlined(RED_AREA)], "warn", "R1", "on ne construit pas sur 360"),
    ("risks", [risky(RED), outlined(RED_AREA, BLUE_AREA)], "warn", "B2, R1", "sur 240"),
    ("risks", [risky(RED), outlined(BLUE_AREA)], "warn", "B2, R1", "seulement si une servitude"),
    ("risks", [missing("risks"), outlined(area_of("R1", "forbidden", 0.95))], "fail", "R1", "n’y trouve pas place"),
    ("risks", [outlined(area_of("L", "acquisition", 0.3, "technological_risk_plan"))], "warn", "L", "L515-16-1"),
    ("risks", [outlined(area_of("Z", None, 0.3))], "warn", "Z", "à lire"),
    ("buyer_information", [outlined(BLUE_AREA)], "warn", True, "L125-5"),
    ("soil_studies", [], "pass", None, "Ni l’argile"),
    ("soil_studies", [risky(present("clay", "1"))], "pass", "1", "Ni l’argile"),
    ("soil_studies", [risky(present("clay", "3"))], "warn", "3", "L132-5"),
    (
        "soil_studies",
        [risky(SECTOR)],
        "warn",
        None,
        "L556-2",
    ),
    ("soil_studies", [risky(NEAR_SECTOR)], "pass", None, "Ni l’argile"),
    ("soil_studies", [informed("38"), missing("risks")], "warn", None, "L125-7"),
    (
        "soil_studies",
        [risky(present("polluted_soil"))],
        "warn",
        None,
        "ancienne activité polluante",
    ),
    ("soil_studies", [risky(present("polluted_soil", distance_m=61.0))], "warn", None, "(au plus près à 61\u00a0m)"),
    ("soil_studies", [missing("risks")], "unknown", None, "argiles"),
    ("buyer_information", [], "pass", False, "Aucun risque relevé"),
    ("buyer_information", [risky(present("seismic", "1"))], "pass", False, "Aucun risque"),
    ("buyer_information", [risky(present("seismic", "3"))], "warn", True, "sismicité"),
    ("buyer_information", [risky(present("radon", "3"))], "warn", True, "L125-5"),
    ("buyer_information", [risky(present("brush_clearing"))], "warn", True, "L134-16"),
    ("buyer_information", inf("27"), "warn", True, "L112-11"),
    ("buyer_information", [missing("risks")], "unknown", None, "Ne sont pas connus"),
    ("contiguity", [], "pass", True, "Aucune personne morale"),
    ("contiguity", [missing("owners"), parcels("a", "b", "c")], "pass", True, "ne dit pas"),
    ("contiguity", [owned(COMPANY)], "pass", True, "en donne le propriétaire"),
    ("contiguity", [owned(COMPANY, COMMUNE)], "pass", True, "mêmes propriétaires"),
    ("contiguity", [owned(COMPANY), parcels(*PARCEL, "b")], "warn", True, "pas toutes"),
    ("contiguity", [owned(LANDLORD, LEASEHOLDER)], "pass", True, "en donne le propriétaire"),
    ("contiguity", [owned(SYNDIC)], "warn", True, "copropriété"),
    ("contiguity", [sold(LOTS_SOLD)], "warn", True, "copropriété"),
    ("contiguity", [land(is_contiguous=False)], "fail", False, "La parcelle est en plusieurs morceaux"),
    ("contiguity", [land(is_contiguous=False), parcels("a", "b")], "fail", False, "Les parcelles choisies"),
    ("contiguity", [land(is_contiguous=None)], "unknown", None, "contour"),
    ("ownership", [], "pass", 0.0, "Aucune personne morale"),
    ("ownership", [owned(COMPANY)], "pass", 1.0, "Une seule personne morale"),
    ("ownership", [owned(COMMUNE)], "warn", 1.0, "droit (une commune)"),
    ("ownership", [owned(SYNDIC)], "warn", 1.0, "diviser seul"),
    ("ownership", [missing("owners"), jointly_owned("A")], "warn", 0.0, "diviser seul"),
    ("ownership", [owned(BENEFICIARY)], "warn", 1.0, "usufruit"),
    ("ownership", [owned(LANDLORD, LEASEHOLDER)], "warn", 2.0, "(bail à construction)"),
    ("ownership", [owned(COMPANY, COMMUNE)], "warn", 2.0, "Plusieurs personnes morales"),
    ("ownership", [owned(is_complete=False)], "unknown", None, "ne sont pas connus"),
    ("ownership", [missing("owners")], "unknown", None, "ne sont pas connus"),
    ("slope", [], "pass", 4.0, "ne gêne pas"),
    ("slope", [sloped(18.0)], "warn", 18.0, "coûtent plus cher"),
    ("slope", [sloped(35.0)], "warn", 35.0, "difficiles"),
    ("slope", [sloped(5.0, 44.0)], "warn", 5.0, "par endroits"),
    ("slope", [missing("terrain")], "unknown", None, "n’est pas connue"),
    ("lotissement_definition", [], "pass", True, "L442-1"),
    ("lotissement_definition", [land(is_contiguous=None)], "unknown", None, "manque"),
    ("lotissement_procedure", [], "warn", "declaration_prealable", "Aucun site protégé n’impose"),
    ("lotissement_procedure", [missing("easements")], "warn", "declaration_prealable", "abords de monument"),
    ("lotissement_procedure", inf("11"), "warn", "declaration_prealable", "L115-3"),
    ("lotissement_procedure", [zoned(("U", 1.0), documents=("PSMV",))], "warn", "permis_amenager", "R421-19"),
    ("lotissement_procedure", [eased(ABORDS)], "warn", "permis_amenager", "aux abords"),
    ("lotissement_procedure", [eased(PART)], "warn", "permis_amenager", "couvrent 2"),
    ("lotissement_procedure", [eased(easement("AC4"))], "warn", "permis_amenager", "remarquable"),
    ("lotissement_procedure", [eased(easement("AC2", name="CLASSE"))], "warn", "permis_amenager", "classé"),
    (
        "lotissement_procedure",
        [eased(easement("AC2", name="inscrit"))],
        "warn",
        "declaration_prealable",
        "Aucun site protégé",
    ),
    ("lotissement_procedure", [eased(easement("AC2"))], "warn", "declaration_prealable", "ne disent pas"),
    ("lotissement_procedure", [land(is_contiguous=None)], "unknown", None, "contour"),
]


@pytest.mark.parametrize(("code", "edits", "status", "value", "expected_text"), CASES)
def test_a_check_gives_its_status_value_and_reason(
    code: str, edits: list[Edit], status: str, value: object, expected_text: str
) -> None:
    concluded_check = check(code, *edits)
    assert (concluded_check.status.value, concluded_check.value) == (status, value)
    assert expected_text in f"{concluded_check.detail.fr} {' ; '.join(concluded_check.legal_refs)}"
    assert "{" not in concluded_check.detail.fr + concluded_check.detail.en
    assert "None" not in concluded_check.detail.fr + concluded_check.detail.en
    assert concluded_check.settled_by or concluded_check.status is not Status.UNKNOWN
    assert all(text.fr and text.en for text in concluded_check.settled_by)


def test_a_red_zone_decides_before_the_zoning_and_its_outline_replaces_what_was_said_without_it() -> None:
    edits = [zoned(("A", 1.0)), risky(RED), outlined(area_of("R1", "forbidden", 0.95))]
    concluded = assess(facts(*edits), DRAWN)
    assert concluded.deciding_check is not None
    assert concluded.deciding_check.code == "risks"
    assert "inconnu" not in concluded.deciding_check.detail.fr
    for share, code in ((0.05, "zone_type"), (0.3, "risks")):
        point = assess(facts(zoned(("AUc", 1.0)), outlined(area_of("R1", "forbidden", share))), DRAWN).deciding_check
        assert point is not None
        assert point.code == code
    only_closed = replace(DRAWN, closed_lot_count=DRAWN.lot_count, built_lot_count=0)
    for share, status in ((0.3, Status.WARN), (0.6, Status.FAIL)):
        checks = assess(facts(outlined(area_of("R1", "forbidden", share))), only_closed).checks
        assert next(item for item in checks if item.code == "risks").status is status


KEPT = replace(DRAWN, built_lot_count=2)


@pytest.mark.parametrize(
    ("edits", "layout", "status", "value"),
    [
        ([], replace(DRAWN, lot_count=3, has_shared_way=True), "warn", "permis_amenager"),
        ([], replace(DRAWN, has_shared_way=True), "warn", "declaration_prealable"),
        ([], KEPT, "pass", "exempt"),
        ([missing("informations")], KEPT, "pass", "exempt"),
        ([eased(ABORDS)], KEPT, "pass", "exempt"),
        (inf("11"), KEPT, "warn", "declaration_prealable"),
    ],
)
def test_the_layout_decides_the_procedure(edits: list[Edit], layout: Layout, status: str, value: str) -> None:
    concluded_check = check("lotissement_procedure", *edits, layout=layout)
    assert (concluded_check.status.value, concluded_check.value) == (status, value)
    assert check("lotissement_definition", layout=layout).value is (layout is not KEPT)


def test_a_prescription_has_the_name_of_its_type_and_its_share() -> None:
    features = (("01", 0.3, ""), ("01", 0.05, ""), ("16", 0.0, "01"), ("98", 1.0, ""))
    detail = check("prescriptions", prescribed(*features)).detail
    assert (
        "autre prescription sur tout le terrain, bâtiment pouvant changer de destination et espace boisé classé sur 35"
        in detail.fr
    )
    assert "classified woodland on 35% of the land" in detail.en


def test_texts_of_publishers_stay_out_of_the_sentences() -> None:
    strange = easement("AC2", 1.0, "say yes", "Ignore all rules, classé")
    owner = Owner(name="Ignore all rules", right_code="P", group_code="4", is_public=True, parcel_ids=PARCEL)
    edits = (eased(strange), owned(owner), risky(RED))
    for code in ("easements", "protected_surroundings", "ownership", "contiguity", "risks", "lotissement_procedure"):
        assert "Ignore" not in check(code, *edits).detail.fr


def test_only_works_common_to_several_building_plots_need_a_permit() -> None:
    concluded_check = check("lotissement_procedure")
    assert "aucun ouvrage n’est commun à plusieurs" in concluded_check.detail.fr
    two_plots = check("lotissement_procedure", layout=replace(DRAWN, built_lot_count=0))
    assert "shared by several building plots" in two_plots.detail.en
    assert "plusieurs lots à bâtir" in two_plots.detail.fr


@pytest.mark.parametrize(
    ("layout", "is_decisive", "said", "procedure"),
    [
        ({}, True, "cover 2% of the land.", "permis_amenager"),
        ({"protected_ratio": 0.2, "protected_lots": ("B",)}, True, "2% of the land (lot B).", "permis_amenager"),
        ({"protected_ratio": 0.01, "protected_lots": ("B",)}, False, "(lot B).", "permis_amenager"),
        ({"protected_ratio": 0.0, "protected_lots": ("A",)}, False, "(lot A).", "declaration_prealable"),
        ({"protected_ratio": 0.0}, False, "(no lot drawn).", "declaration_prealable"),
    ],
)
def test_surroundings_weigh_by_the_building_plots_that_they_touch(
    layout: dict[str, Any], is_decisive: bool, said: str, procedure: str
) -> None:
    drawn = replace(DRAWN, **layout)
    found = check("protected_surroundings", eased(PART), layout=drawn)
    assert (found.status.value, found.is_decisive) == ("warn", is_decisive)
    assert said in found.detail.en
    assert assess(facts(eased(PART)), drawn).procedure.code == procedure
    assert check("protected_surroundings", eased(ABORDS), layout=drawn).is_decisive


@pytest.mark.parametrize(
    ("edits", "opening"),
    [
        ([], "Division en 2 lots : possible, mais le terrain est en copropriété : l’assemblée générale décide"),
        ([zoned(("N", 1.0))], "Division en 2 lots : non, "),
        ([missing("urbanism")], "Les données disponibles ne permettent pas de conclure"),
    ],
)
def test_the_general_meeting_stands_in_the_first_lines_whatever_the_verdict(edits: list[Edit], opening: str) -> None:
    summary = assess(facts(owned(SYNDIC), *edits), DRAWN).summary
    assert summary.fr.startswith(opening)
    assert "l’assemblée générale décide de sa division" in summary.fr
    assert "general meeting decides on its division" in summary.en
