"""What answers say in prose, in French and English: warnings and refusals by code."""

from dataclasses import dataclass
from typing import Literal

Language = Literal["fr", "en"]


@dataclass(frozen=True)
class AnswerWarning:
    """Something that the reader of an answer should know; `block` is the part of the answer that it is about."""

    code: str
    detail: str
    block: str | None = None


_TEXTS: dict[str, dict[Language, str]] = {
    "address_not_found": {
        "fr": "Aucune adresse ne correspond.",
        "en": "No address matches.",
    },
    "no_parcel_known": {
        "fr": "Aucune des parcelles n'existe dans le plan cadastral chargé.",
        "en": "None of the parcels exists in the loaded cadastral plan.",
    },
    "parcel_not_found": {
        "fr": "La parcelle {parcel_id} n'existe pas dans le plan cadastral chargé ; elle est ignorée.",
        "en": "Parcel {parcel_id} does not exist in the loaded cadastral plan; it is left out.",
    },
    "geometry_missing": {
        "fr": "Le plan ne donne pas de contour pour la parcelle {parcel_id}.",
        "en": "The plan draws no outline of parcel {parcel_id}.",
    },
    "geometry_repaired": {
        "fr": "Le contour publié de la parcelle {parcel_id} se recoupe ; il a été réparé.",
        "en": "The published outline of parcel {parcel_id} crosses itself; it was repaired.",
    },
    "cadastre_not_covered": {
        "fr": "Le plan cadastral de la commune {commune} n'est pas chargé : aucune parcelle ne peut être donnée.",
        "en": "The cadastral plan of commune {commune} is not loaded: no parcel can be given.",
    },
    "declared_parcel_missing": {
        "fr": "La base adresse déclare la parcelle {parcel_id}, absente du plan cadastral ; la position de l'adresse décide.",
        "en": "The address file declares parcel {parcel_id}, which the cadastral plan does not have; the address point decides.",
    },
    "nearest_parcel": {
        "fr": "Le point de l'adresse n'est dans aucune parcelle ; la plus proche est à {distance_m} m.",
        "en": "The address point lies in no parcel; the nearest is {distance_m} m away.",
    },
    "no_parcel": {
        "fr": "Le point de l'adresse n'est dans aucune parcelle et aucune n'est à moins de {limit_m} m.",
        "en": "The address point lies in no parcel and none is within {limit_m} m.",
    },
    "number_not_found": {
        "fr": "Le numéro {number} n'existe pas dans la base adresse pour cette voie ; la réponse est la voie.",
        "en": "The address file has no number {number} on this street; the answer is the street.",
    },
    "house_number_needed": {
        "fr": "Sans numéro, l'adresse ne désigne pas de parcelle.",
        "en": "Without a house number the address names no parcel.",
    },
    "frontage_estimated": {
        "fr": "Le linéaire de façade est une estimation : la limite qu'aucune autre parcelle ne touche, à {tolerance_m} m près.",
        "en": "The frontage is an estimate: the boundary that no other parcel touches, within {tolerance_m} m.",
    },
    "frontage_unknown": {
        "fr": "Le linéaire de façade est inconnu : une partie de la limite donne sur un terrain qu'aucun plan chargé ne montre.",
        "en": "The frontage is not known: part of the boundary faces ground that no loaded plan shows.",
    },
    "addresses_truncated": {
        "fr": "Seules les {limit} premières adresses de l'unité foncière sont données.",
        "en": "Only the first {limit} addresses of the land unit are given.",
    },
    "sale_multiple_parcels": {
        "fr": "La mutation {id_mutation} porte sur {count} parcelles : son prix est celui de l'ensemble.",
        "en": "Mutation {id_mutation} covers {count} parcels: its price is that of all of them.",
    },
    "sale_former_parcel": {
        "fr": "La mutation {id_mutation} désigne la parcelle sous un ancien identifiant ({parcel_id}).",
        "en": "Mutation {id_mutation} names the parcel by a former id ({parcel_id}).",
    },
    "authorization_ambiguous": {
        "fr": "{count} autorisation(s) citent une section et un numéro que plusieurs parcelles portent sous des préfixes différents ; elles ne sont pas rattachées.",
        "en": "{count} authorization(s) name a section and number that several parcels have under different prefixes; they are not attached.",
    },
    "authorization_retired": {
        "fr": "Dans la commune {commune}, {count} référence(s) d'autorisations ne désignent aucune parcelle du plan actuel ; elles ne sont pas rattachées.",
        "en": "In commune {commune}, {count} reference(s) of authorizations name no parcel of the present plan; they are not attached.",
    },
    "dataset_not_covered": {
        "fr": "Le jeu de données {dataset} n'est pas disponible ici : son absence ne veut pas dire qu'il n'y a rien.",
        "en": "Dataset {dataset} is not available here: its absence does not mean that there is nothing.",
    },
    "block_not_available": {
        "fr": "Ce bloc n'est pas encore disponible : son contenu est inconnu, et non vide.",
        "en": "This block is not available yet: its content is unknown, not empty.",
    },
}  # fmt: skip


def warning(code: str, language: Language, block: str | None = None, **values: object) -> AnswerWarning:
    return AnswerWarning(code, text(code, language, **values), block)


def text(code: str, language: Language, **values: object) -> str:
    return _TEXTS[code][language].format(**values)
