"""Checks on public easements (servitudes d'utilité publique, standard CNIG SUP)."""

from collections.abc import Iterable, Sequence

from assistant.assessment import documents, legal, official_codes
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.text import join, listed, percent, say
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
    "Aucune servitude d’utilité publique n’empêche de construire sur le terrain.",
    "No public easement keeps buildings off the land.",
    legal_refs=(legal.EASEMENTS_IN_FORCE, legal.WATER_CATCHMENTS),
    weight=2,
    settled_by=("gpu-sup", documents.EASEMENT_PLAN, documents.CERTIFICATE),
    is_decisive=True,
)
def easements(facts: LandFacts, layout: Layout) -> Finding:
    """Which public easements limit building? Another check has the protected surroundings."""
    easements = facts.easements
    if easements is None:
        detail = say(
            "Les servitudes d’utilité publique ne sont pas disponibles pour ce terrain{why}.",
            "The public easements are not available for this land{why}.",
            why=facts.why_missing("easements"),
        )
        return Finding(Status.UNKNOWN, detail, unit="easements", legal_refs=())
    unprotected = [item for item in easements if item.category not in PROTECTED]
    limiting = [item for item in unprotected if item.category not in _HEIGHT]
    parts = []
    if limiting:
        parts.append(
            say(
                "Servitudes d’utilité publique qui limitent la construction : {names}.",
                "Public easements that limit building: {names}.",
                names=_named(limiting),
            )
        )
    if len(limiting) < len(unprotected):
        parts.append(
            say(
                "Servitudes de hauteur ou d’ondes, qui visent surtout les ouvrages élevés : {names}.",
                "Easements on height or radio waves, mostly about tall structures: {names}.",
                names=_named(item for item in unprotected if item.category in _HEIGHT),
            )
        )
    refs: tuple[str, ...] = (legal.EASEMENTS_IN_FORCE,)
    if any(item.category == "AS1" for item in limiting):
        refs = (*refs, legal.WATER_CATCHMENTS)
    value = float(len(unprotected))
    closing = max((item.overlap_ratio for item in limiting if _is_immediate(item)), default=0.0)
    if closing >= CLOSED_RATIO:
        parts.append(
            say(
                "Le périmètre immédiat d’un captage couvre {share} du terrain : il est réservé au service de l’eau.",
                "The immediate perimeter of a water catchment covers {share} of the land: it is kept for the water "
                "service.",
                share=percent(min(1.0, closing)),
            )
        )
        return Finding(Status.FAIL, join(parts), value, 0, "easements", refs)
    missing = _unpublished(facts.unit.urbanism.published_easement_categories)
    if limiting:
        parts.append(
            Text(
                "L’acte de chaque servitude dit où et à quelles conditions construire ; son gestionnaire est à "
                "consulter avant d’arrêter les lots.",
                "The act of each easement states where and on what terms to build; its manager is to be consulted "
                "before the lots are settled.",
            )
        )
        parts.extend(missing)
        return Finding(Status.WARN, join(parts), value, 0, "easements", refs, (documents.EASEMENT_PLAN,))
    if missing:
        parts.append(
            Text(
                "Aucune servitude qui limite la construction n’est relevée, mais la publication est incomplète.",
                "No easement that limits building is found, but publication is incomplete.",
            )
        )
        return Finding(Status.UNKNOWN, join([*parts, *missing]), unit="easements", legal_refs=refs)
    parts.append(
        Text(
            "Aucune servitude d’utilité publique qui limite la construction ne porte sur le terrain.",
            "No public easement that limits building weighs on the land.",
        )
    )
    return Finding(Status.PASS, join(parts), value, 0, "easements", refs)


def _unpublished(published: Sequence[str]) -> list[Text]:
    missing = [code for code in KEY_CATEGORIES if code not in published]
    if not missing:
        return []
    return [
        say(
            "Ces catégories ne sont pas publiées dans le département, ce qui ne dit pas qu’il n’y en a pas : {codes}.",
            "These categories are not published in the département, which does not mean that there are none: {codes}.",
            codes=", ".join(missing),
        )
    ]


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
    return say("{name} sur {share}", "{name} on {share}", name=name, share=percent(min(1.0, ratio)))


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
    """Whether no protected surroundings are on the unit; None if that is not known."""
    if protections(facts):
        return False
    return None if facts.has_easement(*_ALWAYS_PUBLISHED) is None else True


def is_classified(site: Easement) -> bool | None:
    """Whether a site (AC2) is classified; False if it is registered, None if that is not known."""
    words = f"{site.type} {site.name}".lower()
    if "class" in words:
        return True
    return False if "inscri" in words else None


_OPINIONS = {
    "AC1": Text(
        "Le terrain est dans les abords d’un monument historique. Sans périmètre délimité, la protection vaut pour ce "
        "qui est visible du monument ou en même temps que lui, ce que l’architecte des Bâtiments de France apprécie.",
        "The land lies in the surroundings of a listed monument. Without a delimited perimeter, the protection holds "
        "for what is visible from the monument or together with it, which the State's heritage architect judges.",
    ),
    "AC2": Text("Le terrain est dans un site inscrit ou classé.", "The land lies in a registered or classified site."),
    "AC4": Text(
        "Le terrain est dans un site patrimonial remarquable, qui a son propre règlement.",
        "The land lies in a remarkable heritage site, which has a regulation of its own.",
    ),
}
_CLASSIFIED = Text(
    "Le terrain est dans un site classé : une autorisation spéciale est nécessaire.",
    "The land lies in a classified site: a special authorisation is needed.",
)
_REGISTERED = Text(
    "Le terrain est dans un site inscrit : les travaux se déclarent quatre mois à l’avance.",
    "The land lies in a registered site: works are declared four months in advance.",
)
_OPINION_REFS = {
    "AC1": (legal.SURROUNDINGS, legal.SURROUNDINGS_WORKS),
    "AC2": (legal.LISTED_SITES, legal.CLASSIFIED_SITES),
    "AC4": (legal.HERITAGE_SITES,),
}


@rule(
    "Le terrain n’est dans aucun périmètre de protection du patrimoine ou des sites.",
    "The land lies in no protected perimeter of heritage or sites.",
    legal_refs=(
        legal.SURROUNDINGS,
        legal.SURROUNDINGS_WORKS,
        legal.HERITAGE_SITES,
        legal.LISTED_SITES,
        legal.CLASSIFIED_SITES,
        legal.LONGER_EXAMINATION,
    ),
    weight=1,
    settled_by=("gpu-sup", documents.HERITAGE_OPINION),
)
def protected_surroundings(facts: LandFacts, layout: Layout) -> Finding:
    """Is the land in the surroundings of a monument, in a site, or in a remarkable heritage site?"""
    protection_texts = protections(facts)
    if protection_texts:
        kinds = sorted({code.removesuffix("bis") for code in protection_texts})
        parts = [_OPINIONS[kind] for kind in kinds]
        if "AC2" in protection_texts and (classified := is_classified(protection_texts["AC2"])) is not None:
            parts[kinds.index("AC2")] = _CLASSIFIED if classified else _REGISTERED
        parts.append(
            Text(
                "L’architecte des Bâtiments de France est consulté, et l’instruction dure un mois de plus.",
                "The State's heritage architect (architecte des Bâtiments de France) is consulted, and the examination "
                "takes one more month.",
            )
        )
        refs = tuple(ref for kind in kinds for ref in _OPINION_REFS[kind])
        return Finding(
            Status.WARN,
            join(parts),
            ", ".join(sorted(protection_texts)),
            legal_refs=(*refs, legal.LONGER_EXAMINATION),
            settled_by=(documents.HERITAGE_OPINION,),
        )
    if is_free_of_protection(facts):
        detail = Text(
            "Le terrain n’est ni aux abords d’un monument historique, ni dans un site inscrit ou classé, ni dans un "
            "site patrimonial remarquable.",
            "The land lies in no surroundings of a listed monument, no registered or classified site and no remarkable "
            "heritage site.",
        )
        return Finding(Status.PASS, detail, legal_refs=())
    detail = say(
        "On ne sait pas si le terrain est protégé aux abords d’un monument historique, dans un site ou dans un site "
        "patrimonial remarquable : ces servitudes manquent, ou ne sont pas publiées dans le département{why}.",
        "Whether the land is protected in the surroundings of a listed monument, in a site or in a remarkable heritage "
        "site is not known: these easements are missing, or not published in the département{why}.",
        why=facts.why_missing("easements"),
    )
    return Finding(Status.UNKNOWN, detail, legal_refs=())
