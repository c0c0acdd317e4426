"""The check on the prescriptions of the plan (standard CNIG PLU, TYPEPSC)."""

from collections.abc import Mapping
from functools import partial
from typing import TypeVar

from assistant.assessment import official_codes
from assistant.assessment.facts import CLOSED_RATIO, LandFacts, Layout
from assistant.assessment.result import Finding, Status, found, rule, settling
from assistant.assessment.sentences import tell
from assistant.text import join, listed, percent, say, with_share
from landpartner.land.v1.land_pb2 import PlanningPrescription
from servicekit.languages import Text

_NAMES = official_codes.texts("prescriptions", "names")
_CLOSINGS = official_codes.optional_texts("prescriptions", "closings")
"""What is said of kinds that forbid ordinary building on the land that they cover."""
_REMARKS = official_codes.optional_texts("prescriptions", "remarks")
_REFS = official_codes.legal_refs("prescriptions")
_OTHER = Text("autre prescription", "another prescription")
T = TypeVar("T")


@rule
def prescriptions(facts: LandFacts, layout: Layout) -> Finding:
    """Which prescriptions of the plan apply to the unit?"""
    urbanism = facts.urbanism
    none = partial(found, Status.PASS, value=0.0, threshold=0, unit="prescriptions")
    if urbanism is not None and urbanism.is_rnu and not urbanism.zones:
        return none("prescriptions.no_plan")
    if facts.prescriptions is None:
        why = facts.why_missing("prescriptions")
        return found(Status.UNKNOWN, "prescriptions.missing", unit="prescriptions", why=why)
    if facts.prescriptions:
        return _listed(facts)
    if not facts.is_complete("prescriptions"):
        return found(Status.UNKNOWN, "prescriptions.none_in_part", unit="prescriptions")
    return none("prescriptions.none")


def _listed(facts: LandFacts) -> Finding:
    features, area_m2 = facts.prescriptions or (), facts.geometric_area_m2
    shares: dict[str, float] = {}
    for item in features:
        shares[_kind(item)] = shares.get(_kind(item), 0.0) + (item.overlap_area_m2 / area_m2 if area_m2 else 0.0)
    count = float(len(features))
    refs = tuple(dict.fromkeys(ref for item in features for ref in _of(_REFS, _kind(item)) or ()))
    keys = ["prescriptions.listed"]
    if not facts.is_complete("prescriptions"):
        keys.append("prescriptions.incomplete")
    named = tell(*keys, names=_named(shares))
    parts = [named]
    forbidden = {kind: share for kind, share in shares.items() if _of(_CLOSINGS, kind) and round(share, 2) > 0}
    worst = max(forbidden, key=lambda kind: forbidden[kind], default="")
    closing = _of(_CLOSINGS, worst)
    if closing and forbidden[worst] >= CLOSED_RATIO:
        parts = [named] if len(shares) > 1 else []
        parts.append(closing.format(share=percent(min(1.0, forbidden[worst]))))
        return Finding(Status.FAIL, join(parts), count, 0, "prescriptions", refs)
    if forbidden:
        names = say(" : {names}", ": {names}", names=_named(dict.fromkeys(forbidden, 0.0)))
        parts.append(tell("prescriptions.keep_off", names=names if len(shares) > 1 else ""))
    parts.extend(dict.fromkeys(note for kind in sorted(shares) if (note := _of(_REMARKS, kind))))
    if len(parts) == 1:
        parts.append(tell("prescriptions.to_be_read"))
    return Finding(Status.WARN, join(parts), count, 0, "prescriptions", refs, settling("document.regulation"))


def _named(shares: dict[str, float]) -> Text:
    by_name: dict[Text, float] = {}
    for kind, share in shares.items():
        name = _of(_NAMES, kind) or _OTHER
        by_name[name] = by_name.get(name, 0.0) + share
    return listed([with_share(name, by_name[name]) for name in sorted(by_name, key=lambda name: name.fr)])


_MOVED = {"09": "05-05", "10": "05-06", "11": "15", "12": "05-07", "21": "05-06"}
"""Types of documents before the standard of 2017, with the kinds that replace them."""


def _kind(item: PlanningPrescription) -> str:
    """The type, with the subtype if there is one: `05` or `05-06`."""
    kind = f"{item.type_code}-{item.subtype_code}" if item.subtype_code else item.type_code
    return _MOVED.get(item.type_code, kind)


def _of(table: Mapping[str, T], kind: str) -> T | None:
    """The entry of the kind, else of its type."""
    return table.get(kind, table.get(kind.partition("-")[0]))
