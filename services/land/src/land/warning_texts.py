"""The texts of warnings in answers, by code and language."""

from collections.abc import Mapping

WARNINGS: Mapping[str, Mapping[str, str]] = {
    "parcel_not_found": {
        "fr": "La parcelle {parcel_id} n’existe pas dans le plan cadastral chargé ; elle est ignorée.",
        "en": "Parcel {parcel_id} does not exist in the loaded cadastral plan; it is left out.",
    },
    "parcel_unavailable": {
        "fr": "Le plan cadastral de la parcelle {parcel_id} ne peut pas être obtenu pour l’instant ; elle est ignorée.",
        "en": "The cadastral plan of parcel {parcel_id} cannot be had at the moment; the parcel is left out.",
    },
    "parcel_retired": {
        "fr": "La parcelle {parcel_id} n’existe plus dans le plan cadastral ; elle est ignorée. {successors}",
        "en": "Parcel {parcel_id} no longer exists in the cadastral plan; it is left out. {successors}",
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
        "fr": "Le plan cadastral de la commune {commune} n’est pas chargé : aucune parcelle ne peut être donnée.",
        "en": "The cadastral plan of commune {commune} is not loaded: no parcel can be given.",
    },
    "declared_parcel_missing": {
        "fr": "La base adresse déclare la parcelle {parcel_id}, absente du plan cadastral ; la position de l’adresse décide.",
        "en": "The address file declares parcel {parcel_id}, which the cadastral plan does not have; the address point decides.",
    },
    "nearest_parcel": {
        "fr": "Le point de l’adresse n’est dans aucune parcelle ; la plus proche est à {distance_m} m.",
        "en": "The address point lies in no parcel; the nearest is {distance_m} m away.",
    },
    "no_parcel": {
        "fr": "Le point de l’adresse n’est dans aucune parcelle et aucune n’est à moins de {limit_m} m.",
        "en": "The address point lies in no parcel and none is within {limit_m} m.",
    },
    "number_not_found": {
        "fr": "Le numéro {number} n’existe pas dans la base adresse pour cette voie ; la réponse est la voie.",
        "en": "The address file has no number {number} on this street; the answer is the street.",
    },
    "contradictory_fields": {
        "fr": "Ces champs se contredisent : {fields}. Au moins l’un d’eux est faux : vérifiez-les.",
        "en": "These fields contradict each other: {fields}. At least one of them is wrong: check them.",
    },
    "place_inferred": {
        "fr": "La demande ne nomme pas de commune : en France, seule {commune} a une voie de ce nom.",
        "en": "The request names no commune: in France, only {commune} has a street of this name.",
    },
    "house_number_needed": {
        "fr": "Sans numéro, l’adresse ne désigne pas de parcelle.",
        "en": "Without a house number the address names no parcel.",
    },
    "frontage_estimated": {
        "fr": "Le linéaire de façade est une estimation : la limite qu’aucune autre parcelle ne touche, à {tolerance_m} m près.",
        "en": "The frontage is an estimate: the boundary that no other parcel touches, within {tolerance_m} m.",
    },
    "frontage_unknown": {
        "fr": "Le linéaire de façade est inconnu : une partie de la limite donne sur un terrain qu’aucun plan chargé ne montre.",
        "en": "The frontage is not known: part of the boundary faces ground that no loaded plan shows.",
    },
    "owners_not_covered": {
        "fr": "Le fichier chargé des personnes morales n’a aucune ligne de la commune {commune} : leurs droits n’y sont pas connus.",
        "en": "The loaded file of legal persons has no row of commune {commune}: their rights are not known there.",
    },
    "owners_truncated": {
        "fr": "Seuls les {limit} premiers droits de personnes morales sont donnés.",
        "en": "Only the first {limit} rights of legal persons are given.",
    },
    "addresses_truncated": {
        "fr": "Seules les {limit} premières adresses de l’unité foncière sont données.",
        "en": "Only the first {limit} addresses of the land unit are given.",
    },
    "sale_multiple_parcels": {
        "fr": "La mutation {id_mutation} porte sur {count} parcelles : son prix est celui de l’ensemble.",
        "en": "Mutation {id_mutation} covers {count} parcels: its price is that of all of them.",
    },
    "sale_former_parcel": {
        "fr": "La mutation {id_mutation} désigne la parcelle sous un ancien identifiant ({parcel_id}).",
        "en": "Mutation {id_mutation} names the parcel by a former id ({parcel_id}).",
    },
    "dvf_units_ambiguous": {
        "fr": "La mutation {id_mutation} ({parcels}) a des lignes identiques, comptées une fois : DVF ne dit pas si elles désignent un seul bien ou plusieurs. Comptées une fois, ou chacune : {readings}.",
        "en": "Mutation {id_mutation} ({parcels}) has identical rows, counted once: DVF does not say whether they are one thing or several. Counted once, or each: {readings}.",
    },
    "authorization_ambiguous": {
        "fr": "Autorisations non rattachées, car plusieurs parcelles portent leur section et leur numéro sous des préfixes différents : {count}.",
        "en": "Authorizations not attached, since several parcels have their section and number under different prefixes: {count}.",
    },
    "authorization_retired": {
        "fr": "Références d’autorisations de la commune {commune} qui ne désignent aucune parcelle du plan actuel, donc non rattachées : {count}.",
        "en": "References of authorizations in commune {commune} that name no parcel of the present plan, so are not attached: {count}.",
    },
    "dataset_not_covered": {
        "fr": "Le jeu de données {dataset} n’est pas disponible ici : son absence ne veut pas dire qu’il n’y a rien.",
        "en": "Dataset {dataset} is not available here: its absence does not mean that there is nothing.",
    },
    "buildings_not_covered": {
        "fr": "Aucune donnée sur les bâtiments de la commune {commune} n’est chargée : ce qui est bâti est inconnu.",
        "en": "No data on the buildings of commune {commune} is loaded: what is built is not known.",
    },
    "buildings_not_placed": {
        "fr": "Le plan ne dessine pas tout le terrain : ce qui y est bâti est inconnu.",
        "en": "The plan does not draw all of the land: what is built on it is not known.",
    },
    "buildings_too_many": {
        "fr": "Trop de bâtiments autour de ces parcelles pour les donner ensemble : demandez moins de parcelles.",
        "en": "Too many buildings around these parcels to give them together: ask for fewer parcels.",
    },
    "buildings_truncated": {
        "fr": "Seuls les {limit} plus grands bâtiments sont détaillés ; le nombre et les surfaces comptent tous.",
        "en": "Only the {limit} largest buildings are listed; the count and the areas are of all of them.",
    },
    "joint_ownerships_truncated": {
        "fr": "Seules les {limit} plus grandes copropriétés sont données.",
        "en": "Only the {limit} largest joint ownerships are given.",
    },
    "building_repaired": {
        "fr": "Le contour publié du bâtiment {building} se recoupe ; il a été réparé.",
        "en": "The published outline of building {building} crosses itself; it was repaired.",
    },
    "zoning_not_covered": {
        "fr": "Aucun document d’urbanisme n’est connu ici : cela ne veut pas dire qu’aucune règle ne s’applique.",
        "en": "No planning document is known here: this does not mean that no rule applies.",
    },
    "zoning_partial": {
        "fr": "Les zones connues couvrent {percent} % de l’unité foncière ; les règles du reste sont inconnues.",
        "en": "The known zones cover {percent} % of the land unit; the rules of the rest are not known.",
    },
    "zones_overlap": {
        "fr": "Des zones se superposent sur l’unité foncière : la somme de leurs parts dépasse sa superficie.",
        "en": "Zones lie over each other on the land unit: their shares add up to more than its area.",
    },
    "prescriptions_partial": {
        "fr": "Une partie seulement des prescriptions des documents d’urbanisme est connue ici : d’autres peuvent s’appliquer.",
        "en": "Only part of the planning documents' prescriptions is known here: others may apply.",
    },
    "prescriptions_not_covered": {
        "fr": "Les prescriptions des documents d’urbanisme ne sont pas connues ici : il peut y en avoir.",
        "en": "The prescriptions of the planning documents are not known here: there may be some.",
    },
    "informations_partial": {
        "fr": "Une partie seulement des informations annexées aux documents d’urbanisme est connue ici : d’autres peuvent s’appliquer.",
        "en": "Only part of the planning documents' information layers is known here: others may apply.",
    },
    "informations_not_covered": {
        "fr": "Les informations annexées aux documents d’urbanisme ne sont pas connues ici : il peut y en avoir.",
        "en": "The information layers of the planning documents are not known here: there may be some.",
    },
    "easements_partial": {
        "fr": "Une partie seulement des servitudes d’utilité publique est connue ici : d’autres peuvent s’appliquer.",
        "en": "Only part of the public easements is known here: others may apply.",
    },
    "easements_not_covered": {
        "fr": "Les servitudes d’utilité publique ne sont pas connues ici : il peut y en avoir.",
        "en": "The public easements are not known here: there may be some.",
    },
    "easements_truncated": {
        "fr": "Seules les {limit} premières servitudes de l’unité foncière sont données.",
        "en": "Only the first {limit} easements of the land unit are given.",
    },
    "planning_sliver": {
        "fr": "« {label} » n’empiète que de {area_m2} m², moins de 1 % de l’unité foncière : ce recouvrement est laissé de côté.",
        "en": "“{label}” reaches in by {area_m2} m² only, less than 1 % of the land unit: this overlap is left out.",
    },
    "planning_truncated": {
        "fr": "Seules les {limit} premières zones, prescriptions et informations de l’unité foncière sont données.",
        "en": "Only the first {limit} zones, prescriptions and information areas of the land unit are given.",
    },
    "planning_outline_repaired": {
        "fr": "Le contour publié de « {label} » se recoupe ; il a été réparé.",
        "en": "The published outline of “{label}” crosses itself; it was repaired.",
    },
    "real_estate_not_covered": {
        "fr": "Les ventes de la commune {commune} ne sont pas disponibles : les prix alentour sont inconnus.",
        "en": "The sales of commune {commune} are not available: prices nearby are not known.",
    },
    "real_estate_not_placed": {
        "fr": "Le plan ne dessine pas le terrain : les ventes alentour ne peuvent être cherchées.",
        "en": "The plan does not draw the land: sales nearby cannot be looked for.",
    },
    "risks_not_covered": {
        "fr": "Les risques ne sont pas connus ici : il peut y en avoir.",
        "en": "Risks are not known here: there may be some.",
    },
    "risks_partial": {
        "fr": "Ces risques ne sont pas connus, ou seulement en partie : {subjects}. Il peut y en avoir.",
        "en": "These risks are not known, or only in part: {subjects}. There may be some.",
    },
    "risks_outdated": {
        "fr": "Géorisques n’a pas renouvelé ces réponses à temps : {subjects}. Leur date est dans retrieved_at.",
        "en": "Géorisques did not renew these answers in time: {subjects}. Their date is in retrieved_at.",
    },
    "communes_not_searched": {
        "fr": "Les communes suivantes n’ont pas été consultées, car la demande en désigne trop : {communes}. Précisez la commune ou son code postal.",
        "en": "These communes were not searched, since the query may mean too many: {communes}. Name the commune or its postcode.",
    },
    "addresses_incomplete": {
        "fr": "Les adresses de {communes} n’ont pas pu être consultées ; la réponse peut en dépendre.",
        "en": "The addresses of {communes} could not be consulted; the answer may depend on them.",
    },
    "cadastre_loading": {
        "fr": "Le plan cadastral de {commune} est en cours de chargement : la même demande donnera bientôt les parcelles.",
        "en": "The cadastral plan of {commune} is being loaded: the same request will soon give the parcels.",
    },
    "cadastre_failed": {
        "fr": "Le plan cadastral de {commune} ne peut pas être obtenu pour l’instant.",
        "en": "The cadastral plan of {commune} cannot be had at the moment.",
    },
    "source_unavailable": {
        "fr": "Le jeu de données {dataset} n’a pas pu être obtenu en entier : ce qui manque est inconnu, et non absent.",
        "en": "Dataset {dataset} could not be had in whole: what is missing is unknown, not absent.",
    },
    "area_not_covered": {
        "fr": "Une partie de la zone n’est dans aucune commune dont le plan est chargé : des parcelles peuvent y manquer.",
        "en": "Part of the area is in no commune whose plan is loaded: parcels may be missing there.",
    },
    "filter_not_covered": {
        "fr": "Le filtre {filter} peut manquer des parcelles, faute de données chargées ({datasets}) pour : {communes}.",
        "en": "The filter {filter} may miss parcels, since data ({datasets}) is not loaded in: {communes}.",
    },
    "search_continues": {
        "fr": "La page s’arrête après {limit} parcelles examinées : next_cursor mène à la suite.",
        "en": "The page ends after {limit} examined parcels: next_cursor leads to the rest.",
    },
    "dataset_loading": {
        "fr": "Le jeu de données {dataset} est en cours de chargement : la même demande le donnera bientôt.",
        "en": "Dataset {dataset} is being loaded: the same request will soon give it.",
    },
}  # fmt: skip
"""Every warning of an answer, by code."""
