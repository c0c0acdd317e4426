"""Names that are nobody's: fictional communes, and streets whose names share words as real ones do."""

from collections.abc import Iterator, Sequence
from random import Random

_COMMUNE_STARTS = (
    "Maquette", "Chimère", "Mirage", "Fable", "Songe", "Esquisse", "Feinte", "Légende", "Ébauche", "Rêverie",
    "Utopie", "Parabole", "Énigme", "Mascarade", "Illusion", "Gabarit", "Prototype", "Fantaisie", "Simulacre",
    "Pastiche", "Brouillon", "Conte", "Leurre", "Trompe-l'Œil", "Hypothèse", "Canevas", "Patron", "Spécimen",
    "Échantillon", "Modèle", "Témoin", "Calque",
)  # fmt: skip
_COMMUNE_ENDS = (
    "les-Essais", "sur-Songe", "en-Fiction", "la-Feinte", "le-Prétexte", "sous-Fable", "lès-Mirages", "sur-Papier",
    "d'Essai", "l'Imaginaire", "aux-Brumes", "la-Neuve", "le-Vieux", "sur-Rien", "en-Plaine", "des-Nuées",
    "sans-Terre", "le-Haut", "le-Bas", "Saint-Personne", "sur-l'Onde", "la-Forêt", "les-Épreuves", "du-Canevas",
    "en-Esquisse", "sur-Calque", "lès-Fables", "la-Blanche", "le-Rouge", "aux-Échos", "hors-Carte", "sur-Marge",
)  # fmt: skip
FIRST_COMMUNE = "Exempleville-sur-Fiction"

TRAPS = (
    "Rue de l'Échelle-Brisée", "Avenue Louis XIV", "Boulevard du 11 Novembre 1918", "Place de la République",
    "Quai de l'Écluse", "Allée des Aubépines", "Rue François Iᵉʳ", "Impasse du Puits-Salé",
    "Chemin de la Fée-Électricité", "Rue Jean XXIII", "Rue du Général de Brûlé", "Avenue du Maréchal Fictif",
    "Rue de la Gare", "Rue du Château d'Eau", "Rue de l'Hôtel de Ville", "Cours Henri IV",
    "Rue des Trois-Frères-Ménard", "Passage de l'Œuvre", "Rue Saint-Éloi", "Rue du 19 Mars 1962",
    "Rue de la Pépinière", "Chemin des Écoliers", "Route de Chimère-les-Essais", "Sente aux Ânes", "Rue d'Ô",
    "Rue Neuve", "Square Zoé-Maïté Noël", "Avenue des Droits de l'Homme", "Rue du Four à Chaux",
    "Impasse Sainte-Cécile",
)  # fmt: skip
"""Accents, ligatures, apostrophes, dates, Roman numerals, short names: what spelling goes wrong on."""
_TYPES = (
    "Rue", "Rue", "Rue", "Avenue", "Chemin", "Impasse", "Allée", "Place", "Boulevard", "Route", "Passage", "Sente",
    "Cours", "Square",
)  # fmt: skip
_KINDS = tuple(dict.fromkeys(_TYPES))
_FIRST_NAMES = (
    "Jean", "Marie", "Pierre", "Hélène", "Émile", "Louise", "André", "Zoé", "Benoît", "Françoise", "Gaël", "Joséphine",
    "Honoré", "Lucie", "Noël", "Odette", "Raphaël", "Solène", "Théodore", "Yvonne",
)  # fmt: skip
_LAST_NAMES = (
    "Martin", "Bernard", "Lefèvre", "Garnier", "Rossignol", "Desmarais", "Picard", "Charpentier", "Vasseur", "Hébert",
    "Joly", "Carpentier", "Mercier", "Fontaine", "Chevalier", "Lambert", "Bonnet", "Rousseau", "Guérin", "Moulin",
    "Dupré", "Lacroix", "Perrin", "Marchand", "Clément", "Barbier", "Gauthier", "Meunier", "Aubry", "Brunel",
    "Delaunay", "Forêt", "Granger", "Huet", "Jourdain", "Langlois", "Maillard", "Noiret", "Olivier", "Poirier",
    "Renard", "Sauvage", "Tessier", "Verdier", "Vidal", "Wagner", "Béranger", "Colin", "Daumier", "Étienne",
)  # fmt: skip
_THINGS = (
    "de la Fontaine", "du Moulin", "des Prés", "de l'Église", "du Lavoir", "des Vignes", "de la Forêt", "du Stade",
    "des Écoles", "de la Croix Blanche", "du Bois Joli", "des Tilleuls", "de la Mairie", "du Pont Neuf", "des Lilas",
    "de l'Abreuvoir", "de la Chapelle", "du Calvaire", "des Noyers", "de l'Étang", "de la Source", "du Verger",
    "des Marronniers", "du Château", "de la Vallée", "des Acacias", "de l'Orme", "du Val d'Or", "des Peupliers",
    "de la Plaine",
)  # fmt: skip
_STRIDE = 7_919
"""A prime that divides no count of combinations: steps through all of them in a mixed order."""


def commune_name(order: int) -> str:
    """The name of the n-th commune, from 1: all different up to a thousand."""
    if order == 1:
        return FIRST_COMMUNE
    end, start = divmod(order - 2, len(_COMMUNE_STARTS))
    return f"{_COMMUNE_STARTS[start]}-{_COMMUNE_ENDS[end % len(_COMMUNE_ENDS)]}"


def street_names(random: Random, first: Sequence[str]) -> Iterator[str]:
    """Street names without end and without repetition: those given first, then what types and words combine to."""
    yield from first
    people = len(_FIRST_NAMES) * len(_LAST_NAMES)
    count = len(_KINDS) * (people + len(_THINGS))
    start = random.randrange(count)
    for turn in range(count * 1000):
        kind, rest = divmod((start + turn * _STRIDE) % count, people + len(_THINGS))
        if rest < people:
            last, given = divmod(rest, len(_FIRST_NAMES))
            words = f"{_FIRST_NAMES[given]} {_LAST_NAMES[last]}"
        else:
            words = _THINGS[rest - people]
        again = turn // count
        yield f"{_KINDS[kind]} {words}" + (f" {_roman(again + 1)}" if again else "")


def _roman(number: int) -> str:
    text = ""
    for value, sign in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
        (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        times, number = divmod(number, value)
        text += sign * times
    return text
