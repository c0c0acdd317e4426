"""A land unit on which every check of the assessment is known, and one layout of it."""

from typing import Any

from assistant.assessment.assess import assess
from assistant.assessment.easements import KEY_CATEGORIES
from assistant.assessment.facts import (
    Buildings,
    Easement,
    Easements,
    LandFacts,
    Layout,
    Median,
    PlanFeature,
    Register,
    Sale,
    Sales,
    Terrain,
    Urbanism,
    Zone,
)
from assistant.assessment.result import Check
from assistant.assessment.risk_facts import Risk, RiskFinding, Risks

SUBJECTS = (
    "clay", "cavity", "landslide", "polluted_soil", "soil_information_sector", "classified_installation", "radon",
    "seismic", "flood_territory", "brush_clearing", "natural_risk_plan", "technological_risk_plan", "mining_risk_plan",
)  # fmt: skip
PUBLISHED = frozenset({*KEY_CATEGORIES, "AC1", "AC2", "AC4"})


def zoned(*zones: tuple[str | None, float], **more: Any) -> Urbanism:
    zone_list = tuple(Zone(f"Z{index}", zone_type, share) for index, (zone_type, share) in enumerate(zones))
    plan: dict[str, Any] = {"zones": zone_list, "prescriptions": (), "is_rnu": False, "document_types": ("PLU",)}
    return Urbanism(**{**plan, "informations": (), "has_all_informations": True, **more})


def sectors(*shares: tuple[str | None, float], **more: Any) -> Urbanism:
    """The sectors of a carte communale."""
    zones = tuple(Zone(f"Z{index}", None, share, sector) for index, (sector, share) in enumerate(shares))
    return zoned(**{"zones": zones, "document_types": ("CC",), **more})


def prescribed(*features: PlanFeature, **more: Any) -> Urbanism:
    return zoned(("U", 1.0), prescriptions=features, **more)


def informed(*types: str, **more: Any) -> Urbanism:
    return zoned(
        ("U", 1.0), informations=tuple(PlanFeature(information_type, None) for information_type in types), **more
    )


def eased(*easements: Easement, published: frozenset[str] = PUBLISHED) -> Easements:
    return Easements(easements, published)


def risky(**risks: Risk) -> Risks:
    """Risks that are all known: those given, and no others."""
    return Risks({subject: risks.get(subject, Risk(subject, "none")) for subject in SUBJECTS})


def present(
    subject: str,
    level: str | None = None,
    zones: tuple[str, ...] = (),
    labels: tuple[str, ...] = (),
    distance_m: float | None = None,
) -> Risk:
    finding = RiskFinding("x", distance_m=distance_m, zones=zones, zone_labels=labels)
    return Risk(subject, "present", level, findings=(finding,))


GOOD = LandFacts(
    parcel_ids=("45234000AB0012",),
    cadastral_area_m2=1200.0,
    geometric_area_m2=1198.0,
    frontage_m=24.0,
    is_contiguous=True,
    is_surveyed=True,
    urbanism=zoned(("U", 1.0)),
    buildings=Buildings(1, 120.0, 0.1),
    sales=Sales((Sale("2021-03-01", 250_000.0, 1),), Median(2500.0)),
    easements=eased(),
    risks=risky(),
    owners=Register(()),
    joint_ownerships=Register(()),
    terrain=Terrain(120.0, 4.0, 9.0),
)
DRAWN = Layout(2, is_drawn=True, built_lot_count=1, is_bare=False)
RNU = zoned(is_rnu=True, document_types=())


def check(code: str, facts: LandFacts, layout: Layout = DRAWN) -> Check:
    return next(concluded_check for concluded_check in assess(facts, layout).checks if concluded_check.code == code)
