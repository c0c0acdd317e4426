"""Checks on the plan: zone, lot sizes, reading of its rules, stay of decision, networks."""

from collections.abc import Sequence
from functools import partial

from assistant.assessment import official_codes, written_rules
from assistant.assessment.articles import named
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.procedure import is_lotissement
from assistant.assessment.result import Finding, Status, found, rule, settling
from assistant.assessment.sentences import tell
from assistant.text import area, join, listed, percent, say, share_of_land
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

OPEN_RATIO = 0.99
"""A zone with this share counts as covering the unit, since outlines of parcels and zones differ by centimetres."""
SMALL_LOT_M2 = 300.0
"""Below this average, rules on footprint, setback and planting limit a lot more than its area. A usual figure."""

STAY_OF_DECISION, SANITATION = "12", "19"
"""Types of informations (TYPEINF): areas where decisions may be put off, and sanitation zones."""


_OPEN = ("U", "AUc", "01")
_UNTOLD = ("", "99")
"""Kinds that do not say whether building is allowed: an unknown type, or outside the carte communale."""
_ZONE_REFS = official_codes.legal_refs("zone_type")
_ZONE_NAMES = official_codes.texts("zone_type", "names")


@rule
def zone_type(facts: LandFacts, layout: Layout) -> Finding:
    """Which share of the unit is in zones open to building (U, AUc; sector 01 of a carte communale)?"""
    urbanism, unknown = facts.urbanism, partial(found, Status.UNKNOWN, threshold=OPEN_RATIO, unit="ratio")
    if urbanism is None:
        return unknown("zone_type.missing", why=facts.why_missing("urbanism"))
    if urbanism.is_rnu and urbanism.zones:
        return unknown("zone_type.contradiction")
    if urbanism.is_rnu:
        return found(Status.WARN, "zone_type.no_plan", value="RNU")
    if all(_kind(zone) in _UNTOLD for zone in urbanism.zones):
        if not facts.is_carte_communale:
            return unknown("zone_type.unknown")
        labels = [Text(label, label) for label in map(plain_label, urbanism.zones)]
        return unknown("zone_type.unknown_sector", names=listed(labels))
    return _zoned(urbanism.zones, is_complete=facts.is_complete("urbanism"))


def _zoned(zones: Sequence[land_pb2.PlanningZone], *, is_complete: bool) -> Finding:
    kinds = {_kind(zone) for zone in zones}
    ranked = sorted(zones, key=lambda zone: (-zone.overlap_ratio, zone.label))
    open_share = min(1.0, sum(zone.overlap_ratio for zone in zones if _kind(zone) in _OPEN))
    refs = tuple(dict.fromkeys(ref for zone in ranked for ref in _ZONE_REFS.get(_kind(zone), ())))
    if open_share < OPEN_RATIO and not (is_complete and kinds.isdisjoint(_UNTOLD)):
        status, remark = Status.UNKNOWN, "zone_type.rest_unknown"
    elif open_share < 1 - OPEN_RATIO:
        status, remark = _closed(kinds)
    elif open_share < OPEN_RATIO:
        status, remark = Status.WARN, "zone_type.open_in_part"
    elif "AUc" in kinds:
        status, remark = Status.WARN, "zone_type.open_on_terms"
    else:
        status, remark = Status.PASS, "zone_type.open"
    detail = tell("zone_type.zones", remark, names=listed([_named(zone) for zone in ranked]), share=percent(open_share))
    return Finding(status, detail, round(open_share, 3), OPEN_RATIO, "ratio", refs)


def _closed(kinds: set[str]) -> tuple[Status, str]:
    """What is said of zones that are all closed to ordinary building."""
    if kinds & {"Ah", "Nh"}:
        return Status.WARN, "zone_type.limited_building"
    if "02" in kinds:
        return Status.WARN, "zone_type.activities_only"
    if kinds <= {"03"}:
        return Status.FAIL, "zone_type.closed_sector"
    return Status.FAIL, "zone_type.closed_development_zone" if kinds <= {"AUs"} else "zone_type.closed"


def _kind(zone: land_pb2.PlanningZone) -> str:
    """The type of the zone or of the sector of a carte communale. It decides whether building is allowed."""
    return zone.zone_type or zone.sector_type


def _named(zone: land_pb2.PlanningZone) -> Text:
    name = _ZONE_NAMES.get(_kind(zone), Text("zone de type inconnu", "zone of unknown type"))
    share = zone.overlap_ratio
    key = "{name} {label}" if round(share, 2) >= 1 else "{name} {label} ({share})"
    return say(key, key, name=name, label=plain_label(zone), share=share_of_land(share))


def plain_label(zone: land_pb2.PlanningZone) -> str:
    """A zone's local name, made safe for a sentence. The field is free text; the standard allows 12 characters."""
    return "".join(c for c in zone.label if c.isalnum() or c in "-/'").strip()[:12]


@rule
def minimum_lot_size(facts: LandFacts, layout: Layout) -> Finding:
    """How large is the average lot? Never fails: the ALUR law ended minimum lot sizes in local plans."""
    lot_size = partial(found, threshold=SMALL_LOT_M2, unit="m²")
    if facts.area_m2 is None:
        return lot_size(Status.UNKNOWN, "minimum_lot_size.no_minimum", "minimum_lot_size.unknown")
    if layout.project.is_for_neighbour:
        return lot_size(Status.PASS, "minimum_lot_size.no_minimum")
    average = facts.area_m2 / layout.lot_count
    is_small = average < SMALL_LOT_M2
    return lot_size(
        Status.WARN if is_small else Status.PASS,
        *([] if facts.has_national_rules else ["minimum_lot_size.no_minimum"]),
        "minimum_lot_size.limited" if is_small else "minimum_lot_size.no_question",
        value=round(average, 1),
        average=area(average),
    )


@rule
def project_reading(facts: LandFacts, layout: Layout) -> Finding:
    """Do the plan's rules apply to the whole lotissement or to each lot? The law decides, unless the plan objects."""
    if facts.has_national_rules or not is_lotissement(layout):
        return found(Status.PASS, "project_reading.no_question")
    deciding, refs = [*written_rules.deciding(facts, layout)], named("project_reading")
    detail = join([*deciding, *written_rules.sentences(facts, layout)])
    if facts.urbanism is None:
        return Finding(Status.UNKNOWN, detail, legal_refs=refs)
    return Finding(
        Status.WARN, detail, float(len(deciding)) or None, legal_refs=refs, settled_by=settling("document.regulation")
    )


@rule
def mountain_and_coast(facts: LandFacts, layout: Layout) -> Finding:
    """Does a law on mountains or coasts apply? Whether the land continues what is built is not known."""
    communes = facts.unit.land.commune_rules
    mountain, coast = {rule.mountain_law for rule in communes}, {rule.coast_law for rule in communes}
    keys = []
    if not mountain.isdisjoint(("whole", "part")):
        keys.append("mountain_and_coast.mountain" if "whole" in mountain else "mountain_and_coast.mountain_in_part")
    if not coast.isdisjoint(("whole", "part")):
        keys.append("mountain_and_coast.coast")
    if keys:
        keys.append("mountain_and_coast.to_be_checked")
        return found(Status.WARN, *keys, value=True, settled_by=("document.certificate",))
    if mountain == coast == {"none"}:
        return found(Status.PASS, "mountain_and_coast.none", value=False)
    return found(Status.UNKNOWN, "mountain_and_coast.unknown")


@rule
def stay_of_decision(facts: LandFacts, layout: Layout) -> Finding:
    """Can the authority postpone its decision: is there an area of stay, or a plan under way?"""
    has_area, plans = facts.has_information(STAY_OF_DECISION), facts.plans_under_way
    warned = partial(found, Status.WARN, settled_by=("document.certificate",))
    if has_area:
        return warned("stay_of_decision.area")
    if plans:
        names = listed([say("« {name} »", "“{name}”", name=plan) for plan in plans])
        return warned("stay_of_decision.under_way", value=True, names=names)
    if has_area is None:
        return found(Status.UNKNOWN, "stay_of_decision.pending")
    if plans is not None:
        return found(Status.PASS, "stay_of_decision.none_under_way", value=False)
    return warned("stay_of_decision.pending", value=False)


@rule
def networks(facts: LandFacts, layout: Layout) -> Finding:
    """Is the land connected to water, drainage and power? The data has sanitation zones only."""
    zones = ["networks.sanitation_zone"] if facts.has_information(SANITATION) else []
    return found(Status.UNKNOWN, "networks.unknown", *zones)
