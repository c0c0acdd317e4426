"""Checks on risks: prevention plans and hazards, soil studies, and what a seller states."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assistant.assessment.articles import named, of_sentences
from assistant.assessment.facts import CLOSED_RATIO, LandFacts, Layout, is_red, is_within, zones_of
from assistant.assessment.procedure import keeps_only_built_lots
from assistant.assessment.result import Finding, Status, found, rule, settling
from assistant.assessment.sentences import tell
from assistant.text import area, join, listed, metres, percent
from landpartner.land.v1.land_pb2 import Risk, RiskZone
from servicekit.languages import Text

LARGE_RATIO = 0.1
"""Red zones on this share of the unit decide before the zoning."""
MOST_RATIO = 0.5
"""Where nothing may be built on any new lot, red zones on this share of the unit count as the reason."""
STATED_SEISMIC_LEVELS = ("2", "3", "4", "5")
STATED_RADON_LEVEL = "3"
NEARBY_M = 100.0
"""A cavity, a ground movement or a polluted site within this distance is to be studied. Our assumption."""
DRAFT_RISK_PLAN, SOIL_SECTOR, AIRPORT_NOISE = "21", "38", "27"
"""Types of informations (TYPEINF)."""

_PLANS = {
    "natural_risk_plan": Text("plan de prévention des risques naturels", "natural risk prevention plan"),
    "technological_risk_plan": Text(
        "plan de prévention des risques technologiques", "technological risk prevention plan"
    ),
    "mining_risk_plan": Text("plan de prévention des risques miniers", "mining risk prevention plan"),
}
_ARTICLES = {
    "natural_risk_plan": "natural_risk_plans",
    "technological_risk_plan": "technological_risk_plans",
    "mining_risk_plan": "natural_risk_plans",
}
_PLAN_EASEMENTS = ("PM1", "PM3")
_HAZARDS = {
    "flood_territory": Text("territoire à risque important d’inondation", "territory of high flood risk"),
    "cavity": Text("cavité souterraine", "underground cavity"),
    "landslide": Text("mouvement de terrain", "ground movement"),
}
_NAMES = {
    **_PLANS,
    **_HAZARDS,
    "clay": Text("argiles", "clay"),
    "soil_information_sector": Text("secteur d’information sur les sols", "soil information sector"),
    "polluted_soil": Text("sols pollués", "polluted soil"),
    "seismic": Text("sismicité", "seismic zone"),
    "radon": Text("radon", "radon"),
    "brush_clearing": Text("débroussaillement", "brush clearing"),
}


@rule
def risks(facts: LandFacts, layout: Layout) -> Finding:
    """Do prevention plans forbid or limit building, and which hazards are known?"""
    outlines = facts.risk_zones or ()
    plans = [plan for plan in map(facts.risk, _PLANS) if plan.status == "present" and not _is_drawn(plan, outlines)]
    inside, outside = [p for p in plans if not _is_outside(p)], [p for p in plans if _is_outside(p)]
    hazards = [risk for risk in map(facts.risk, _HAZARDS) if is_within(risk, NEARBY_M)]
    share = _plan_share(facts) if plans and all(_forbids_everywhere(plan) for plan in plans) else 0.0
    red_ratio = sum(zone.overlap_ratio for zone in outlines if is_red(zone))
    closing = {
        "risks.plan_share": share >= CLOSED_RATIO,
        "risks.no_room": red_ratio >= CLOSED_RATIO or (red_ratio >= MOST_RATIO and layout.has_only_closed_lots),
    }
    limiting = {"risks.hazards": bool(hazards), "risks.draft_plan": facts.has_information(DRAFT_RISK_PLAN)}
    sentences = {"risks.zones_not_drawn": any(map(zones_of, plans)), **closing, **limiting}
    keys = [key for key, is_said in sentences.items() if is_said]
    missing = set(_unknown(facts, (*_PLANS, *_HAZARDS))) - {zone.subject for zone in outlines}
    if any(closing.values()):
        status = Status.FAIL
    elif outlines or inside or any(limiting.values()):
        status = Status.WARN
    else:
        status = Status.UNKNOWN if missing else Status.PASS
    said = tell(
        *keys, share=percent(min(1.0, share)), distance=metres(NEARBY_M), names=listed([*map(_with_distance, hazards)])
    )
    parts = [*_drawn_zones(outlines), *map(_plan, inside), *([said] if keys else []), *map(_plan, outside)]
    parts += [_not_known([subject for subject in _NAMES if subject in missing], facts)] if missing else []
    zones = sorted({zone for plan in plans for zone in zones_of(plan)} | {zone.code for zone in outlines})
    subjects = [zone.subject for zone in outlines] + [plan.subject for plan in plans]
    settled = settling("document.risk_regulation" if plans or outlines else "document.risk_statement")
    return Finding(
        status,
        join(parts or [tell("risks.none")]),
        ", ".join(zones) or None,
        legal_refs=named(*(_ARTICLES[subject] for subject in subjects)) + of_sentences(keys),
        settled_by=settled if status in (Status.WARN, Status.FAIL) else (),
        precedes_zoning=red_ratio >= LARGE_RATIO,
    )


def _is_drawn(plan: Risk, outlines: Sequence[RiskZone]) -> bool:
    """Whether the outlines tell all that is said of the plan: its zones on the land, or all plans of the commune."""
    if zones := zones_of(plan):
        return zones.keys() <= {zone.code for zone in outlines if zone.subject == plan.subject}
    plan_ids = {zone.plan_id for zone in outlines}
    return bool(plan.findings) and all(finding.id in plan_ids for finding in plan.findings)


def _drawn_zones(outlines: Sequence[RiskZone]) -> Iterator[Text]:
    """A sentence for each kind of zone of each kind of plan, red zones first."""
    for key in ("risks.drawn_red", "risks.drawn_other", "risks.drawn_unread"):
        for subject, name in _PLANS.items():
            zones = [zone for zone in outlines if (zone.subject, _drawn_key(zone)) == (subject, key)]
            if zones:
                yield tell(
                    key,
                    zones=_codes(list(dict.fromkeys(zone.code for zone in zones))),
                    name=name,
                    area=area(sum(zone.overlap_area_m2 for zone in zones)),
                    share=percent(min(1.0, sum(zone.overlap_ratio for zone in zones))),
                )


def _drawn_key(zone: RiskZone) -> str:
    if is_red(zone):
        return "risks.drawn_red"
    return "risks.drawn_other" if zone.regulation else "risks.drawn_unread"


def _plan(plan: Risk) -> Text:
    name = _PLANS[plan.subject]
    if zones := zones_of(plan):
        red = [zone for zone, label in zones.items() if _is_red(zone, label)]
        other = [zone for zone in zones if zone not in red]
        keys = ["risks.red_zone"] if red else []
        keys += ["risks.other_zone"] if other else []
        return tell(*keys, red=_codes(red), other=_codes(other), name=name)
    return tell("risks.no_zone" if _is_outside(plan) else "risks.unknown_zone", name=name)


def _is_outside(plan: Risk) -> bool:
    return plan.level == "no_zone" and not zones_of(plan)


def _is_red(zone: str, label: str) -> bool:
    """The label tells or, by custom, the letter: R and r forbid, B, b and other letters set conditions."""
    words = label.lower()
    if "interdi" in words or "prescri" in words:
        return "interdi" in words
    return zone[:1] in ("R", "r")


def _codes(zones: Sequence[str]) -> Text:
    """The codes, made safe for a sentence."""
    plain = ["".join(c for c in zone if c.isalnum() or c in "-_'")[:12] for zone in zones]
    return listed([Text(zone, zone) for zone in plain])


def _forbids_everywhere(plan: Risk) -> bool:
    zones = zones_of(plan)
    return bool(zones) and all(_is_red(zone, label) for zone, label in zones.items())


def _plan_share(facts: LandFacts) -> float:
    easements = facts.easements or ()
    return max((item.overlap_ratio for item in easements if item.category in _PLAN_EASEMENTS), default=0.0)


def _unknown(facts: LandFacts, subjects: Iterable[str]) -> list[str]:
    return [subject for subject in subjects if facts.risk(subject).status not in ("present", "none")]


def _named(named_risks: Iterable[Risk]) -> Text:
    return listed([_NAMES[risk.subject] for risk in named_risks])


def _with_distance(risk: Risk) -> Text:
    return join([_NAMES[risk.subject], _nearest(risk)], "")


def _nearest(risk: Risk) -> Text:
    """How far the nearest site of the risk is; empty if that is not given."""
    distances_m = [finding.distance_m for finding in risk.findings if finding.HasField("distance_m")]
    if not distances_m:
        return Text("", "")
    nearest_m = round(min(distances_m))
    return tell("risks.nearest" if nearest_m else "risks.on_land", nearest=metres(nearest_m))


def _not_known(subjects: Sequence[str], facts: LandFacts) -> Text:
    names = [_NAMES[subject] for subject in subjects]
    if set(subjects) >= _PLANS.keys():
        other_names = [_NAMES[subject] for subject in subjects if subject not in _PLANS]
        names = [Text("plans de prévention des risques", "risk prevention plans"), *other_names]
    return tell("risks.not_known", names=listed(names), why=facts.why_missing("risks"))


_CLAY_LEVELS = {"2": Text("moyenne", "moderate"), "3": Text("forte", "high")}
"""Exposures to the shrinking and swelling of clay for which a soil study is due at the sale."""


@rule
def soil_studies(facts: LandFacts, layout: Layout) -> Finding:
    """Is a study of the soil due, for clay at the sale or for pollution in the application?"""
    clay, is_sector = facts.risk("clay"), is_within(facts.risk("soil_information_sector"), 0)
    level = _CLAY_LEVELS.get(clay.level) if clay.status == "present" else None
    sentences = {
        "soil_studies.clay": level and not (keeps_only_built_lots(layout) or layout.has_only_closed_lots),
        "soil_studies.sector": is_sector or facts.has_information(SOIL_SECTOR),
        "soil_studies.pollution": is_within(facts.risk("polluted_soil"), NEARBY_M),
    }
    said = found(
        Status.WARN,
        *(key for key, is_due in sentences.items() if is_due),
        value=clay.level or None,
        settled_by=("document.risk_statement",),
        level=level,
        distance=metres(NEARBY_M),
        nearest=_nearest(facts.risk("polluted_soil")),
    )
    missing = _unknown(facts, ("clay", "soil_information_sector", "polluted_soil"))
    return _with_missing(facts, said, missing) or found(Status.PASS, "soil_studies.none", value=clay.level or None)


@rule
def buyer_information(facts: LandFacts, layout: Layout) -> Finding:
    """Must the seller give the buyer a statement of risks (état des risques)?"""
    zoned = {zone.subject for zone in facts.risk_zones or ()}
    due = [risk for subject in _STATED if _is_stated(risk := facts.risk(subject)) or subject in zoned]
    of_commune = [risk for risk in map(facts.risk, _PLANS) if _is_plan_of_commune(risk) and risk not in due]
    sentences = {
        "buyer_information.statement": due,
        "buyer_information.plan_of_commune": of_commune,
        "buyer_information.brush": facts.risk("brush_clearing").status == "present",
        "buyer_information.airport_noise": facts.has_information(AIRPORT_NOISE),
    }
    said = found(
        Status.WARN,
        *(key for key, is_due in sentences.items() if is_due),
        value=True,
        settled_by=("document.risk_statement",),
        names=_named(due),
        plans=_named(of_commune),
    )
    unknown = _with_missing(facts, said, _unknown(facts, _STATED), "risk_statement")
    return unknown or found(Status.PASS, "buyer_information.none", value=False)


def _with_missing(facts: LandFacts, said: Finding, missing: Sequence[str], *articles: str) -> Finding | None:
    """What is said and what is not known; what is not known alone, with these articles; None if there is neither."""
    unknown = [_not_known(missing, facts)] if missing else []
    if said.detail.fr:
        return replace(said, detail=join([said.detail, *unknown]))
    return Finding(Status.UNKNOWN, unknown[0], legal_refs=named(*articles)) if unknown else None


_STATED = (*_PLANS, "seismic", "radon", "soil_information_sector", "brush_clearing")


def _is_plan_of_commune(risk: Risk) -> bool:
    """Whether the plan exists in the commune, and whether it delimits the land is not known."""
    return risk.status == "present" and not zones_of(risk) and not _is_outside(risk)


def _is_stated(risk: Risk) -> bool:
    """Whether the seller states the risk: of a plan, only what it delimits on the land."""
    if risk.subject in _PLANS:
        return risk.status == "present" and bool(zones_of(risk))
    if risk.subject == "seismic":
        return risk.level in STATED_SEISMIC_LEVELS
    if risk.subject == "radon":
        return risk.level == STATED_RADON_LEVEL
    return is_within(risk, 0) if risk.subject == "soil_information_sector" else risk.status == "present"
