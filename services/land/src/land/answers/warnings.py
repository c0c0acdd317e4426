"""The warnings of answers, with their texts."""

from collections.abc import Mapping
from dataclasses import dataclass

from land.answers.texts import fill
from servicekit.languages import Text


@dataclass(frozen=True)
class AnswerWarning:
    code: str
    detail: Text
    block: str | None = None
    """The part of the answer that the warning is about; None for all of it."""


def warning(code: str, block: str | None = None, **values: object) -> AnswerWarning:
    return AnswerWarning(code, fill(WARNINGS[code], **values), block)


WARNINGS: Mapping[str, Text] = {
    "parcel_not_found": Text(
        "La parcelle {parcel_id} n’existe pas dans le plan cadastral chargé ; elle est ignorée.",
        "Parcel {parcel_id} does not exist in the loaded cadastral plan; it is left out.",
    ),
    "parcel_unavailable": Text(
        "Le plan cadastral de la parcelle {parcel_id} ne peut pas être obtenu pour l’instant ; elle est ignorée.",
        "The cadastral plan of parcel {parcel_id} cannot be had at the moment; the parcel is left out.",
    ),
    "parcel_retired": Text(
        "La parcelle {parcel_id} n’existe plus dans le plan cadastral ; elle est ignorée. {successors}",
        "Parcel {parcel_id} no longer exists in the cadastral plan; it is left out. {successors}",
    ),
    "geometry_missing": Text(
        "Le plan ne donne pas de contour pour la parcelle {parcel_id}.",
        "The plan draws no outline of parcel {parcel_id}.",
    ),
    "geometry_repaired": Text(
        "Le contour publié de la parcelle {parcel_id} se recoupe ; il a été réparé.",
        "The published outline of parcel {parcel_id} crosses itself; it was repaired.",
    ),
    "cadastre_not_covered": Text(
        "Le plan cadastral de la commune {commune} n’est pas chargé : aucune parcelle ne peut être donnée.",
        "The cadastral plan of commune {commune} is not loaded: no parcel can be given.",
    ),
    "declared_parcel_missing": Text(
        "La base adresse déclare la parcelle {parcel_id}, absente du plan cadastral ; la position de l’adresse décide.",
        "The address file declares parcel {parcel_id}, which the cadastral plan does not have; the address point decides.",
    ),
    "nearest_parcel": Text(
        "Le point de l’adresse n’est dans aucune parcelle ; la plus proche est à {distance_m} m.",
        "The address point lies in no parcel; the nearest is {distance_m} m away.",
    ),
    "no_parcel": Text(
        "Le point de l’adresse n’est dans aucune parcelle et aucune n’est à moins de {limit_m} m.",
        "The address point lies in no parcel and none is within {limit_m} m.",
    ),
    "number_not_found": Text(
        "Le numéro {number} n’existe pas dans la base adresse pour cette voie ; la réponse est la voie.",
        "The address file has no number {number} on this street; the answer is the street.",
    ),
    "contradictory_fields": Text(
        "Ces champs se contredisent : {fields}. Au moins l’un d’eux est faux : vérifiez-les.",
        "These fields contradict each other: {fields}. At least one of them is wrong: check them.",
    ),
    "place_inferred": Text(
        "La demande ne nomme pas de commune : en France, seule {commune} a une voie de ce nom.",
        "The request names no commune: in France, only {commune} has a street of this name.",
    ),
    "house_number_needed": Text(
        "Sans numéro, l’adresse ne désigne pas de parcelle.",
        "Without a house number the address names no parcel.",
    ),
    "frontage_estimated": Text(
        "Le linéaire de façade est une estimation : la limite qu’aucune autre parcelle ne touche, à {tolerance_m} m près.",
        "The frontage is an estimate: the boundary that no other parcel touches, within {tolerance_m} m.",
    ),
    "frontage_unknown": Text(
        "Le linéaire de façade est inconnu : une partie de la limite donne sur un terrain qu’aucun plan chargé ne montre.",
        "The frontage is not known: part of the boundary faces ground that no loaded plan shows.",
    ),
    "owners_not_covered": Text(
        "Le fichier chargé des personnes morales n’a aucune ligne de la commune {commune} : leurs droits n’y sont pas connus.",
        "The loaded file of legal persons has no row of commune {commune}: their rights are not known there.",
    ),
    "owners_truncated": Text(
        "Seuls les {limit} premiers droits de personnes morales sont donnés.",
        "Only the first {limit} rights of legal persons are given.",
    ),
    "addresses_truncated": Text(
        "Seules les {limit} premières adresses de l’unité foncière sont données.",
        "Only the first {limit} addresses of the land unit are given.",
    ),
    "sale_multiple_parcels": Text(
        "La mutation {id_mutation} porte sur {count} parcelles : son prix est celui de l’ensemble.",
        "Mutation {id_mutation} covers {count} parcels: its price is that of all of them.",
    ),
    "sale_former_parcel": Text(
        "La mutation {id_mutation} désigne la parcelle sous un ancien identifiant ({parcel_id}).",
        "Mutation {id_mutation} names the parcel by a former id ({parcel_id}).",
    ),
    "dvf_units_ambiguous": Text(
        "La mutation {id_mutation} ({parcels}) a des lignes identiques, comptées une fois : DVF ne dit pas si elles désignent un seul bien ou plusieurs. Comptées une fois, ou chacune : {readings}.",
        "Mutation {id_mutation} ({parcels}) has identical rows, counted once: DVF does not say whether they are one thing or several. Counted once, or each: {readings}.",
    ),
    "authorization_ambiguous": Text(
        "Autorisations non rattachées, car plusieurs parcelles portent leur section et leur numéro sous des préfixes différents : {count}.",
        "Authorizations not attached, since several parcels have their section and number under different prefixes: {count}.",
    ),
    "authorization_retired": Text(
        "Références d’autorisations de la commune {commune} qui ne désignent aucune parcelle du plan actuel, donc non rattachées : {count}.",
        "References of authorizations in commune {commune} that name no parcel of the present plan, so are not attached: {count}.",
    ),
    "dataset_not_covered": Text(
        "Le jeu de données {dataset} n’est pas disponible ici : son absence ne veut pas dire qu’il n’y a rien.",
        "Dataset {dataset} is not available here: its absence does not mean that there is nothing.",
    ),
    "buildings_not_covered": Text(
        "Aucune donnée sur les bâtiments de la commune {commune} n’est chargée : ce qui est bâti est inconnu.",
        "No data on the buildings of commune {commune} is loaded: what is built is not known.",
    ),
    "buildings_not_placed": Text(
        "Le plan ne dessine pas tout le terrain : ce qui y est bâti est inconnu.",
        "The plan does not draw all of the land: what is built on it is not known.",
    ),
    "buildings_too_many": Text(
        "Trop de bâtiments autour de ces parcelles pour les donner ensemble : demandez moins de parcelles.",
        "Too many buildings around these parcels to give them together: ask for fewer parcels.",
    ),
    "buildings_truncated": Text(
        "Seuls les {limit} plus grands bâtiments sont détaillés ; le nombre et les surfaces comptent tous.",
        "Only the {limit} largest buildings are listed; the count and the areas are of all of them.",
    ),
    "joint_ownerships_truncated": Text(
        "Seules les {limit} plus grandes copropriétés sont données.",
        "Only the {limit} largest joint ownerships are given.",
    ),
    "building_repaired": Text(
        "Le contour publié du bâtiment {building} se recoupe ; il a été réparé.",
        "The published outline of building {building} crosses itself; it was repaired.",
    ),
    "zoning_not_covered": Text(
        "Aucun document d’urbanisme n’est connu ici : cela ne veut pas dire qu’aucune règle ne s’applique.",
        "No planning document is known here: this does not mean that no rule applies.",
    ),
    "zoning_partial": Text(
        "Les zones connues couvrent {percent} % de l’unité foncière ; les règles du reste sont inconnues.",
        "The known zones cover {percent} % of the land unit; the rules of the rest are not known.",
    ),
    "zones_overlap": Text(
        "Des zones se superposent sur l’unité foncière : la somme de leurs parts dépasse sa superficie.",
        "Zones lie over each other on the land unit: their shares add up to more than its area.",
    ),
    "prescriptions_partial": Text(
        "Une partie seulement des prescriptions des documents d’urbanisme est connue ici : d’autres peuvent s’appliquer.",
        "Only part of the planning documents' prescriptions is known here: others may apply.",
    ),
    "prescriptions_not_covered": Text(
        "Les prescriptions des documents d’urbanisme ne sont pas connues ici : il peut y en avoir.",
        "The prescriptions of the planning documents are not known here: there may be some.",
    ),
    "informations_partial": Text(
        "Une partie seulement des informations annexées aux documents d’urbanisme est connue ici : d’autres peuvent s’appliquer.",
        "Only part of the planning documents' information layers is known here: others may apply.",
    ),
    "informations_not_covered": Text(
        "Les informations annexées aux documents d’urbanisme ne sont pas connues ici : il peut y en avoir.",
        "The information layers of the planning documents are not known here: there may be some.",
    ),
    "easements_partial": Text(
        "Une partie seulement des servitudes d’utilité publique est connue ici : d’autres peuvent s’appliquer.",
        "Only part of the public easements is known here: others may apply.",
    ),
    "easements_not_covered": Text(
        "Les servitudes d’utilité publique ne sont pas connues ici : il peut y en avoir.",
        "The public easements are not known here: there may be some.",
    ),
    "easements_truncated": Text(
        "Seules les {limit} premières servitudes de l’unité foncière sont données.",
        "Only the first {limit} easements of the land unit are given.",
    ),
    "planning_sliver": Text(
        "« {label} » n’empiète que de {area_m2} m², moins de 1 % de l’unité foncière : ce recouvrement est laissé de côté.",
        "“{label}” reaches in by {area_m2} m² only, less than 1 % of the land unit: this overlap is left out.",
    ),
    "planning_truncated": Text(
        "Seules les {limit} premières zones, prescriptions et informations de l’unité foncière sont données.",
        "Only the first {limit} zones, prescriptions and information areas of the land unit are given.",
    ),
    "planning_outline_repaired": Text(
        "Le contour publié de « {label} » se recoupe ; il a été réparé.",
        "The published outline of “{label}” crosses itself; it was repaired.",
    ),
    "real_estate_not_covered": Text(
        "Les ventes de la commune {commune} ne sont pas disponibles : les prix alentour sont inconnus.",
        "The sales of commune {commune} are not available: prices nearby are not known.",
    ),
    "real_estate_not_placed": Text(
        "Le plan ne dessine pas le terrain : les ventes alentour ne peuvent être cherchées.",
        "The plan does not draw the land: sales nearby cannot be looked for.",
    ),
    "risks_not_covered": Text(
        "Les risques ne sont pas connus ici : il peut y en avoir.",
        "Risks are not known here: there may be some.",
    ),
    "risks_partial": Text(
        "Ces risques ne sont pas connus, ou seulement en partie : {subjects}. Il peut y en avoir.",
        "These risks are not known, or only in part: {subjects}. There may be some.",
    ),
    "risks_outdated": Text(
        "Géorisques n’a pas renouvelé ces réponses à temps : {subjects}. Leur date est dans retrieved_at.",
        "Géorisques did not renew these answers in time: {subjects}. Their date is in retrieved_at.",
    ),
    "communes_not_searched": Text(
        "Les communes suivantes n’ont pas été consultées, car la demande en désigne trop : {communes}. Précisez la commune ou son code postal.",
        "These communes were not searched, since the query may mean too many: {communes}. Name the commune or its postcode.",
    ),
    "addresses_incomplete": Text(
        "Les adresses de {communes} n’ont pas pu être consultées ; la réponse peut en dépendre.",
        "The addresses of {communes} could not be consulted; the answer may depend on them.",
    ),
    "cadastre_loading": Text(
        "Le plan cadastral de {commune} est en cours de chargement : la même demande donnera bientôt les parcelles.",
        "The cadastral plan of {commune} is being loaded: the same request will soon give the parcels.",
    ),
    "cadastre_failed": Text(
        "Le plan cadastral de {commune} ne peut pas être obtenu pour l’instant.",
        "The cadastral plan of {commune} cannot be had at the moment.",
    ),
    "source_unavailable": Text(
        "Le jeu de données {dataset} n’a pas pu être obtenu en entier : ce qui manque est inconnu, et non absent.",
        "Dataset {dataset} could not be had in whole: what is missing is unknown, not absent.",
    ),
    "area_not_covered": Text(
        "Une partie de la zone n’est dans aucune commune dont le plan est chargé : des parcelles peuvent y manquer.",
        "Part of the area is in no commune whose plan is loaded: parcels may be missing there.",
    ),
    "filter_not_covered": Text(
        "Le filtre {filter} peut manquer des parcelles, faute de données chargées ({datasets}) pour : {communes}.",
        "The filter {filter} may miss parcels, since data ({datasets}) is not loaded in: {communes}.",
    ),
    "search_continues": Text(
        "La page s’arrête après {limit} parcelles examinées : next_cursor mène à la suite.",
        "The page ends after {limit} examined parcels: next_cursor leads to the rest.",
    ),
    "dataset_loading": Text(
        "Le jeu de données {dataset} est en cours de chargement : la même demande le donnera bientôt.",
        "Dataset {dataset} is being loaded: the same request will soon give it.",
    ),
}  # fmt: skip
"""Every warning of an answer, by code."""
