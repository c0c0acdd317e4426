"""Warnings of answers and the texts of errors, in French and English."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from land.warning_texts import WARNINGS
from servicekit.languages import typeset

Language = Literal["fr", "en"]


@dataclass(frozen=True)
class AnswerWarning:
    code: str
    detail: str
    block: str | None = None
    """The part of the answer that the warning is about; None for all of it."""


_TEXTS: Mapping[str, Mapping[str, str]] = {
    "address_not_found": {
        "fr": "Aucune adresse ne correspond.",
        "en": "No address matches.",
    },
    "place_missing": {
        "fr": "Aucune commune n’est reconnue dans la demande : ajoutez le code postal, le nom de la commune ou son code INSEE.",
        "en": "No commune is recognized in the request: add the postcode, the name of the commune or its INSEE code.",
    },
    "commune_needed": {
        "fr": "La demande ne nomme qu’un département ou une région : ajoutez la commune, son code postal ou son code INSEE.",
        "en": "The request names only a département or a region: add the commune, its postcode or its INSEE code.",
    },
    "no_address_near": {
        "fr": "Aucun numéro connu n’est à moins de {limit_m} m de ce point.",
        "en": "No known house number is within {limit_m} m of this point.",
    },
    "address_empty": {
        "fr": "L’adresse est vide : donnez label, ou certains des champs.",
        "en": "The address is empty: give a label, or some of the fields.",
    },
    "nothing_selected": {
        "fr": "Rien ne désigne de terrain : donnez parcel_ids ou une adresse.",
        "en": "Nothing selects land: give parcel_ids or an address.",
    },
    "too_many_parcels": {
        "fr": "Une demande désigne au plus {limit} parcelles.",
        "en": "A request names at most {limit} parcels.",
    },
    "parcel_id_malformed": {
        "fr": "Un identifiant de parcelle compte 14 caractères, tels que le cadastre les donne.",
        "en": "A parcel id has 14 characters, as the cadastre gives them.",
    },
    "no_parcel_at_address": {
        "fr": "L’adresse ne mène à aucune parcelle.",
        "en": "The address leads to no parcel.",
    },
    "no_parcel_known": {
        "fr": "Aucune des parcelles n’existe dans le plan cadastral chargé.",
        "en": "None of the parcels exists in the loaded cadastral plan.",
    },
    "no_parcel_but_retired": {
        "fr": "Ces parcelles n’existent plus : {parcels}.",
        "en": "These parcels no longer exist: {parcels}.",
    },
    "successors_known": {
        "fr": "Lui succèdent : {parcels}.",
        "en": "It was followed by: {parcels}.",
    },
    "successors_unknown": {
        "fr": "Le plan ne montre pas ce qui lui succède.",
        "en": "The plan does not show what followed it.",
    },
    "reading_units": {"fr": "{once} ou {each} locaux", "en": "{once} or {each} units"},
    "reading_built": {"fr": "{once} ou {each} m² bâtis", "en": "{once} or {each} m² built"},
    "reading_rooms": {"fr": "{once} ou {each} pièces principales", "en": "{once} or {each} main rooms"},
    "reading_land": {"fr": "{once} ou {each} m² de terrain", "en": "{once} or {each} m² of land"},
    "comparables_method": {
        "fr": "Ventes d’un seul bien ({kind}) dans la commune, à moins de {radius_m} m : le plus petit cercle qui en compte {enough}, ou à défaut le plus grand. Nature retenue : {basis}. Ne comptent pas les ventes du terrain lui-même, les prix symboliques, les ventes de plusieurs biens et celles qui ne sont pas ordinaires. Les premières sont données ({listed}), par distance, un an comptant pour {metres_per_year} m.",
        "en": "Sales of a single property ({kind}) in the commune, within {radius_m} m: the smallest circle that has {enough} of them, or else the widest. Kind: {basis}. Left out are sales of the land itself, symbolic prices, sales of several properties and those that are not ordinary. The first are given ({listed}), by distance, a year counting for {metres_per_year} m.",
    },
    "comparables_none": {
        "fr": "Aucune vente comparable dans la commune à moins de {radius_m} m.",
        "en": "No comparable sale in the commune within {radius_m} m.",
    },
    "kind_house": {"fr": "maison", "en": "house"},
    "kind_flat": {"fr": "appartement", "en": "flat"},
    "kind_commercial": {"fr": "local d’activité", "en": "business premises"},
    "kind_building_land": {"fr": "terrain à bâtir", "en": "building land"},
    "kind_land": {"fr": "terrain nu autre qu’à bâtir", "en": "bare land not sold for building"},
    "basis_own_sale": {
        "fr": "celle de la dernière vente du terrain",
        "en": "that of the land's own last sale",
    },
    "basis_nothing_built": {
        "fr": "rien n’est bâti sur le terrain, et c’est le sol le plus vendu alentour",
        "en": "nothing is built on the land, and it is the ground most sold nearby",
    },
    "basis_buildings": {
        "fr": "celle des bâtiments du terrain selon la BD TOPO",
        "en": "that of the land's buildings according to BD TOPO",
    },
    "basis_nearby_sales": {
        "fr": "la plus vendue alentour, faute de connaître celle du terrain",
        "en": "the one most sold nearby, that of the land not being known",
    },
    "loads_refused": {
        "fr": "Trop de chargements sont déjà en attente : celui-ci n’est pas encore accepté.",
        "en": "Too many loads are waiting already: this one is not accepted yet.",
    },
    "no_space": {
        "fr": "Le service n’a pas assez d’espace disque pour charger les données demandées.",
        "en": "The service does not have enough disk space to load the data asked for.",
    },
    "communes_loading": {
        "fr": "La liste des communes est en cours de chargement.",
        "en": "The list of communes is being loaded.",
    },
    "communes_unavailable": {
        "fr": "La liste des communes ne peut pas être obtenue pour l’instant.",
        "en": "The list of communes cannot be had at the moment.",
    },
    "addresses_loading": {
        "fr": "Les adresses de la commune ({communes}) sont en cours de chargement.",
        "en": "The addresses of the commune ({communes}) are being loaded.",
    },
    "addresses_unavailable": {
        "fr": "Les adresses de la commune ({communes}) ne peuvent pas être obtenues pour l’instant.",
        "en": "The addresses of the commune ({communes}) cannot be had at the moment.",
    },
    "parcels_loading": {
        "fr": "Les données de la commune ({communes}) sont en cours de chargement.",
        "en": "The data of the commune ({communes}) are being loaded.",
    },
    "parcels_unavailable": {
        "fr": "Le plan cadastral de la commune ({communes}) ne peut pas être obtenu pour l’instant.",
        "en": "The cadastral plan of the commune ({communes}) cannot be had at the moment.",
    },
}  # fmt: skip
"""Details of errors, and parts of other texts."""


def warning(code: str, language: Language, block: str | None = None, **values: object) -> AnswerWarning:
    return AnswerWarning(code, _fill(WARNINGS[code], language, values), block)


def quoted(fields: Mapping[str, str], language: Language) -> str:
    """Typed values with the names of their fields, such as `city “Paris”, city_code “69381”`."""
    opening, closing = ("“", "”") if language == "en" else ("«\N{NO-BREAK SPACE}", "\N{NO-BREAK SPACE}»")
    return ", ".join(f"{name} {opening}{value}{closing}" for name, value in fields.items())


def text(code: str, language: Language, **values: object) -> str:
    return _fill(_TEXTS[code], language, values)


def _fill(template: Mapping[str, str], language: Language, values: Mapping[str, object]) -> str:
    shown = {name: _shown(value, language) for name, value in values.items()}
    return (typeset(template["fr"]) if language == "fr" else template["en"]).format(**shown)


def _shown(value: object, language: Language) -> object:
    """A number as the language writes it: `1 000,5` with a narrow no-break space, or `1,000.5`."""
    if not isinstance(value, int | float):
        return value
    number = f"{value:,.12g}"
    return number.translate(_FRENCH_NUMBER) if language == "fr" else number


_FRENCH_NUMBER = str.maketrans({",": "\N{NARROW NO-BREAK SPACE}", ".": ","})
