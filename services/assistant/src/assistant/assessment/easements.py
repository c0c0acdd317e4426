"""Checks on public easements (servitudes d'utilité publique, standard CNIG SUP)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from assistant.assessment import official_codes
from assistant.assessment.facts import CLOSED_RATIO, LandFacts, Layout
from assistant.assessment.result import Finding, Status, found, rule
from assistant.assessment.sentences import tell
from assistant.text import listed, lots_named, metres, percent, say, with_share
from landpartner.land.v1.land_pb2 import Easement
from servicekit.languages import Text

PROTECTED = ("AC1", "AC2", "AC4", "AC4bis")
"""Monuments and their surroundings, sites, and remarkable heritage sites (SPR) with their plan."""
_ALWAYS_PUBLISHED = ("AC1", "AC2", "AC4")
"""Protected surroundings are not known if the département has no feature of these."""

WHOLE_RATIO = 0.99
"""Surroundings with this share count as covering the unit."""
_MINOR_RATIO = 0.05
"""Surroundings on a smaller share of the building plots can be left out of them. Our assumption."""
_HEIGHT = official_codes.texts("easements", "height")
"""Categories that limit tall buildings and equipment only. A house of ordinary height stands under them."""
_LIMITING = official_codes.texts("easements", "limiting")
"""Categories that limit where or whether buildings stand. Other categories are named by their code."""
_IN_FORCE = ("easements_in_force",)
KEY_CATEGORIES = ("A4", "A5", "AS1", "EL3", "EL7", "I1", "I3", "I4", "PM1", "PM2", "PM3", "T1")
"""Limiting categories found all over the country. If one is not published in the département, none is certain."""


@rule
def easements(facts: LandFacts, layout: Layout) -> Finding:
    """Which public easements limit building? Another check has the protected surroundings."""
    if facts.easements is None:
        return found(Status.UNKNOWN, "easements.missing", unit="easements", why=facts.why_missing("easements"))
    unprotected = [item for item in facts.easements if item.category not in PROTECTED]
    limiting = [item for item in unprotected if item.category not in _HEIGHT]
    tall = [item for item in unprotected if item.category in _HEIGHT]
    closing = max((item.overlap_ratio for item in limiting if _is_immediate(item)), default=0.0)
    published = facts.unit.urbanism.published_easement_categories
    codes = ", ".join(code for code in KEY_CATEGORIES if code not in published)
    is_protected = bool(protections(facts))
    settled_by: tuple[str, ...] = ()
    if closing >= CLOSED_RATIO:
        status, keys = Status.FAIL, ["easements.immediate_perimeter"]
    elif limiting:
        status, keys, settled_by = Status.WARN, ["easements.consult"], ("document.easement_plan",)
    elif codes:
        status, keys = Status.UNKNOWN, ["easements.none_in_part_besides" if is_protected else "easements.none_in_part"]
    else:
        status, keys = Status.PASS, ["easements.none_besides" if is_protected else "easements.none"]
    opening = ["easements.limiting"] if limiting else []
    opening += ["easements.height"] if tall else []
    keys += ["easements.unpublished"] if codes and status is not Status.FAIL else []
    is_known = status is not Status.UNKNOWN
    return found(
        status,
        *opening,
        *keys,
        value=float(len(unprotected)) if is_known else None,
        threshold=0 if is_known else None,
        unit="easements",
        articles=_IN_FORCE if all(item.category != "AS1" for item in limiting) else (*_IN_FORCE, "water_catchments"),
        settled_by=settled_by,
        names=_named(limiting),
        tall=_named(tall),
        share=percent(min(1.0, closing)),
        codes=codes,
    )


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
    return with_share(name, ratio)


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
    return [
        "protected_surroundings.abords_in_part" if is_partial(surroundings) else "protected_surroundings.AC1",
        *by_sight,
    ]


def is_partial(item: Easement) -> bool:
    return item.HasField("overlap_ratio") and item.overlap_ratio < WHOLE_RATIO


def cover(items: Iterable[Easement], layout: Layout) -> dict[str, Text]:
    """The share of the land that the protections cover, and on which lots, for a sentence."""
    where = "protected_surroundings.on_lots" if layout.protected_lots else "protected_surroundings.on_no_lot"
    is_drawn = layout.protected_ratio is not None
    return {
        "share": percent(max(0.01, *(item.overlap_ratio for item in items))),
        "where": tell(where, lots=lots_named(layout.protected_lots)) if is_drawn else Text("", ""),
    }


_SITES = {True: "classified", False: "registered", None: "AC2"}
"""The sentence about a site (AC2), by whether it is classified."""


def is_classified(site: Easement) -> bool | None:
    """Whether a site (AC2) is classified; False if it is registered, None if that is not known."""
    words = f"{site.type} {site.name}".lower()
    if "class" in words:
        return True
    return False if "inscri" in words else None


@rule
def protected_surroundings(facts: LandFacts, layout: Layout) -> Finding:
    """Is the land in the surroundings of a monument, in a site, or in a remarkable heritage site?"""
    by_category = protections(facts)
    if by_category:
        return _protected(by_category, layout)
    if is_free_of_protection(facts):
        return found(Status.PASS, "protected_surroundings.none")
    if monuments := facts.unit.urbanism.nearby_monuments:
        return found(
            Status.UNKNOWN,
            "protected_surroundings.monument",
            settled_by=("document.heritage_agreement",),
            name=monuments[0].name or monuments[0].reference,
            distance=metres(round(monuments[0].distance_m)),
        )
    return found(Status.UNKNOWN, "protected_surroundings.unknown", why=facts.why_missing("easements"))


def _protected(by_category: Mapping[str, Easement], layout: Layout) -> Finding:
    """An AC4bis counts as an AC4. Protections that hardly touch the building plots decide nothing."""
    keys = []
    for kind in sorted({code.removesuffix("bis") for code in by_category}):
        if kind == "AC1":
            keys += surroundings_keys(by_category[kind])
        elif kind == "AC2":
            keys.append(f"protected_surroundings.{_SITES[is_classified(by_category[kind])]}")
        else:
            keys.append(f"protected_surroundings.{kind}")
    takes_agreement = bool(by_category.keys() - {"AC2"})
    is_minor = all(map(is_partial, by_category.values()))
    keys += ["protected_surroundings.in_part"] if is_minor and by_category.keys() != {"AC1"} else []
    covered = cover(by_category.values(), layout)
    finding = found(
        Status.WARN,
        *keys,
        "protected_surroundings.agreement" if takes_agreement else "protected_surroundings.opinion",
        value=", ".join(sorted(by_category)),
        settled_by=("document.heritage_agreement" if takes_agreement else "document.heritage_opinion",),
        share=covered["share"],
        where=covered["where"],
    )
    ratio = 1.0 if layout.protected_ratio is None else layout.protected_ratio
    return replace(finding, is_minor=is_minor and ratio < _MINOR_RATIO)
