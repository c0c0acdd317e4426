"""Code lists of public easements (CNIG standard SUP, v2016b, revision 2024-08), and the regions of their documents."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from land.datasets.partitions import department_of, filing_commune

CATEGORIES: Mapping[str, str] = {
    "A1": "Servitude de protection des bois et forêts relevant du régime forestier à Mayotte",
    "A2": "Servitude de passage des conduites souterraines d'irrigation",
    "A3": "Servitude de passage des engins mécaniques d'entretien et de dépôt pour l'entretien des canaux "
    "d'irrigation et de certains émissaires d'assainissement",
    "A4": "Servitude de passage dans le lit ou sur les berges de cours d'eau",
    "A5": "Servitude pour l'établissement des canalisations publiques d'eau et d'assainissement",
    "A6": "Servitude d'écoulement des eaux nuisibles attachées aux travaux d'assainissement des terres par le drainage",
    "A7": "Servitude relative aux forêts dites de protection",
    "A8": "Servitude résultant de la mise en défens des terrains et pâturages en montagne et relative à la "
    "protection des dunes du Pas-de-Calais",
    "A9": "Zone agricole protégée",
    "A10": "Zone de protection naturelle, agricole et forestière du plateau de Saclay",
    "AC1": "Servitude relative aux monuments historiques (immeubles classés et inscrits, abords des monuments "
    "historiques)",
    "AC2": "Servitude relative aux sites inscrits et classés",
    "AC3": "Réserve naturelle et périmètre de protection autour des réserves naturelles",
    "AC4": "Site patrimonial remarquable (SPR), zone de protection du patrimoine architectural, urbain et paysager "
    "(ZPPAUP), aire de mise en valeur de l'architecture et du patrimoine (AVAP)",
    "AC4bis": "Plan de valorisation de l'architecture et du patrimoine (PVAP)",
    "AR1": "Servitude de champs de vue concernant les postes électro-sémaphoriques de la marine nationale",
    "AR2": "Servitude de champs de vue concernant les postes militaires de défense des côtes et de sécurité de la "
    "navigation",
    "AR3": "Servitude autour des magasins et établissements servant à la conservation, à la manipulation ou à la "
    "fabrication des poudres, munitions, artifices ou explosifs",
    "AR4": "Servitude concernant l'établissement de terrains d'atterrissage destinés en partie ou en totalité à "
    "l'armée de l'air",
    "AR5": "Servitude autour des installations de défense autres que celles concernées par les SUP AR1 à AR4 et AR6",
    "AR6": "Servitude aux abords des champs de tirs",
    "AS1": "Servitude résultant de l'instauration de périmètres de protection autour des captages d'eaux destinées à "
    "l'alimentation en eau potable et des sources minérales naturelles",
    "AS2": "Servitude résultant de l'instauration de périmètres de protection autour des établissements de "
    "conchyliculture et d'aquaculture et des gisements coquilliers",
    "EL2bis": "Servitude qui concerne la Loire et ses affluents",
    "EL3": "Servitude de halage et de marchepied",
    "EL4": "Servitude relative au développement et à la protection des montagnes",
    "EL5": "Servitude de visibilité sur les voies publiques",
    "EL6": "Servitude grevant les terrains nécessaires aux routes nationales et aux autoroutes",
    "EL7": "Servitude d'alignement des voies publiques",
    "EL8": "Servitude de champs de vue et de visibilité pour les établissements de signalisation maritime (ESM)",
    "EL9": "Servitude de passage des piétons sur le littoral",
    "EL10": "Cœur de parc national",
    "EL11": "Servitude relative aux interdictions d'accès grevant les propriétés limitrophes des autoroutes, des "
    "routes express et des déviations d'agglomérations",
    "I1": "Servitude relative à la maîtrise de l'urbanisation autour des canalisations de transport de gaz naturel "
    "ou assimilé, d'hydrocarbures et de produits chimiques et de certaines canalisations de distribution de "
    "gaz",
    "I2": "Servitude liée aux installations hydrauliques concédées",
    "I3": "Servitude relative à l'établissement des canalisations de transport de gaz naturel ou assimilé, "
    "d'hydrocarbures et de produits chimiques",
    "I4": "Servitude relative aux ouvrages de transport et de distribution d'électricité",
    "I5": "Servitude relative à l'établissement des canalisations de distribution de gaz",
    "I6": "Servitude relative à l'exploration et à l'exploitation des mines et carrières",
    "I7": "Servitudes relatives à la protection des stockages souterrains de gaz naturel, d'hydrocarbures liquides, "
    "liquéfiées ou gazeux, d'hydrogène ou de produits chimiques à destination industrielle ou énergétique",
    "I9": "Servitude relative aux canalisations de transport et de distribution de chaleur et de froid",
    "I10": "Servitude relative à la sécurité et la prévention des risques miniers",
    "INT1": "Servitude instituée au voisinage des cimetières",
    "JS1": "Servitude de protection des équipements sportifs",
    "PM1": "Plan de prévention des risques naturels prévisibles (PPRNP) et plan de prévention de risques miniers "
    "(PPRM) et documents valant PPRNP",
    "PM1bis": "Servitude d'inondation pour la rétention des crues du Rhin",
    "PM2": "Servitude autour des installations classées pour la protection de l'environnement et sur des sites et "
    "sols pollués, de stockage de déchets ou d'anciennes carrières",
    "PM3": "Plan de prévention des risques technologiques (PPRT)",
    "PM4": "Servitude relative aux zones de rétention temporaire des eaux de crues ou de ruissellement, de mobilité "
    "d'un cours d'eau et aux zones dites « stratégiques pour la gestion de l'eau »",
    "PM5": "Servitude visant à ne pas aggraver les risques pour la sécurité publique en présence d'un ouvrage "
    "hydraulique",
    "PM6": "Servitude autour des installations nucléaires de base",
    "PM7": "Servitude relative aux ouvrages ou infrastructures permettant de prévenir les inondations ou les "
    "submersions",
    "PM8": "Servitude relative à la création, la continuité, la pérennité et l'entretien des équipements de défense "
    "des forêts contre les incendies (DFCI)",
    "PM9": "Servitude relative aux zones de danger",
    "PT1": "Servitude de protection des centres radioélectriques d'émission et de réception contre les perturbations "
    "électromagnétiques",
    "PT2": "Servitude de protection des centres radioélectriques d'émission et de réception contre les obstacles "
    "physiques",
    "PT3": "Servitude attachée aux réseaux de télécommunications",
    "T1": "Servitude de protection du domaine public ferroviaire",
    "T2": "Servitude de survol au profit des téléphériques",
    "T3": "Servitude en tréfonds",
    "T4": "Servitude aéronautique de balisage",
    "T5": "Servitude aéronautique de dégagement (civile)",
    "T6": "Servitude grevant les terrains nécessaires aux besoins de la navigation aérienne",
    "T7": "Servitude établie à l'extérieur des zones de dégagement",
    "T9": "Servitude au profit des transports guidés par câble en milieu urbain",
}
"""The official label by code; some errors of typing are corrected."""
_DOCUMENT = re.compile(r"(?:[0-9]{9}_)?SUP_([0-9A-Z]{2,5})_([0-9A-Z]{2,10})(?:_[0-9A-Z]{1,8})?", re.IGNORECASE)
_COMMUNE_LENGTH = 5
_CODES = {code.casefold(): code for code in CATEGORIES}
_REGIONS: Mapping[str, str] = {
    "01": "971", "02": "972", "03": "973", "04": "974", "06": "976", "11": "75 77 78 91 92 93 94 95",
    "24": "18 28 36 37 41 45", "27": "21 25 39 58 70 71 89 90", "28": "14 27 50 61 76", "32": "02 59 60 62 80",
    "44": "08 10 51 52 54 55 57 67 68 88", "52": "44 49 53 72 85", "53": "22 29 35 56",
    "75": "16 17 19 23 24 33 40 47 64 79 86 87", "76": "09 11 12 30 31 32 34 46 48 65 66 81 82",
    "84": "01 03 07 15 26 38 42 43 63 69 73 74", "93": "04 05 06 13 83 84", "94": "2A 2B",
}  # fmt: skip
"""The départements of each region, by the codes of INSEE."""
_REGION_OF = {
    department: f"R{region}" for region, departments in _REGIONS.items() for department in departments.split()
}


def category_code(text: str) -> str | None:
    """The official code for one in any case, such as ac4bis; None if the list does not have it."""
    return _CODES.get(text.casefold())


def region_of(department: str) -> str | None:
    """The region of a département as documents name it, such as R84; None for the demo's and overseas territories."""
    return _REGION_OF.get(department)


class Document(NamedTuple):
    """A document of easements: one category of one manager in one territory."""

    code: str
    territory: str
    """A département, a region (R84) or a commune."""
    category: str


def document_named(name: str) -> Document | None:
    """The document of a partition such as 172014607_SUP_75_AC1; None if it has another form."""
    match = _DOCUMENT.fullmatch(name)
    return Document(name, match[1].upper(), category_code(match[2]) or match[2].upper()) if match else None


def is_for_department(territory: str, department: str) -> bool:
    """Whether a document's territory is the département, its region or one of its communes."""
    is_commune = len(territory) == _COMMUNE_LENGTH and department_of(territory) == department
    return is_commune or territory in (department, region_of(department))


def is_for_commune(territory: str, commune: str) -> bool:
    """Whether a document's territory contains the commune."""
    department = department_of(commune)
    return territory in (department, region_of(department), commune, filing_commune(commune))
