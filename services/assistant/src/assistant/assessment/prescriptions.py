"""The check on the prescriptions of the plan (standard CNIG PLU, TYPEPSC)."""

from assistant.assessment import legal
from assistant.assessment.facts import LandFacts, Layout, PlanFeature
from assistant.assessment.result import Finding, Status
from assistant.text import join, listed, percent, say
from servicekit.languages import Text

CLOSED_RATIO = 0.9
"""A prescription that forbids building fails the check if it covers this share of the unit."""

_EASEMENTS = Text(
    "Les servitudes d'utilité publique, telles que les abords de monuments historiques et les plans de prévention des "
    "risques, n'y figurent pas et sont à vérifier.",
    "Public easements, such as the surroundings of listed monuments and risk prevention plans, are not part of it and "
    "are to be checked.",
)


def prescriptions(facts: LandFacts, layout: Layout) -> Finding:
    """Which prescriptions of the plan apply to the unit?"""
    urbanism = facts.urbanism
    if urbanism is not None and urbanism.is_rnu and not urbanism.zones:
        detail = Text(
            "Sans document d'urbanisme, aucune prescription locale ne porte sur le terrain.",
            "Without a plan of its own, no local prescription weighs on the land.",
        )
        return Finding(Status.PASS, join([detail, _EASEMENTS]), 0.0, 0, "prescriptions", ())
    if urbanism is None or urbanism.prescriptions is None:
        detail = say(
            "Les prescriptions du document d'urbanisme ne sont pas disponibles pour ce terrain{why}.",
            "The prescriptions of the planning document are not available for this land{why}.",
            why=facts.why_missing("prescriptions"),
        )
        return Finding(Status.UNKNOWN, join([detail, _EASEMENTS]), unit="prescriptions", legal_refs=())
    found = urbanism.prescriptions
    if found:
        return _found(found, is_complete=urbanism.has_all_prescriptions)
    if not urbanism.has_all_prescriptions:
        detail = Text(
            "Seule une partie des prescriptions du document d'urbanisme est disponible ; aucune de celles-là ne porte "
            "sur le terrain.",
            "Only some of the prescriptions of the planning document are available; none of those weighs on the land.",
        )
        return Finding(Status.UNKNOWN, join([detail, _EASEMENTS]), unit="prescriptions", legal_refs=())
    detail = Text(
        "Aucune prescription particulière du document d'urbanisme n'est relevée sur le terrain.",
        "No particular prescription of the planning document is found on the land.",
    )
    return Finding(Status.PASS, join([detail, _EASEMENTS]), 0.0, 0, "prescriptions", ())


def _found(found: tuple[PlanFeature, ...], *, is_complete: bool) -> Finding:
    shares: dict[Text, float] = {}
    for item in found:
        name = _name(item)
        shares[name] = shares.get(name, 0.0) + (item.overlap_ratio or 0.0)
    parts = [
        say(
            "Prescriptions du document d'urbanisme relevées sur le terrain : {names}.",
            "Prescriptions of the planning document found on the land: {names}.",
            names=listed([_with_share(name, shares[name]) for name in sorted(shares, key=lambda name: name.fr)]),
        )
    ]
    if not is_complete:
        parts.append(Text("Cette liste n'est pas complète.", "That list is not complete."))
    parts.append(_EASEMENTS)
    refs = tuple(dict.fromkeys(ref for item in found for ref in _REFS.get(item.type_code or "", ())))
    closing = [item for item in found if _forbids(item) and (item.overlap_ratio or 0.0) >= CLOSED_RATIO]
    if closing:
        worst = max(closing, key=lambda item: item.overlap_ratio or 0.0)
        remark = _CLOSINGS[worst.type_code or ""]
        parts.append(say(remark.fr, remark.en, share=percent(min(1.0, worst.overlap_ratio or 0.0))))
    else:
        parts.append(
            Text(
                "Ce que le plan prescrit est à lire avant d'arrêter les limites des lots.",
                "What the plan prescribes is to be read before the boundaries of the lots are settled.",
            )
        )
    status = Status.FAIL if closing else Status.WARN
    return Finding(status, join(parts), float(len(found)), 0, "prescriptions", refs)


def _with_share(name: Text, ratio: float) -> Text:
    if round(ratio, 2) == 0:  # a line, a point, or a negligible share
        return name
    return say("{name} ({share})", "{name} ({share})", name=name, share=percent(min(1.0, ratio)))


def _forbids(item: PlanFeature) -> bool:
    return item.type_code in _CLOSINGS and (item.type_code, item.subtype_code) not in _SUBTYPES


_CLOSINGS = {
    "01": Text(
        "L'espace boisé classé couvre {share} du terrain : tout ce qui compromettrait les boisements y est interdit, "
        "et un lot à bâtir n'y trouve pas place.",
        "The classified woodland covers {share} of the land: whatever would endanger the woods is forbidden there, and "
        "a building plot finds no place.",
    ),
    "05": Text(
        "L'emplacement réservé couvre {share} du terrain : on n'y bâtit que ce à quoi il est destiné.",
        "The reserved site covers {share} of the land: only what it is meant for is built there.",
    ),
    "08": Text(
        "Le terrain à protéger couvre {share} du sol : le plan le rend inconstructible.",
        "The ground to protect covers {share} of the land: the plan lets nothing be built there.",
    ),
}
"""Types that forbid ordinary building on the land that they cover."""
_REFS: dict[str, tuple[str, ...]] = {
    "01": (legal.WOODLAND,),
    "05": (legal.RESERVED_SITES,),
    "07": (legal.HERITAGE_ELEMENTS, legal.ECOLOGICAL_ELEMENTS),
    "08": (legal.ECOLOGICAL_ELEMENTS,),
}
_SUBTYPES = {
    ("05", "06"): Text("localisation prévue d'une voie ou d'un équipement", "place foreseen for a road or a facility"),
    ("05", "07"): Text(
        "secteur en attente d'un projet d'aménagement global", "sector that awaits an overall development project"
    ),
    ("16", "01"): Text("bâtiment pouvant changer de destination", "building that may change its use"),
    ("16", "02"): Text("habitation existante pouvant être étendue", "existing dwelling that may be extended"),
    ("16", "03"): Text(
        "secteur de taille et de capacité d'accueil limitées", "sector of limited size and capacity (STECAL)"
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
    "09": Text("emplacement réservé au logement", "site reserved for housing"),
    "11": Text("limitation particulière d'implantation", "particular limit on where buildings stand"),
    "12": _SUBTYPES["05", "07"],
    "13": Text("zone à aménager pour le ski", "area to be developed for skiing"),
    "14": Text("plan de masse", "three-dimensional layout plan (plan de masse)"),
    "15": Text("règles d'implantation des constructions", "rules on where buildings stand"),
    "16": Text("constructions nécessaires à des équipements collectifs", "buildings needed for public facilities"),
    "17": Text("programme de logements (mixité sociale)", "housing programme (social mix)"),
    "18": Text("orientation d'aménagement et de programmation", "development guidelines (OAP)"),
    "19": Text("secteur protégé pour son sol ou son sous-sol", "sector protected for its soil or subsoil"),
    "20": Text("secteur à transfert de constructibilité", "sector of transferred building rights"),
    "21": Text("localisation d'équipements", "place foreseen for facilities"),
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
    "45": Text("zone d'aménagement concerté", "concerted development zone (ZAC)"),
    "47": Text("desserte par les réseaux", "service by networks"),
    "48": Text("limitation de l'imperméabilisation", "limit on sealing of the ground"),
    "49": Text("opération d'ensemble imposée", "single development operation required"),
    "50": Text("destinations interdites", "uses forbidden"),
    "51": Text("destinations soumises à conditions", "uses subject to conditions"),
}
"""Short names of the official types. The publisher's free text is never used."""
_OTHER = Text("autre prescription", "another prescription")


def _name(item: PlanFeature) -> Text:
    code = item.type_code or ""
    return _SUBTYPES.get((code, item.subtype_code or "")) or _TYPES.get(code, _OTHER)
