"""Checks on who owns the land: one owner for the whole unit, and the rights of legal persons."""

from collections.abc import Mapping, Sequence

from assistant.assessment import documents, legal
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status, rule
from assistant.text import join, listed, say
from landpartner.land.v1.land_pb2 import Owner
from servicekit.languages import Text

_FULL_OWNERSHIP, _TRUSTEE, _CO_OWNERS = "P", "S", "7"
"""Official codes: the right of an owner, the right of a syndic, and the group of co-owners."""
_OWNING = ("", _FULL_OWNERSHIP, "N", "B", "V")
"""Rights of an owner: full and bare ownership, and the land under a lease for construction or rehabilitation. Without a
code, the person counts as an owner.
"""


@rule(
    "L’unité foncière est un îlot d’un seul tenant appartenant à un même propriétaire ou à une même indivision.",
    "A land unit is one block of land of one owner, or of one undivided ownership.",
    legal_refs=(legal.UNIT_DEFINITION, legal.MULTI_SITE, legal.JOINT_OWNERSHIP, legal.LOTISSEMENT),
    weight=2,
    settled_by=("cadastre-parcels", "personnes-morales", "rnic", documents.TITLE),
    is_decisive=True,
)
def contiguity(facts: LandFacts, layout: Layout) -> Finding:
    """Is the unit in one piece? An unité foncière is one block of land of one owner or one indivision."""
    count = len(facts.parcel_ids)
    if facts.is_contiguous is None:
        detail = Text(
            "On ne sait pas si le terrain est d’un seul tenant : son contour n’est pas disponible.",
            "Whether the land is in one piece is not known: its outline is not available.",
        )
        return Finding(Status.UNKNOWN, detail, legal_refs=(legal.UNIT_DEFINITION,))
    if not facts.is_contiguous:
        detail = Text(
            "Les parcelles choisies ne se touchent pas : elles forment plusieurs unités foncières, à étudier "
            "séparément. Un même permis d’aménager peut les réunir pour un demandeur unique, si le projet est un "
            "ensemble cohérent et garantit l’unité architecturale et paysagère des sites.",
            "The parcels chosen do not touch: they form several land units, to be studied one by one. A single "
            "planning permit (permis d’aménager) may take them together for one applicant, where the project is a "
            "coherent whole and ensures the unity of the sites in architecture and landscape.",
        )
        return Finding(Status.FAIL, detail, value=False, legal_refs=(legal.UNIT_DEFINITION, legal.MULTI_SITE))
    if count == 1:
        detail = Text("Le terrain est une parcelle d’un seul tenant.", "The land is one parcel in one piece.")
    else:
        detail = say(
            "Les {count} parcelles se touchent et forment un terrain d’un seul tenant.",
            "The {count} parcels touch and form one piece of land.",
            count=count,
        )
    if is_joint_ownership(facts):
        joint = Text(
            "Il n’est pas à un seul propriétaire : une copropriété y est relevée.",
            "It is not of one owner: a joint ownership (copropriété) is found there.",
        )
        refs = (legal.UNIT_DEFINITION, legal.JOINT_OWNERSHIP)
        return _warned(join([detail, joint]), refs)
    if _differs(facts.owners or (), facts.parcel_ids):
        several = Text(
            "Elles n’ont pas toutes les mêmes propriétaires et forment plusieurs unités foncières. Un lotissement peut "
            "réunir des unités qui se touchent, si chaque propriétaire y consent.",
            "They do not all have the same owners and form several land units. A lotissement may take together units "
            "that adjoin, where each owner agrees.",
        )
        return _warned(join([detail, several]), (legal.UNIT_DEFINITION, legal.LOTISSEMENT))
    return Finding(Status.PASS, join([detail, _one_owner(facts)]), value=True, legal_refs=(legal.UNIT_DEFINITION,))


def _warned(detail: Text, refs: tuple[str, ...]) -> Finding:
    return Finding(Status.WARN, detail, value=True, legal_refs=refs, settled_by=(documents.TITLE,))


def _one_owner(facts: LandFacts) -> Text:
    if not (facts.owners or facts.is_complete("owners")):
        return Text(
            "L’analyse suppose un même propriétaire ou une même indivision, ce que le cadastre ouvert ne dit pas.",
            "The study assumes a single owner, or one undivided ownership, which the open cadastre does not tell.",
        )
    if not facts.owners:
        return Text(
            "Aucune personne morale n’en est propriétaire ; l’analyse suppose un même particulier ou une même "
            "indivision, que les données ouvertes ne nomment jamais.",
            "No legal person owns it; the study assumes one private person or one undivided ownership, which open data "
            "never names.",
        )
    if len({_key(owner) for owner in facts.owners if owner.right_code in _OWNING}) > 1:
        return Text(
            "Le fichier des personnes morales y donne les mêmes propriétaires partout.",
            "The file of legal persons gives the same owners everywhere on it.",
        )
    return Text(
        "Le fichier des personnes morales en donne le propriétaire.", "The file of legal persons gives its owner."
    )


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
_PUBLIC = Text(
    "Une personne publique y a un droit : {names}. Ce qui relève du domaine public ne se vend qu’après désaffectation "
    "et déclassement ; la vente se décide par délibération.",
    "A public body has a right on it: {names}. What belongs to the public domain is sold only after it is taken out of "
    "use and declassified; the sale takes a formal decision.",
)
_JOINT = Text(
    "Le terrain est en copropriété : son sol est une partie commune, qu’un copropriétaire ne peut pas diviser seul. "
    "L’assemblée générale décide.",
    "The land is in joint ownership (copropriété): its ground is common, and no co-owner divides it alone. The general "
    "meeting decides.",
)
_SPLIT = Text(
    "La propriété n’y est pas entière ({names}) : chaque titulaire d’un droit doit consentir.",
    "The ownership is not whole there ({names}): each holder of a right must agree.",
)
_SEVERAL = Text(
    "Plusieurs personnes morales y ont des droits : chacune doit consentir à la division.",
    "Several legal persons have rights on it: each must agree to the division.",
)


def _named(codes: set[str], names: Mapping[str, Text]) -> Text:
    """The names of these codes, each once."""
    other = Text("autre droit", "another right") if names is _RIGHTS else Text("autre", "another one")
    return listed(list(dict.fromkeys(names.get(code, other) for code in sorted(codes))))


@rule(
    "Les propriétaires connus peuvent diviser et vendre le terrain sans régime particulier.",
    "The known owners may divide and sell the land under no special regime.",
    legal_refs=(legal.PUBLIC_DOMAIN, legal.DECOMMISSIONING, legal.JOINT_OWNERSHIP),
    weight=1,
    settled_by=("personnes-morales", "rnic", documents.TITLE),
)
def ownership(facts: LandFacts, layout: Layout) -> Finding:
    """Which legal persons have a right on the land, and does a special regime apply to them?"""
    owners = facts.owners or ()
    holders = [owner for owner in owners if owner.right_code != _TRUSTEE]
    parts: list[Text] = []
    refs: list[str] = []
    if is_joint_ownership(facts):
        parts.append(_JOINT)
        refs.append(legal.JOINT_OWNERSHIP)
    public = {owner.group_code for owner in holders if owner.is_public}
    if public:
        parts.append(say(_PUBLIC.fr, _PUBLIC.en, names=_named(public, _GROUPS)))
        refs += [legal.PUBLIC_DOMAIN, legal.DECOMMISSIONING]
    split = {owner.right_code for owner in holders if owner.right_code not in ("", _FULL_OWNERSHIP)}
    if split:
        parts.append(say(_SPLIT.fr, _SPLIT.en, names=_named(split, _RIGHTS)))
    elif len({_key(owner) for owner in holders}) > 1:
        parts.append(_SEVERAL)
    value = float(len({_key(owner) for owner in owners}))
    if parts:
        return Finding(Status.WARN, join(parts), value, None, "owners", tuple(refs), (documents.TITLE,))
    if not (owners or facts.is_complete("owners")):
        detail = say(
            "Les propriétaires personnes morales ne sont pas connus pour ce terrain{why}.",
            "The legal persons that own this land are not known{why}.",
            why=facts.why_missing("owners"),
        )
        return Finding(Status.UNKNOWN, detail, None, None, "owners", ())
    if not owners:
        detail = Text(
            "Aucune personne morale n’a de droit sur le terrain au fichier de la DGFiP : ni personne publique, ni "
            "société, ni syndic. Les particuliers n’y figurent pas ; le titre de propriété les nomme.",
            "No legal person has a right on the land in the file of the tax office (DGFiP): no public body, no company "
            "and no syndic. It does not contain private persons; the title deed names them.",
        )
    else:
        detail = Text(
            "Une seule personne morale, privée, en est propriétaire au fichier de la DGFiP.",
            "A single legal person, a private one, owns it in the file of the tax office (DGFiP).",
        )
    return Finding(Status.PASS, detail, value, None, "owners", ())
