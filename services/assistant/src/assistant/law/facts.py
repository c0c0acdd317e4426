"""The facts of a parcel that may decide a card, each as one of a few values."""

import re
from collections.abc import Callable, Mapping

from assistant.assessment.easements import is_free_of_protection
from assistant.assessment.facts import LandFacts
from assistant.assessment.informations import URBAN_PRE_EMPTION
from assistant.assessment.land_unit import STEEP_PERCENT, VERY_STEEP_PERCENT
from assistant.assessment.ownership import is_joint_ownership
from assistant.assessment.planning import OPEN_RATIO
from assistant.assessment.procedure import DECLARATION, PERMIT, examination_months
from assistant.assessment.result import Assessment
from assistant.division.measure import SHED_M2
from assistant.division.proposal import Division
from landpartner.land.v1 import land_pb2

VALUES: Mapping[str, frozenset[str]] = {
    "zone": frozenset({"u", "au", "a", "n", "rnu"}),
    "procedure": frozenset({"none", "declaration", "permit"}),
    "examination": frozenset(f"months_{count}" for count in range(5)),
    "protected": frozenset({"yes", "no", "unknown"}),
    "house": frozenset({"yes", "no"}),
    "farmed": frozenset({"yes", "no"}),
    "owner": frozenset({"company", "joint_ownership", "public", "unknown"}),
    "road": frozenset({"touches", "none"}),
    "flood": frozenset({"yes", "no"}),
    "clay": frozenset({"strong", "medium", "low"}),
    "slope": frozenset({"flat", "steep"}),
    "new_way": frozenset({"yes", "no"}),
    "town_pre_emption": frozenset({"yes", "no", "unknown"}),
    "pool": frozenset({"yes", "no"}),
}
"""The facts, with their values. The owner is unknown if no legal person is in the file."""

Value = str | None
"""One of the fact in VALUES; None if nothing is known."""


def _yes_or_no(is_true: bool | None) -> Value:
    return None if is_true is None else "yes" if is_true else "no"


_ZONES = {"U": "u", "AUc": "au", "AUs": "au", "A": "a", "Ah": "a", "N": "n", "Nh": "n", "Nd": "n"}


def _zone(facts: LandFacts) -> Value:
    """The zone of all the land; None if it is in several."""
    if facts.urbanism is None:
        return None
    kinds = {_ZONES.get(zone.zone_type) for zone in facts.urbanism.zones}
    share = sum(zone.overlap_ratio for zone in facts.urbanism.zones)
    if facts.urbanism.is_rnu and not kinds:
        return "rnu"
    return kinds.pop() if len(kinds) == 1 and share >= OPEN_RATIO else None


def _owner(facts: LandFacts) -> Value:
    if is_joint_ownership(facts):
        return "joint_ownership"
    if facts.owners:
        return "public" if any(owner.is_public for owner in facts.owners) else "company"
    return "unknown"


def _house(facts: LandFacts) -> Value:
    """A building that is larger than a shed counts as a house. Of several, the size of some may not be known."""
    buildings = facts.buildings
    if buildings is None:
        return None
    sizes = [item.footprint_m2 for item in buildings.items if item.HasField("footprint_m2")]
    sizes += [buildings.footprint_area_m2] if buildings.count == 1 else []
    if any(size >= SHED_M2 for size in sizes):
        return "yes"
    return "no" if len(sizes) >= buildings.count else None


_OF_FLOODS = re.compile("inond|ppri|submersion|crue", re.IGNORECASE)


def _flood(facts: LandFacts) -> Value:
    """Whether a regulated zone of a plan against floods touches the land. The plan's name tells what it is against."""
    plan = facts.risk("natural_risk_plan")
    is_zoned = any(finding.zones and _OF_FLOODS.search(finding.name) for finding in plan.findings)
    is_free = plan.status == "none" or (plan.level == "no_zone" and not any(item.zones for item in plan.findings))
    return "yes" if is_zoned else "no" if is_free else None


def _slope(facts: LandFacts) -> Value:
    terrain = facts.terrain
    if terrain is None or not terrain.HasField("mean_slope_percent"):
        return None
    is_steep = terrain.mean_slope_percent >= STEEP_PERCENT or terrain.max_slope_percent >= VERY_STEEP_PERCENT
    return "steep" if is_steep else "flat"


def _farmed(facts: LandFacts) -> Value:
    if facts.unit.land.farmed_land:
        return "yes"
    is_covered = any(
        item.dataset == "rpg" and item.status == land_pb2.COVERAGE_STATUS_COVERED for item in facts.unit.coverage
    )
    return "no" if is_covered else None


def _road(facts: LandFacts) -> Value:
    return None if facts.frontage_m is None else "touches" if facts.frontage_m > 0 else "none"


def _protected(facts: LandFacts) -> Value:
    is_free = is_free_of_protection(facts)
    return "unknown" if is_free is None else _yes_or_no(not is_free)


def _clay(facts: LandFacts) -> Value:
    clay = facts.risk("clay")
    levels = {"1": "low", "2": "medium", "3": "strong"}
    return "low" if clay.status == "none" else levels.get(clay.level) if clay.status == "present" else None


_OF_LAND: Mapping[str, Callable[[LandFacts], Value]] = {
    "zone": _zone,
    "protected": _protected,
    "house": _house,
    "farmed": _farmed,
    "owner": _owner,
    "road": _road,
    "flood": _flood,
    "clay": _clay,
    "slope": _slope,
    "town_pre_emption": lambda facts: _yes_or_no(facts.has_information(URBAN_PRE_EMPTION)) or "unknown",
}
_PROCEDURES = {"exempt": "none", DECLARATION: "declaration", PERMIT: "permit"}


def value_of(fact: str, facts: LandFacts, assessment: Assessment, division: Division) -> Value:
    """The value of the fact on this land; None if it is not known. No dataset tells of pools."""
    if fact == "procedure":
        return _PROCEDURES.get(assessment.procedure.code)
    if fact == "examination" and assessment.procedure.code in _PROCEDURES:
        return f"months_{examination_months(assessment.procedure.code, facts)}"
    if fact == "new_way":
        layout = division.layout()
        return _yes_or_no(layout.has_shared_way) if layout.is_drawn else None
    return _OF_LAND[fact](facts) if fact in _OF_LAND else None
