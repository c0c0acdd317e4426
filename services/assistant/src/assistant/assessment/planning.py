"""Checks on the plan: zone, lot sizes, reading of its rules, stay of decision, networks."""

from collections.abc import Sequence

from assistant.assessment import documents, legal, written_rules
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.procedure import is_lotissement
from assistant.assessment.result import Finding, Status, rule
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
_ZONE_REFS = {
    "01": legal.CARTE_COMMUNALE,
    "02": legal.SECTOR_OF_ACTIVITIES,
    "03": legal.CARTE_COMMUNALE,
    "U": legal.ZONE_U,
    "AUc": legal.ZONE_AU,
    "AUs": legal.ZONE_AU,
    "A": legal.ZONE_A,
    "Ah": legal.ZONE_A,
    "N": legal.ZONE_N,
    "Nh": legal.ZONE_N,
    "Nd": legal.ZONE_N,
}
_ZONE_NAMES = {
    "01": Text("secteur ouvert à la construction", "sector open to building"),
    "02": Text("secteur réservé aux activités", "sector reserved for activities"),
    "03": Text("secteur non ouvert à la construction", "sector not open to building"),
    "99": Text("secteur que la carte communale ne couvre pas", "sector that the carte communale does not cover"),
    "U": Text("zone urbaine", "urban zone"),
    "AUc": Text("zone à urbaniser ouverte", "open development zone"),
    "AUs": Text("zone à urbaniser fermée", "closed development zone"),
    "A": Text("zone agricole", "agricultural zone"),
    "Ah": Text("secteur bâti de zone agricole", "built sector of an agricultural zone"),
    "N": Text("zone naturelle", "natural zone"),
    "Nh": Text("secteur bâti de zone naturelle", "built sector of a natural zone"),
    "Nd": Text("secteur de zone naturelle", "sector of a natural zone"),
}


@rule(
    legal_refs=(
        legal.ZONE_U,
        legal.ZONE_AU,
        legal.ZONE_A,
        legal.ZONE_N,
        legal.CARTE_COMMUNALE,
        legal.SECTOR_OF_ACTIVITIES,
        legal.RNU_BUILT_UP,
    ),
    weight=4,
    settled_by=("gpu-zones", documents.CERTIFICATE),
    is_decisive=True,
)
def zone_type(facts: LandFacts, layout: Layout) -> Finding:
    """Which share of the unit is in zones open to building (U, AUc; sector 01 of a carte communale)?"""
    urbanism = facts.urbanism
    if urbanism is None:
        return _unknown_zone(tell("zone_type.missing", why=facts.why_missing("urbanism")))
    if urbanism.is_rnu and urbanism.zones:
        return _unknown_zone(tell("zone_type.contradiction"))
    if urbanism.is_rnu:
        return Finding(Status.WARN, tell("zone_type.no_plan"), "RNU", None, None, (legal.RNU_BUILT_UP,))
    if all(_kind(zone) in _UNTOLD for zone in urbanism.zones):
        if not facts.is_carte_communale:
            return _unknown_zone(tell("zone_type.unknown"))
        labels = [Text(label, label) for label in map(plain_label, urbanism.zones)]
        return _unknown_zone(tell("zone_type.unknown_sector", names=listed(labels)), legal.CARTE_COMMUNALE)
    return _zoned(urbanism.zones, is_complete=facts.is_complete("urbanism"))


def _unknown_zone(detail: Text, *refs: str) -> Finding:
    return Finding(Status.UNKNOWN, detail, None, OPEN_RATIO, "ratio", refs)


def _zoned(zones: Sequence[land_pb2.PlanningZone], *, is_complete: bool) -> Finding:
    kinds = {_kind(zone) for zone in zones}
    ranked = sorted(zones, key=lambda zone: (-zone.overlap_ratio, zone.label))
    open_share = min(1.0, sum(zone.overlap_ratio for zone in zones if _kind(zone) in _OPEN))
    refs = tuple(dict.fromkeys(_ZONE_REFS[_kind(zone)] for zone in ranked if _kind(zone) in _ZONE_REFS))
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
    share = share_of_land(zone.overlap_ratio)
    return say("{name} {label} ({share})", "{name} {label} ({share})", name=name, label=plain_label(zone), share=share)


def plain_label(zone: land_pb2.PlanningZone) -> str:
    """A zone's local name, made safe for a sentence. The field is free text; the standard allows 12 characters."""
    return "".join(c for c in zone.label if c.isalnum() or c in "-/'").strip()[:12]


@rule(legal_refs=(legal.ALUR,), weight=1, settled_by=("cadastre-parcels",))
def minimum_lot_size(facts: LandFacts, layout: Layout) -> Finding:
    """How large is the average lot? Never fails: the ALUR law ended minimum lot sizes in local plans."""
    if facts.area_m2 is None:
        detail = tell("minimum_lot_size.no_minimum", "minimum_lot_size.unknown")
        return Finding(Status.UNKNOWN, detail, None, SMALL_LOT_M2, "m²")
    if layout.project.is_for_neighbour:
        return Finding(Status.PASS, tell("minimum_lot_size.no_minimum"), None, SMALL_LOT_M2, "m²")
    average = facts.area_m2 / layout.lot_count
    is_small = average < SMALL_LOT_M2
    remark = "minimum_lot_size.limited" if is_small else "minimum_lot_size.no_question"
    law, refs = ((), ()) if facts.has_national_rules else (("minimum_lot_size.no_minimum",), (legal.ALUR,))
    status = Status.WARN if is_small else Status.PASS
    return Finding(status, tell(*law, remark, average=area(average)), round(average, 1), SMALL_LOT_M2, "m²", refs)


@rule(legal_refs=(legal.PROJECT_READING,), weight=1, settled_by=("gpu-zones", documents.REGULATION))
def project_reading(facts: LandFacts, layout: Layout) -> Finding:
    """Do the plan's rules apply to the whole lotissement or to each lot? The law decides, unless the plan objects."""
    if facts.has_national_rules or not is_lotissement(layout):
        return Finding(Status.PASS, tell("project_reading.no_question"), legal_refs=())
    detail = join([*written_rules.sentences(facts, layout.project)])
    if facts.urbanism is None:
        return Finding(Status.UNKNOWN, detail)
    return Finding(Status.WARN, detail, settled_by=(documents.REGULATION,))


@rule(
    legal_refs=(legal.MOUNTAIN, legal.COAST),
    weight=1,
    settled_by=("loi-montagne", "loi-littoral", documents.CERTIFICATE),
)
def mountain_and_coast(facts: LandFacts, layout: Layout) -> Finding:
    """Does a law on mountains or coasts apply? Whether the land continues what is built is not known."""
    communes = facts.unit.land.commune_rules
    mountain, coast = {rule.mountain_law for rule in communes}, {rule.coast_law for rule in communes}
    keys, refs = [], []
    if not mountain.isdisjoint(("whole", "part")):
        keys.append("mountain_and_coast.mountain" if "whole" in mountain else "mountain_and_coast.mountain_in_part")
        refs.append(legal.MOUNTAIN)
    if not coast.isdisjoint(("whole", "part")):
        keys.append("mountain_and_coast.coast")
        refs.append(legal.COAST)
    if keys:
        detail = tell(*keys, "mountain_and_coast.to_be_checked")
        return Finding(Status.WARN, detail, value=True, legal_refs=tuple(refs), settled_by=(documents.CERTIFICATE,))
    if mountain == coast == {"none"}:
        return Finding(Status.PASS, tell("mountain_and_coast.none"), value=False)
    return Finding(Status.UNKNOWN, tell("mountain_and_coast.unknown"))


@rule(
    legal_refs=(legal.STAY_OF_DECISION, legal.PLAN_UNDER_WAY, legal.CERTIFICATE),
    weight=1,
    settled_by=("gpu-informations", documents.CERTIFICATE),
)
def stay_of_decision(facts: LandFacts, layout: Layout) -> Finding:
    """Can the authority postpone its decision: is there an area of stay, or a plan under way?"""
    has_area, plans = facts.has_information(STAY_OF_DECISION), facts.plans_under_way
    settled_by = (documents.CERTIFICATE,)
    if has_area:
        refs = (legal.STAY_OF_DECISION, legal.CERTIFICATE)
        return Finding(Status.WARN, tell("stay_of_decision.area"), legal_refs=refs, settled_by=settled_by)
    if plans:
        names = listed([say("« {name} »", "“{name}”", name=plan) for plan in plans])
        detail = tell("stay_of_decision.under_way", names=names)
        return Finding(Status.WARN, detail, value=True, settled_by=settled_by)
    if has_area is None:
        return Finding(Status.UNKNOWN, tell("stay_of_decision.pending"))
    if plans is not None:
        return Finding(Status.PASS, tell("stay_of_decision.none_under_way"), value=False)
    return Finding(Status.WARN, tell("stay_of_decision.pending"), value=False, settled_by=settled_by)


@rule(
    legal_refs=(legal.NETWORKS, legal.CERTIFICATE, legal.SANITATION_ZONES),
    weight=1,
    settled_by=(documents.OPERATIONAL_CERTIFICATE, documents.NETWORK_OPERATORS),
)
def networks(facts: LandFacts, layout: Layout) -> Finding:
    """Is the land connected to water, drainage and power? The data has sanitation zones only."""
    refs: tuple[str, ...] = (legal.NETWORKS, legal.CERTIFICATE)
    if not facts.has_information(SANITATION):
        return Finding(Status.UNKNOWN, tell("networks.unknown"), legal_refs=refs)
    detail = tell("networks.unknown", "networks.sanitation_zone")
    return Finding(Status.UNKNOWN, detail, legal_refs=(*refs, legal.SANITATION_ZONES))
