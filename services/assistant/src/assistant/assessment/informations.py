"""Checks on the informations annexed to the plan (standard CNIG PLU, TYPEINF)."""

from assistant.assessment import official_codes
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, found, rule, settling
from assistant.assessment.sentences import tell
from assistant.text import area, join, listed

_NAMES = official_codes.texts("plan_informations", "names")
_REMARKS = official_codes.texts("plan_informations", "remarks")
_REFS = official_codes.legal_refs("plan_informations")
_NOISE = "27"
"""The noise plan of an airport."""


@rule
def plan_informations(facts: LandFacts, layout: Layout) -> Finding:
    """Which informations of the plan's annexes change a project? Other checks use the other types."""
    if facts.informations is None:
        why = facts.why_missing("informations")
        return found(Status.UNKNOWN, "plan_informations.missing", unit="informations", why=why)
    codes = sorted({item.type_code for item in facts.informations} & _NAMES.keys())
    count, names = float(len(codes)), listed([_NAMES[code] for code in codes])
    keys = ["plan_informations.listed"] if codes else []
    remarks = [code for code in codes if code in _REMARKS]
    if remarks:
        refs = tuple(ref for code in remarks for ref in _REFS.get(code, ()))
        settled_by = settling("document.noise_plan" if _NOISE in remarks else "document.certificate")
        detail = join([tell(*keys, names=names), *(_REMARKS[code] for code in remarks)])
        return Finding(Status.WARN, detail, count, 0, "informations", refs, settled_by)
    if not facts.is_complete("informations"):
        return found(Status.UNKNOWN, *keys, "plan_informations.incomplete", unit="informations", names=names)
    return found(
        Status.PASS, *keys, "plan_informations.none", value=count, threshold=0, unit="informations", names=names
    )


URBAN_PRE_EMPTION = "04"
_PRE_EMPTIONS = {
    URBAN_PRE_EMPTION: "pre_emption.urban",
    "05": "pre_emption.deferred_development",
    "03": "pre_emption.natural_areas",
}
"""The sentence of each type of information that gives a right of pre-emption."""


@rule
def pre_emption(facts: LandFacts, layout: Layout) -> Finding:
    """Does a right of pre-emption apply to a sale?"""
    keys = [key for code, key in _PRE_EMPTIONS.items() if facts.has_information(code)]
    keys += ["pre_emption.declared_first"] if keys else []
    farmed = facts.unit.land.farmed_land
    if farmed:
        keys.append("pre_emption.farmed")
    elif facts.has_zone("A", "Ah"):
        keys.append("pre_emption.farm_land")
    if keys:
        farmed_area = area(sum(part.overlap_area_m2 for part in farmed))
        return found(Status.WARN, *keys, value=True, settled_by=("document.certificate",), area=farmed_area)
    if not facts.is_complete("informations"):
        return found(Status.UNKNOWN, "pre_emption.unknown", why=facts.why_missing("informations"))
    return found(Status.PASS, "pre_emption.none", value=False)
