"""Code lists of the CNIG standard for planning documents (PLU and carte communale)."""

from collections.abc import Mapping
from typing import NamedTuple

ZONE_TYPES = ("U", "AUc", "AUs", "A", "N", "Ah", "Nh", "Nd")
"""TYPEZONE; Ah, Nh and Nd belong to the standards of 2013 and 2014."""

SECTOR_TYPES: Mapping[str, str] = {
    "01": "Secteur ouvert à la construction",
    "02": "Secteur réservé aux activités",
    "03": "Secteur non ouvert à la construction, sauf exceptions prévues par la loi",
    "99": "Zone non couverte par la carte communale",
}
"""TYPESECT of a carte communale."""

DOCUMENT_TYPES: Mapping[str, str] = {
    "PLU": "PLU", "PLUI": "PLUi", "PLUIH": "PLUi", "POS": "POS", "CC": "CC", "PSMV": "PSMV",
}  # fmt: skip
"""The type by TYPEDOC, or by the type in IDURBA, in upper case."""

PRESCRIPTION_TYPES: Mapping[str, str] = {
    "01": "Espace boisé classé",
    "02": "Limitations de la constructibilité pour des raisons environnementales, de risques, d'intérêt général",
    "03": "Secteur avec disposition de reconstruction / démolition",
    "04": "Périmètre issu des PDU sur obligation de stationnement",
    "05": "Emplacement réservé",
    "06": "Secteur à densité maximale pour les reconstructions ou aménagements de bâtiments existants",
    "07": "Patrimoine bâti, paysager ou éléments de paysages à protéger pour des motifs d'ordre culturel, historique, "
    "architectural ou écologique",
    "08": "Terrain cultivé ou non bâti à protéger en zone urbaine",
    "09": "Emplacement réservé logement social / mixité sociale",
    "11": "Limitations particulières d'implantation des constructions",
    "12": "Secteur de projet en attente d'un projet d'aménagement global",
    "13": "Zone à aménager en vue de la pratique du ski",
    "14": "Secteur de plan de masse",
    "15": "Règles d'implantation des constructions",
    "16": "Constructions et installations nécessaires à des équipements collectifs",
    "17": "Secteur à programme de logements mixité sociale en zone U et AU",
    "18": "Secteur comportant des orientations d'aménagement et de programmation (OAP)",
    "19": "Secteur protégé en raison de la richesse du sol et du sous-sol",
    "20": "Secteur à transfert de constructibilité en zone N",
    "21": "Terrain concerné par la localisation d'équipements en zone U et AU",
    "22": "Diversité commerciale à protéger ou à développer",
    "23": "Secteur avec taille minimale des logements en zone U et AU",
    "24": "Voies, chemins, transport public à conserver et à créer",
    "25": "Éléments de continuité écologique et trame verte et bleue",
    "26": "Secteur de performance énergétique",
    "27": "Secteur d'aménagement numérique",
    "28": "Conditions de desserte",
    "29": "Secteur avec densité minimale de construction",
    "30": "Majoration des volumes constructibles",
    "31": "Espaces remarquables du littoral",
    "32": "Exclusion protection de plans d'eau de faible importance",
    "33": "Secteur de dérogation aux protections des rives des plans d'eau en zone de montagne",
    "34": "Espaces, paysage et milieux caractéristiques du patrimoine naturel et culturel montagnard à préserver",
    "35": "Terres nécessaires au maintien et au développement des activités agricoles, pastorales et forestières à "
    "préserver",
    "36": "Mixité des destinations ou sous-destinations",
    "37": "Règles différenciées entre le rez-de-chaussée et les étages supérieurs des constructions",
    "38": "Emprise au sol",
    "39": "Hauteur",
    "40": "Volumétrie",
    "41": "Aspect extérieur",
    "42": "Coefficient de biotope par surface",
    "43": "Réalisation d'espaces libres, plantations, aires de jeux et de loisir",
    "44": "Stationnement",
    "45": "Zone d'aménagement concerté (surface de plancher, destination)",
    "46": "Constructibilité espace boisé antérieur au 20ème siècle",
    "47": "Desserte par les réseaux",
    "48": "Mesures pour limiter l'imperméabilisation des sols",
    "49": "Opération d'ensemble imposée en zone AU",
    "50": "Interdiction types d'activités, destinations, sous-destinations",
    "51": "Autorisation sous conditions types d'activités, destinations, sous-destinations",
    "99": "Autre",
}
"""TYPEPSC, with the label of its sub-type 00. 09, 11, 12 and 21 belong to the standards of 2013 and 2014."""

_SUBTYPES: Mapping[tuple[str, str], str] = {
    ("05", "06"): "Servitude de localisation des voies, ouvrages publics, installations d'intérêt général et espaces "
    "verts en zone U ou AU",
    ("05", "07"): "Secteur de projet en attente d'un projet d'aménagement global",
    ("16", "01"): "Bâtiment susceptible de changer de destination",
    ("16", "02"): "Bâtiments d'habitation existants pouvant faire l'objet d'extensions ou d'annexes",
    ("16", "03"): "Secteur de taille et de capacité d'accueil limitées (STECAL)",
}
"""Sub-types for which the label of their type would mislead."""


def prescription_label(type_code: str | None, subtype_code: str | None) -> str | None:
    """The official label of a prescription's type; None if the code list does not have it."""
    if type_code is None:
        return None
    return _SUBTYPES.get((type_code, subtype_code or "")) or PRESCRIPTION_TYPES.get(type_code)


class InformationType(NamedTuple):
    label: str
    legal_reference: str | None = None
    """The law that gives it its effect."""


_URBANISM, _ENVIRONMENT, _HERITAGE = "code de l'urbanisme", "code de l'environnement", "code du patrimoine"
_INFORMATION_TYPES: Mapping[str, InformationType] = {
    "02": InformationType("Zone d'aménagement concerté", f"L311-1 {_URBANISM}"),
    "03": InformationType("Zone de préemption dans un espace naturel et sensible", f"L215-1 {_URBANISM}"),
    "04": InformationType("Périmètre de droit de préemption urbain", f"L211-1 {_URBANISM}"),
    "05": InformationType("Zone d'aménagement différé", f"L212-1 et L212-2-1 {_URBANISM}"),
    "07": InformationType("Périmètre de développement prioritaire économie d'énergie", "L712-2 code de l'énergie"),
    "08": InformationType(
        "Périmètre forestier : interdiction ou réglementation des plantations, plantations à réaliser et semis "
        "d'essence forestière",
        "L126-1 code rural et de la pêche maritime",
    ),
    "09": InformationType(
        "Périmètre minier de concession pour l'exploitation ou le stockage", "Livres I et II du code minier"
    ),
    "10": InformationType("Zone de recherche et d'exploitation de carrière", "L321-1, L333-1 et L334-1 du code minier"),
    "11": InformationType(
        "Périmètre des zones délimitées - divisions foncières soumises à déclaration préalable", f"L115-3 {_URBANISM}"
    ),
    "12": InformationType("Périmètre de sursis à statuer", f"L424-1 {_URBANISM}"),
    "13": InformationType(
        "Secteur de programme d'aménagement d'ensemble",
        f"L332-9 {_URBANISM} dans sa version antérieure au 1er mars 2012",
    ),
    "14": InformationType(
        "Périmètre de voisinage d'infrastructure de transport terrestre (secteur affecté par le bruit)",
        f"L571-10 {_ENVIRONMENT}",
    ),
    "16": InformationType("Site archéologique", f"L522-5 2° {_HERITAGE}"),
    "17": InformationType(
        "Zone à risque d'exposition au plomb",
        "L1334-5 code de la santé publique dans sa version antérieure au 11 août 2004",
    ),
    "19": InformationType(
        "Zone d'assainissement collectif/non collectif, eaux usées/eaux pluviales, schéma de réseaux eau et "
        "assainissement, systèmes d'élimination des déchets",
        "L2224-10 code général des collectivités territoriales",
    ),
    "20": InformationType("Règlement local de publicité", f"L581-14 {_ENVIRONMENT}"),
    "21": InformationType("Projet de plan de prévention des risques", f"L562-2 {_ENVIRONMENT}"),
    "22": InformationType("Protection des rives des plans d'eau en zone de montagne", f"L122-12 {_URBANISM}"),
    "23": InformationType("Arrêté du préfet coordonnateur de massif", f"L122-12 {_URBANISM}"),
    "25": InformationType(
        "Périmètre de protection des espaces agricoles et naturels périurbain", f"L113-16 {_URBANISM}"
    ),
    "27": InformationType("Plan d'exposition au bruit des aérodromes", f"L112-6 {_URBANISM}"),
    "30": InformationType("Périmètre projet urbain partenarial", f"L332-11-3 {_URBANISM}"),
    "31": InformationType(
        "Périmètres patrimoniaux d'exclusion des matériaux et énergies renouvelables pris par délibération",
        f"L111-17 {_URBANISM}",
    ),
    "32": InformationType("Secteur de taxe d'aménagement", f"L331-14 et L331-15 {_URBANISM}"),
    "33": InformationType("Droit de préemption commercial", f"L214-1, R214-1 et R214-2 {_URBANISM}"),
    "34": InformationType("Périmètre d'opération d'intérêt national", f"L102-12 et R102-3 {_URBANISM}"),
    "35": InformationType("Périmètre de secteur affecté par un seuil minimal de densité", f"L331-36 {_URBANISM}"),
    "36": InformationType("Schémas d'aménagement de plage", f"L121-28 {_URBANISM}"),
    "37": InformationType("Bois ou forêts relevant du régime forestier", "L211-1 et L211-2 code forestier"),
    "38": InformationType("Secteurs d'information sur les sols", f"L125-6 {_ENVIRONMENT}"),
    "39": InformationType(
        "Périmètres de projets d'association foncière urbaine de projet (AFUP)", f"L322-13 {_URBANISM}"
    ),
    "40": InformationType(
        "Périmètre d'un bien inscrit au patrimoine mondial", f"L612-1 et R612-1 à R612-2 {_HERITAGE}"
    ),
    "97": InformationType("Périmètre d'application d'une pièce écrite territorialisée relative aux annexes"),
    "98": InformationType("Périmètre d'annulation partielle du document d'urbanisme"),
    "99": InformationType("Autre périmètre, secteur, plan, document, site, projet, espace"),
}
"""TYPEINF, with the label and the article of its first sub-type."""
_INFORMATION_SUBTYPES: Mapping[tuple[str, str], str] = {
    ("04", "01"): "Périmètre de droit de préemption urbain renforcé",
    ("19", "02"): "Emplacements traitement eaux et déchets",
    ("40", "02"): "Zone tampon d'un bien inscrit au patrimoine mondial",
    ("99", "01"): "Autre relevant de la loi littoral",
    ("99", "02"): "Autre relevant de la loi montagne",
}


def information_type(type_code: str | None, subtype_code: str | None) -> InformationType | None:
    """The official label and article of an information's type; None if the code list does not have it."""
    information = _INFORMATION_TYPES.get(type_code or "")
    label = _INFORMATION_SUBTYPES.get((type_code or "", subtype_code or ""))
    return information._replace(label=label) if information and label else information
