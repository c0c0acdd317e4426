"""Code lists of the CNIG standard for planning documents (PLU and carte communale)."""

from collections.abc import Mapping

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
"""By TYPEDOC, or the type in IDURBA, in upper case."""

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
