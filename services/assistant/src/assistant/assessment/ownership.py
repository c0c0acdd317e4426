"""Checks on who owns the land: one owner for the whole unit, and the rights of legal persons."""

from collections.abc import Mapping, Sequence

from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, found, rule
from assistant.text import listed
from landpartner.land.v1.land_pb2 import Owner
from servicekit.languages import Text

_FULL_OWNERSHIP, _TRUSTEE, _CO_OWNERS = "P", "S", "7"
"""Official codes: the right of an owner, the right of a syndic, and the group of co-owners."""
_OWNING = ("", _FULL_OWNERSHIP, "N", "B", "V")
"""Rights of an owner: full and bare ownership, and the land under a lease for construction or rehabilitation. Without a
code, the person counts as an owner.
"""


@rule
def contiguity(facts: LandFacts, layout: Layout) -> Finding:
    """Is the unit in one piece? An unité foncière is one block of land of one owner or one indivision."""
    count = len(facts.parcel_ids)
    if facts.is_contiguous is None:
        return found(Status.UNKNOWN, "contiguity.unknown")
    if not facts.is_contiguous:
        return found(Status.FAIL, "contiguity.apart_parcel" if count == 1 else "contiguity.apart", value=False)
    if is_joint_ownership(facts):
        return found(Status.WARN, "contiguity.joint_ownership", value=True, settled_by=("document.title",))
    if _differs(facts.owners or (), facts.parcel_ids):
        return found(Status.WARN, "contiguity.several_owners", value=True, settled_by=("document.title",))
    shape = "contiguity.one_parcel" if count == 1 else "contiguity.several_parcels"
    return found(Status.PASS, shape, _one_owner(facts), value=True, count=count)


def _one_owner(facts: LandFacts) -> str:
    """The sentence about the owner of land that is not known to have several."""
    if not (facts.owners or facts.is_complete("owners")):
        return "contiguity.owner_assumed"
    if not facts.owners:
        return "contiguity.private_owner_assumed"
    owners = {_key(owner) for owner in facts.owners if owner.right_code in _OWNING}
    return "contiguity.same_owners" if len(owners) > 1 else "contiguity.owner_known"


def _differs(owners: Sequence[Owner], parcel_ids: Sequence[str]) -> bool:
    """Whether legal persons own some parcels only. Natural persons would own the others."""
    holders = {
        parcel: {_key(o) for o in owners if o.right_code in _OWNING and parcel in o.parcel_ids} for parcel in parcel_ids
    }
    return len({frozenset(owners) for owners in holders.values()}) > 1


def _key(owner: Owner) -> str:
    return owner.siren or owner.name


def is_joint_ownership(facts: LandFacts) -> bool:
    """Whether a register shows a joint ownership (copropriété): the RNIC, a syndic, or sales of lots."""
    return bool(
        facts.joint_ownerships
        or any(o.right_code == _TRUSTEE or o.group_code == _CO_OWNERS for o in facts.owners or ())
        or any(sale.lot_count > 0 for sale in facts.sales or ())
    )


_GROUPS = {
    "1": Text("l’État", "the State"),
    "2": Text("une région", "a region"),
    "3": Text("un département", "a département"),
    "4": Text("une commune", "a commune"),
    "5": Text("un organisme de logement social", "a social housing body"),
    "6": Text("une société d’économie mixte", "a semi-public company"),
    "9": Text("un établissement public", "a public establishment"),
}
_RIGHTS = {
    "B": Text("bail à construction", "construction lease"),
    "E": Text("bail emphytéotique", "long lease (emphytéose)"),
    "N": Text("nue-propriété", "bare ownership"),
    "R": Text("bail à construction", "construction lease"),
    "U": Text("usufruit", "usufruct"),
    "V": Text("bail à réhabilitation", "rehabilitation lease"),
    "W": Text("bail à réhabilitation", "rehabilitation lease"),
}
"""Names of official codes. The publisher's names of persons are never used."""


def _named(codes: set[str], names: Mapping[str, Text]) -> Text:
    """The names of these codes, each once."""
    other = Text("autre droit", "another right") if names is _RIGHTS else Text("autre", "another one")
    return listed(list(dict.fromkeys(names.get(code, other) for code in sorted(codes))))


@rule
def ownership(facts: LandFacts, layout: Layout) -> Finding:
    """Which legal persons have a right on the land, and does a special regime apply to them?"""
    owners = facts.owners or ()
    holders = [owner for owner in owners if owner.right_code != _TRUSTEE]
    public = {owner.group_code for owner in holders if owner.is_public}
    split = {owner.right_code for owner in holders if owner.right_code not in ("", _FULL_OWNERSHIP)}
    sentences = {
        "ownership.joint_ownership": is_joint_ownership(facts),
        "ownership.public": public,
        "ownership.split": split,
        "ownership.several": not split and len({_key(owner) for owner in holders}) > 1,
    }
    keys = [key for key, is_said in sentences.items() if is_said]
    if not (keys or owners or facts.is_complete("owners")):
        return found(Status.UNKNOWN, "ownership.missing", unit="owners", why=facts.why_missing("owners"))
    return found(
        Status.WARN if keys else Status.PASS,
        *(keys or ["ownership.one" if owners else "ownership.none"]),
        value=float(len({_key(owner) for owner in owners})),
        unit="owners",
        settled_by=("document.title",) if keys else (),
        groups=_named(public, _GROUPS),
        rights=_named(split, _RIGHTS),
    )
