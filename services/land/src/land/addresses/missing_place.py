"""Finds out why a query cannot be resolved: it names no commune, or only a département or a region.

A name that is also a commune's, such as Paris, Vienne or Bretagne, means the commune.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from land.addresses.gazetteer import MAX_NAME_WORDS, Gazetteer
from land.addresses.model import AddressQuery
from land.addresses.normalise import STREET_TYPE_WORDS, canonical_city, canonical_street, fold
from land.addresses.parsing import MAX_TEXT, has_postcode
from land.addresses.words import STOP_WORDS

Reason = Literal["place_missing", "commune_needed"]
_DEPARTMENTS = """
Ain, Aisne, Allier, Alpes-de-Haute-Provence, Hautes-Alpes, Alpes-Maritimes, Ardèche, Ardennes, Ariège, Aube, Aude,
Aveyron, Bouches-du-Rhône, Calvados, Cantal, Charente, Charente-Maritime, Cher, Corrèze, Corse-du-Sud, Haute-Corse,
Côte-d'Or, Côtes-d'Armor, Creuse, Dordogne, Doubs, Drôme, Eure, Eure-et-Loir, Finistère, Gard, Haute-Garonne, Gers,
Gironde, Hérault, Ille-et-Vilaine, Indre, Indre-et-Loire, Isère, Jura, Landes, Loir-et-Cher, Loire, Haute-Loire,
Loire-Atlantique, Loiret, Lot, Lot-et-Garonne, Lozère, Maine-et-Loire, Manche, Marne, Haute-Marne, Mayenne,
Meurthe-et-Moselle, Meuse, Morbihan, Moselle, Nièvre, Nord, Oise, Orne, Pas-de-Calais, Puy-de-Dôme,
Pyrénées-Atlantiques, Hautes-Pyrénées, Pyrénées-Orientales, Bas-Rhin, Haut-Rhin, Rhône, Haute-Saône, Saône-et-Loire,
Sarthe, Savoie, Haute-Savoie, Paris, Seine-Maritime, Seine-et-Marne, Yvelines, Deux-Sèvres, Somme, Tarn,
Tarn-et-Garonne, Var, Vaucluse, Vendée, Vienne, Haute-Vienne, Vosges, Yonne, Territoire de Belfort, Essonne,
Hauts-de-Seine, Seine-Saint-Denis, Val-de-Marne, Val-d'Oise, Guadeloupe, Martinique, Guyane, La Réunion, Réunion,
Mayotte
"""
_REGIONS = """
Auvergne-Rhône-Alpes, Bourgogne-Franche-Comté, Bretagne, Centre-Val de Loire, Corse, Grand Est, Hauts-de-France,
Île-de-France, Normandie, Nouvelle-Aquitaine, Occitanie, Pays de la Loire, Provence-Alpes-Côte d'Azur, PACA, Alsace,
Aquitaine, Auvergne, Basse-Normandie, Bourgogne, Champagne-Ardenne, Franche-Comté, Haute-Normandie,
Languedoc-Roussillon, Limousin, Lorraine, Midi-Pyrénées, Nord-Pas-de-Calais, Picardie, Poitou-Charentes, Rhône-Alpes
"""
_TERRITORIES = frozenset(canonical_city(name) for name in f"{_DEPARTMENTS},{_REGIONS}".split(","))
"""Canonical names of départements, of regions and of the regions before 2016."""
_NO_NAME = STREET_TYPE_WORDS | STOP_WORDS


def missing_place(query: AddressQuery, gazetteers: Sequence[Gazetteer]) -> Reason | None:
    """Why the query lacks a place; None if it has a postcode, a city code or the name of a commune."""
    city, words = canonical_city(query.city[:MAX_TEXT]), fold(query.label[:MAX_TEXT]).split()
    if query.postcode.strip() or query.city_code.strip() or has_postcode(words):
        return None
    names = [city] if city else []
    names += [name for name, other_words in _ends(words) if not other_words or _is_street(other_words)]
    if any(gazetteer.named(name) for name in names for gazetteer in gazetteers):
        return None
    if not _TERRITORIES.isdisjoint(names):
        return "commune_needed"
    return None if city else "place_missing"


def without_department(name: str) -> str:
    """The canonical name of a commune without a département or region after it: "sap en auge" of "sap en auge orne"."""
    return next((rest for end, words in _ends(name.split()) if end in _TERRITORIES and (rest := " ".join(words))), name)


def _ends(words: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Each start and end of the words as a canonical city, with the other words."""
    for size in range(min(len(words), MAX_NAME_WORDS), 0, -1):
        yield canonical_city(" ".join(words[-size:])), words[:-size]
        yield canonical_city(" ".join(words[:size])), words[size:]


def _is_street(words: Sequence[str]) -> bool:
    """Whether the words have more than a number, a street type and stop words: "10 rue de" needs what follows."""
    return any(word not in _NO_NAME and not word[0].isdigit() for word in canonical_street(" ".join(words)).split())
