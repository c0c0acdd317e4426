"""Checks on public easements (servitudes d'utilité publique, standard CNIG SUP)."""

from collections.abc import Iterable

from assistant.assessment import documents, legal, official_codes
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.assessment.sentences import tell
from assistant.text import join, listed, metres, percent, say, share_of_land
from landpartner.land.v1.land_pb2 import Easement
from servicekit.languages import Text

CLOSED_RATIO = 0.9
"""An easement that forbids building fails the check if it covers this share of the unit."""
PROTECTED = ("AC1", "AC2", "AC4", "AC4bis")
"""Monuments and their surroundings, sites, and remarkable heritage sites (SPR) with their plan."""
_ALWAYS_PUBLISHED = ("AC1", "AC2", "AC4")
"""Protected surroundings are not known if the département has no feature of these."""

_HEIGHT = official_codes.texts("easements", "height")
"""Categories that limit tall buildings and equipment only. A house of ordinary height stands under them."""
_LIMITING = official_codes.texts("easements", "limiting")
"""Categories that limit where or whether buildings stand. Other categories are named by their code."""
KEY_CATEGORIES = ("A4", "A5", "AS1", "EL3", "EL7", "I1", "I3", "I4", "PM1", "PM2", "PM3", "T1")
"""Limiting categories found all over the country. If one is not published in the département, none is certain."""


@rule(
    legal_refs=(legal.EASEMENTS_IN_FORCE, legal.WATER_CATCHMENTS),
    weight=2,
    settled_by=("gpu-sup", documents.EASEMENT_PLAN, documents.CERTIFICATE),
    is_decisive=True,
)
def easements(facts: LandFacts, layout: Layout) -> Finding:
    """Which public easements limit building? Another check has the protected surroundings."""
    easements = facts.easements
    if easements is None:
        detail = tell("easements.missing", why=facts.why_missing("easements"))
        return Finding(Status.UNKNOWN, detail, unit="easements", legal_refs=())
    unprotected = [item for item in easements if item.category not in PROTECTED]
    limiting = [item for item in unprotected if item.category not in _HEIGHT]
    parts = []
    if limiting:
        parts.append(tell("easements.limiting", names=_named(limiting)))
    if len(limiting) < len(unprotected):
        parts.append(tell("easements.height", names=_named(item for item in unprotected if item.category in _HEIGHT)))
    refs: tuple[str, ...] = (legal.EASEMENTS_IN_FORCE,)
    if any(item.category == "AS1" for item in limiting):
        refs = (*refs, legal.WATER_CATCHMENTS)
    count = float(len(unprotected))
    is_protected = bool(protections(facts))
    closing = max((item.overlap_ratio for item in limiting if _is_immediate(item)), default=0.0)
    if closing >= CLOSED_RATIO:
        parts.append(tell("easements.immediate_perimeter", share=percent(min(1.0, closing))))
        return Finding(Status.FAIL, join(parts), count, 0, "easements", refs)
    published = facts.unit.urbanism.published_easement_categories
    codes = ", ".join(code for code in KEY_CATEGORIES if code not in published)
    missing = [tell("easements.unpublished", codes=codes)] if codes else []
    if limiting:
        detail = join([*parts, tell("easements.consult"), *missing])
        return Finding(Status.WARN, detail, count, 0, "easements", refs, (documents.EASEMENT_PLAN,))
    if missing:
        none = "easements.none_in_part_besides" if is_protected else "easements.none_in_part"
        detail = join([*parts, tell(none), *missing])
        return Finding(Status.UNKNOWN, detail, unit="easements", legal_refs=refs)
    none = "easements.none_besides" if is_protected else "easements.none"
    return Finding(Status.PASS, join([*parts, tell(none)]), count, 0, "easements", refs)


def _is_immediate(item: Easement) -> bool:
    return item.category == "AS1" and "immédiat" in item.type.lower()


def _named(items: Iterable[Easement]) -> Text:
    shares: dict[str, float] = {}
    for item in items:
        shares[item.category] = max(shares.get(item.category, 0.0), item.overlap_ratio)
    return listed([_with_share(code, shares[code]) for code in sorted(shares)])


def _with_share(code: str, ratio: float) -> Text:
    label = _LIMITING.get(code) or _HEIGHT.get(code)
    name = say("{label} ({code})", "{label} ({code})", label=label, code=code) if label else Text(code, code)
    if round(ratio, 2) == 0:  # a line or a point
        return name
    return say("{name} sur {share}", "{name} on {share}", name=name, share=share_of_land(ratio))


def protections(facts: LandFacts) -> dict[str, Easement]:
    """The protections on the unit by category, with the largest easement of each."""
    by_category: dict[str, Easement] = {}
    for item in facts.easements or ():
        if item.category not in PROTECTED:
            continue
        best = by_category.setdefault(item.category, item)
        if item.overlap_ratio > best.overlap_ratio:
            by_category[item.category] = item
    if "PSMV" in facts.document_types:
        by_category.setdefault("AC4", Easement(category="AC4"))
    return by_category


def is_free_of_protection(facts: LandFacts) -> bool | None:
    """Whether no protected surroundings are on the unit; None if that is not known, as near a listed monument without
    published surroundings.
    """
    if protections(facts):
        return False
    is_known = facts.has_easement(*_ALWAYS_PUBLISHED) is not None and not facts.unit.urbanism.nearby_monuments
    return True if is_known else None


def is_free_of_permit(facts: LandFacts) -> bool | None:
    """Whether no protection on the unit takes a permis d'aménager: a registered site does not."""
    sites = protections(facts)
    is_registered = sites.keys() == {"AC2"} and is_classified(sites["AC2"]) is False
    return facts.has_easement("AC1", "AC4") is False if is_registered else is_free_of_protection(facts)


def surroundings_keys(surroundings: Easement) -> list[str]:
    """The sentences about the surroundings of a monument. Outside a delimited perimeter, sight decides."""
    by_sight = [] if "délimit" in surroundings.type.lower() else ["protected_surroundings.by_sight"]
    return ["protected_surroundings.AC1", *by_sight]


def is_classified(site: Easement) -> bool | None:
    """Whether a site (AC2) is classified; False if it is registered, None if that is not known."""
    words = f"{site.type} {site.name}".lower()
    if "class" in words:
        return True
    return False if "inscri" in words else None


_OPINION_REFS = {
    "AC1": (legal.SURROUNDINGS, legal.SURROUNDINGS_WORKS, legal.HERITAGE_AGREEMENT),
    "AC2": (legal.LISTED_SITES, legal.CLASSIFIED_SITES, legal.REGISTERED_SITES),
    "AC4": (legal.HERITAGE_SITES, legal.HERITAGE_AGREEMENT),
}
"""The articles of the protections that have a sentence. An AC4bis counts as an AC4."""


@rule(
    legal_refs=(*dict.fromkeys(ref for refs in _OPINION_REFS.values() for ref in refs), legal.LONGER_EXAMINATION),
    weight=1,
    settled_by=("gpu-sup", documents.HERITAGE_AGREEMENT),
    is_decisive=True,
)
def protected_surroundings(facts: LandFacts, layout: Layout) -> Finding:
    """Is the land in the surroundings of a monument, in a site, or in a remarkable heritage site?"""
    by_category = protections(facts)
    if by_category:
        kinds = sorted({code.removesuffix("bis") for code in by_category})
        keys = [f"protected_surroundings.{kind}" for kind in kinds]
        if "AC2" in by_category and (classified := is_classified(by_category["AC2"])) is not None:
            keys[kinds.index("AC2")] = f"protected_surroundings.{'classified' if classified else 'registered'}"
        if "AC1" in by_category:
            keys[:1] = surroundings_keys(by_category["AC1"])
        takes_agreement = {"AC1", "AC4"}.intersection(kinds)
        keys.append("protected_surroundings.agreement" if takes_agreement else "protected_surroundings.opinion")
        refs = dict.fromkeys(ref for kind in kinds for ref in _OPINION_REFS[kind])
        settled_by = documents.HERITAGE_AGREEMENT if takes_agreement else documents.HERITAGE_OPINION
        return Finding(
            Status.WARN,
            tell(*keys),
            ", ".join(sorted(by_category)),
            legal_refs=(*refs, legal.LONGER_EXAMINATION),
            settled_by=(settled_by,),
        )
    if is_free_of_protection(facts):
        return Finding(Status.PASS, tell("protected_surroundings.none"), legal_refs=())
    if monuments := facts.unit.urbanism.nearby_monuments:
        nearest = monuments[0]
        detail = tell(
            "protected_surroundings.monument",
            name=nearest.name or nearest.reference,
            distance=metres(round(nearest.distance_m)),
        )
        return Finding(
            Status.UNKNOWN, detail, legal_refs=(legal.SURROUNDINGS,), settled_by=(documents.HERITAGE_AGREEMENT,)
        )
    detail = tell("protected_surroundings.unknown", why=facts.why_missing("easements"))
    return Finding(Status.UNKNOWN, detail, legal_refs=())
