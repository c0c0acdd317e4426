"""The check on the prescriptions of the plan (standard CNIG PLU, TYPEPSC)."""

from collections.abc import Mapping
from typing import TypeVar

from assistant.assessment import documents, legal
from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Finding, Status
from assistant.text import join, listed, percent, say
from landpartner.land.v1.land_pb2 import PlanningPrescription
from servicekit.languages import Text

CLOSED_RATIO = 0.9
"""A kind of prescription that forbids building fails the check if it covers this share of the unit."""

_Kind = tuple[str, str]
"""Type and subtype, "" without one."""


def prescriptions(facts: LandFacts, layout: Layout) -> Finding:
    """Which prescriptions of the plan apply to the unit?"""
    urbanism = facts.urbanism
    if urbanism is not None and urbanism.is_rnu and not urbanism.zones:
        detail = Text(
            "Sans document d’urbanisme, aucune prescription locale ne porte sur le terrain.",
            "Without a plan of its own, no local prescription weighs on the land.",
        )
        return Finding(Status.PASS, detail, 0.0, 0, "prescriptions", ())
    if facts.prescriptions is None:
        detail = say(
            "Les prescriptions du document d’urbanisme ne sont pas disponibles pour ce terrain{why}.",
            "The prescriptions of the planning document are not available for this land{why}.",
            why=facts.why_missing("prescriptions"),
        )
        return Finding(Status.UNKNOWN, detail, unit="prescriptions", legal_refs=())
    if facts.prescriptions:
        return _found(facts)
    if not facts.is_complete("prescriptions"):
        detail = Text(
            "Seule une partie des prescriptions du document d’urbanisme est disponible ; aucune de celles-là ne porte "
            "sur le terrain.",
            "Only some of the prescriptions of the planning document are available; none of those weighs on the land.",
        )
        return Finding(Status.UNKNOWN, detail, unit="prescriptions", legal_refs=())
    detail = Text(
        "Aucune prescription particulière du document d’urbanisme n’est relevée sur le terrain.",
        "No particular prescription of the planning document is found on the land.",
    )
    return Finding(Status.PASS, detail, 0.0, 0, "prescriptions", ())


def _found(facts: LandFacts) -> Finding:
    features, area_m2 = facts.prescriptions or (), facts.geometric_area_m2
    is_complete = facts.is_complete("prescriptions")
    shares: dict[_Kind, float] = {}
    for item in features:
        shares[_kind(item)] = shares.get(_kind(item), 0.0) + (item.overlap_area_m2 / area_m2 if area_m2 else 0.0)
    parts = [
        say(
            "Prescriptions du document d’urbanisme relevées sur le terrain : {names}.",
            "Prescriptions of the planning document found on the land: {names}.",
            names=_named(shares),
        )
    ]
    if not is_complete:
        parts.append(Text("Cette liste n’est pas complète.", "That list is not complete."))
    refs = tuple(dict.fromkeys(ref for item in features for ref in _of(_REFS, _kind(item), ())))
    forbidden = {kind: share for kind, share in shares.items() if _closing(kind) and round(share, 2) > 0}
    worst = max(forbidden, key=lambda kind: forbidden[kind], default=None)
    if worst is not None and forbidden[worst] >= CLOSED_RATIO and (remark := _closing(worst)):
        parts.append(say(remark.fr, remark.en, share=percent(min(1.0, forbidden[worst]))))
        return Finding(Status.FAIL, join(parts), float(len(features)), 0, "prescriptions", refs)
    if forbidden:
        parts.append(
            say(
                "Les lots à bâtir doivent éviter la partie en {names}.",
                "The building plots must keep off the part with {names}.",
                names=_named(forbidden),
            )
        )
    parts.extend(dict.fromkeys(note for kind in sorted(shares) if (note := _of(_REMARKS, kind, None))))
    if not forbidden and len(parts) == 1 + (not is_complete):
        parts.append(
            Text(
                "Ce que le plan prescrit est à lire avant d’arrêter les limites des lots.",
                "What the plan prescribes is to be read before the boundaries of the lots are settled.",
            )
        )
    return Finding(Status.WARN, join(parts), float(len(features)), 0, "prescriptions", refs, (documents.REGULATION,))


def _named(shares: dict[_Kind, float]) -> Text:
    by_name: dict[Text, float] = {}
    for kind, share in shares.items():
        by_name[_name(kind)] = by_name.get(_name(kind), 0.0) + share
    return listed([_with_share(name, by_name[name]) for name in sorted(by_name, key=lambda name: name.fr)])


def _with_share(name: Text, ratio: float) -> Text:
    if round(ratio, 2) == 0:  # a line, a point, or a negligible share
        return name
    return say("{name} ({share})", "{name} ({share})", name=name, share=percent(min(1.0, ratio)))


_MOVED = {"09": ("05", "05"), "10": ("05", "06"), "11": ("15", ""), "12": ("05", "07"), "21": ("05", "06")}
"""Types of documents before the standard of 2017, with the kinds that replace them."""


def _kind(item: PlanningPrescription) -> _Kind:
    return _MOVED.get(item.type_code) or (item.type_code, item.subtype_code)


T = TypeVar("T")


def _of(table: Mapping[_Kind | str, T], kind: _Kind, default: T) -> T:
    """The entry of the kind, else of its type."""
    return table.get(kind, table.get(kind[0], default))


def _closing(kind: _Kind) -> Text | None:
    return _of(_CLOSINGS, kind, None)


_CLOSINGS: dict[_Kind | str, Text | None] = {
    "01": Text(
        "L’espace boisé classé couvre {share} du terrain : tout ce qui compromettrait les boisements y est interdit, "
        "et un lot à bâtir n’y trouve pas place.",
        "The classified woodland covers {share} of the land: whatever would endanger the woods is forbidden there, and "
        "a building plot finds no place.",
    ),
    ("02", "01"): Text(
        "Le plan interdit les constructions sur {share} du terrain, pour l’environnement, les risques ou l’intérêt "
        "général.",
        "The plan forbids building on {share} of the land, for the environment, risks or the public interest.",
    ),
    "05": Text(
        "L’emplacement réservé couvre {share} du terrain : on n’y bâtit que ce à quoi il est destiné.",
        "The reserved site covers {share} of the land: only what it is meant for is built there.",
    ),
    ("05", "06"): None,
    ("05", "07"): Text(
        "Un périmètre d’attente de projet couvre {share} du terrain : au-delà d’un seuil de surface, les constructions "
        "y sont interdites pour cinq ans au plus. La date de levée est dans le plan.",
        "An area that awaits a project covers {share} of the land: above a threshold of area, building is forbidden "
        "there for at most five years. The date on which it ends is in the plan.",
    ),
    "08": Text(
        "Le terrain à protéger couvre {share} du sol : le plan le rend inconstructible.",
        "The ground to protect covers {share} of the land: the plan lets nothing be built there.",
    ),
    "31": Text(
        "L’espace remarquable du littoral couvre {share} du terrain : seuls des aménagements légers y sont admis.",
        "The remarkable coastal area covers {share} of the land: only light works are admitted there.",
    ),
}
"""Kinds that forbid ordinary building on the land that they cover; None if a subtype does not."""
_REFS: dict[_Kind | str, tuple[str, ...]] = {
    "01": (legal.WOODLAND,),
    ("02", "01"): (legal.BUILDING_FORBIDDEN,),
    ("02", "02"): (legal.BUILDING_CONDITIONAL,),
    "02": (legal.BUILDING_FORBIDDEN, legal.BUILDING_CONDITIONAL),
    "05": (legal.RESERVED_SITES,),
    ("05", "07"): (legal.PAPAG,),
    "07": (legal.HERITAGE_ELEMENTS, legal.ECOLOGICAL_ELEMENTS),
    ("07", "01"): (legal.HERITAGE_ELEMENTS,),
    ("07", "02"): (legal.HERITAGE_ELEMENTS,),
    ("07", "03"): (legal.HERITAGE_ELEMENTS,),
    ("07", "04"): (legal.ECOLOGICAL_ELEMENTS,),
    ("07", "05"): (legal.ECOLOGICAL_ELEMENTS,),
    "08": (legal.ECOLOGICAL_ELEMENTS,),
    "15": (legal.SITING_RULES,),
    "18": (legal.DEVELOPMENT_GUIDELINES,),
    "31": (legal.COASTAL_AREAS,),
    "38": (legal.SITING_RULES,),
    "39": (legal.SITING_RULES,),
    "40": (legal.SITING_RULES,),
    "44": (legal.PARKING,),
    "49": (legal.ZONE_AU,),
}
REFS = tuple(dict.fromkeys(ref for refs in _REFS.values() for ref in refs))
"""Every reference that the check may give."""
_FIGURES = Text(
    "Le plan y fixe des règles de recul, d’emprise, de hauteur, de volume ou de stationnement : leurs valeurs "
    "bornent ce que chaque lot peut porter.",
    "The plan sets rules of setback, footprint, height, volume or parking there: their figures limit what each lot "
    "can carry.",
)
_REMARKS: dict[_Kind | str, Text | None] = {
    "02": Text(
        "La construction y est limitée ou soumise à des conditions, que le règlement énonce.",
        "Building is limited there or subject to conditions, which the regulation states.",
    ),
    ("02", "01"): None,
    "07": Text(
        "Les éléments protégés sont à conserver : les travaux qui les modifient se déclarent.",
        "The protected elements are to be kept: works that change them are declared.",
    ),
    "15": _FIGURES,
    "18": Text(
        "La division doit être compatible avec l’orientation d’aménagement, souvent écrite pour tout le secteur.",
        "The division must agree with the development guidelines, often written for the whole sector.",
    ),
    "38": _FIGURES,
    "39": _FIGURES,
    "40": _FIGURES,
    "44": _FIGURES,
    "45": Text(
        "Le plan y fixe les destinations ou la surface de plancher d’une zone d’aménagement concerté.",
        "The plan sets the uses or the floor area of a concerted development zone (ZAC) there.",
    ),
    "49": Text(
        "Le plan y impose une opération d’ensemble : des lots détachés un à un peuvent être refusés.",
        "The plan requires a single development operation there: plots detached one by one may be refused.",
    ),
}
_SUBTYPES = {
    ("02", "01"): Text("interdiction de construire", "ban on building"),
    ("02", "02"): Text("conditions spéciales de construction", "special conditions of building"),
    ("05", "05"): Text("emplacement réservé au logement", "site reserved for housing"),
    ("05", "06"): Text("localisation prévue d’une voie ou d’un équipement", "place foreseen for a road or a facility"),
    ("05", "07"): Text(
        "secteur en attente d’un projet d’aménagement global", "sector that awaits an overall development project"
    ),
    ("16", "01"): Text("bâtiment pouvant changer de destination", "building that may change its use"),
    ("16", "02"): Text("habitation existante pouvant être étendue", "existing dwelling that may be extended"),
    ("16", "03"): Text(
        "secteur de taille et de capacité d’accueil limitées", "sector of limited size and capacity (STECAL)"
    ),
}
"""Sub-types with another meaning than their type."""
_TYPES = {
    "01": Text("espace boisé classé", "classified woodland"),
    "02": Text(
        "limitation de la constructibilité (environnement, risques ou intérêt général)",
        "limit on building (environment, risks or public interest)",
    ),
    "03": Text("disposition de reconstruction ou de démolition", "provision on rebuilding or demolition"),
    "04": Text("obligation de stationnement", "parking requirement"),
    "05": Text("emplacement réservé", "reserved site"),
    "06": Text("densité maximale", "maximum density"),
    "07": Text(
        "élément de patrimoine, de paysage ou de nature à protéger",
        "element of heritage, landscape or nature to protect",
    ),
    "08": Text("terrain cultivé ou non bâti à protéger", "cultivated or unbuilt ground to protect"),
    "13": Text("zone à aménager pour le ski", "area to be developed for skiing"),
    "14": Text("plan de masse", "three-dimensional layout plan (plan de masse)"),
    "15": Text("règles d’implantation des constructions", "rules on where buildings stand"),
    "16": Text("constructions nécessaires à des équipements collectifs", "buildings needed for public facilities"),
    "17": Text("programme de logements (mixité sociale)", "housing programme (social mix)"),
    "18": Text("orientation d’aménagement et de programmation", "development guidelines (OAP)"),
    "19": Text("secteur protégé pour son sol ou son sous-sol", "sector protected for its soil or subsoil"),
    "20": Text("secteur à transfert de constructibilité", "sector of transferred building rights"),
    "22": Text("diversité commerciale à protéger ou à développer", "variety of shops to protect or develop"),
    "23": Text("taille minimale des logements", "minimum size of dwellings"),
    "24": Text("voie ou chemin à conserver ou à créer", "road or path to keep or to make"),
    "25": Text("continuité écologique", "ecological continuity"),
    "26": Text("performance énergétique", "energy performance"),
    "27": Text("aménagement numérique", "digital infrastructure"),
    "28": Text("conditions de desserte", "conditions of access"),
    "29": Text("densité minimale de construction", "minimum building density"),
    "30": Text("majoration des volumes constructibles", "increase of the volumes allowed"),
    "31": Text("espace remarquable du littoral", "remarkable coastal area"),
    "34": Text("patrimoine montagnard à préserver", "mountain heritage to preserve"),
    "35": Text("terres agricoles ou forestières à préserver", "farm or forest land to preserve"),
    "36": Text("mixité des destinations", "mix of uses"),
    "37": Text("règles propres au rez-de-chaussée", "rules for the ground floor"),
    "38": Text("emprise au sol", "footprint"),
    "39": Text("hauteur", "height"),
    "40": Text("volumétrie", "volume of buildings"),
    "41": Text("aspect extérieur", "outward appearance"),
    "42": Text("coefficient de biotope", "biotope coefficient"),
    "43": Text("espaces libres et plantations", "open spaces and planting"),
    "44": Text("stationnement", "parking"),
    "45": Text("zone d’aménagement concerté", "concerted development zone (ZAC)"),
    "47": Text("desserte par les réseaux", "service by networks"),
    "48": Text("limitation de l’imperméabilisation", "limit on sealing of the ground"),
    "49": Text("opération d’ensemble imposée", "single development operation required"),
    "50": Text("destinations interdites", "uses forbidden"),
    "51": Text("destinations soumises à conditions", "uses subject to conditions"),
}
"""Short names of the official types. The publisher's free text is never used."""
_OTHER = Text("autre prescription", "another prescription")


def _name(kind: _Kind) -> Text:
    return _SUBTYPES.get(kind) or _TYPES.get(kind[0], _OTHER)
