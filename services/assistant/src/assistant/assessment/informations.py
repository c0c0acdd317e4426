"""Checks on the informations annexed to the plan (standard CNIG PLU, TYPEINF)."""

from assistant.assessment import documents, legal, official_codes
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.assessment.sentences import tell
from assistant.text import area, join, listed

_NAMES = official_codes.texts("informations", "names")
_REMARKS = official_codes.texts("informations", "remarks")
_REFS = official_codes.legal_refs("informations")
_NOISE = "27"
"""The noise plan of an airport."""


@rule(
    legal_refs=(legal.ZAC, legal.PAE, legal.TRANSPORT_NOISE, legal.AIRPORT_NOISE),
    weight=2,
    settled_by=("gpu-informations", documents.CERTIFICATE),
    is_decisive=True,
)
def plan_informations(facts: LandFacts, layout: Layout) -> Finding:
    """Which informations of the plan's annexes change a project? Other checks use the other types."""
    if facts.informations is None:
        detail = tell("plan_informations.missing", why=facts.why_missing("informations"))
        return Finding(Status.UNKNOWN, detail, unit="informations", legal_refs=())
    codes = sorted({item.type_code for item in facts.informations} & _NAMES.keys())
    count, names = float(len(codes)), listed([_NAMES[code] for code in codes])
    keys = ["plan_informations.listed"] if codes else []
    remarks = [code for code in codes if code in _REMARKS]
    if remarks:
        refs = tuple(ref for code in remarks for ref in _REFS.get(code, ()))
        settled_by = (documents.NOISE_PLAN,) if _NOISE in remarks else (documents.CERTIFICATE,)
        detail = join([tell(*keys, names=names), *(_REMARKS[code] for code in remarks)])
        return Finding(Status.WARN, detail, count, 0, "informations", refs, settled_by)
    if not facts.is_complete("informations"):
        detail = tell(*keys, "plan_informations.incomplete", names=names)
        return Finding(Status.UNKNOWN, detail, unit="informations", legal_refs=())
    return Finding(Status.PASS, tell(*keys, "plan_informations.none", names=names), count, 0, "informations", ())


URBAN_PRE_EMPTION = "04"
_PRE_EMPTIONS = {
    URBAN_PRE_EMPTION: ("pre_emption.urban", legal.PRE_EMPTION),
    "05": ("pre_emption.deferred_development", legal.DEFERRED_DEVELOPMENT),
    "03": ("pre_emption.natural_areas", legal.SENSITIVE_AREAS),
}
"""The sentence and the article of each type of information that gives a right of pre-emption."""
_OF_FARMED_LAND = (legal.FARM_PRE_EMPTION, legal.FARM_PRE_EMPTION_EXCEPTIONS, legal.FARM_SALE_INFORMATION)


@rule(
    legal_refs=(*(ref for _, ref in _PRE_EMPTIONS.values()), legal.INTENT_TO_SELL, *_OF_FARMED_LAND),
    weight=1,
    settled_by=("gpu-informations", documents.CERTIFICATE),
)
def pre_emption(facts: LandFacts, layout: Layout) -> Finding:
    """Does a right of pre-emption apply to a sale?"""
    rights = [right for code, right in _PRE_EMPTIONS.items() if facts.has_information(code)]
    if rights:
        rights.append(("pre_emption.declared_first", legal.INTENT_TO_SELL))
    keys, refs = [key for key, _ in rights], [ref for _, ref in rights]
    farmed = facts.unit.land.farmed_land
    if farmed:
        keys.append("pre_emption.farmed")
        refs += _OF_FARMED_LAND
    elif facts.has_zone("A", "Ah"):
        keys.append("pre_emption.farm_land")
        refs.append(legal.FARM_PRE_EMPTION)
    if keys:
        detail = tell(*keys, area=area(sum(part.overlap_area_m2 for part in farmed)))
        return Finding(Status.WARN, detail, value=True, legal_refs=tuple(refs), settled_by=(documents.CERTIFICATE,))
    if not facts.is_complete("informations"):
        detail = tell("pre_emption.unknown", why=facts.why_missing("informations"))
        return Finding(Status.UNKNOWN, detail, legal_refs=())
    return Finding(Status.PASS, tell("pre_emption.none"), value=False, legal_refs=())
