"""The ways in which people write a place, and what they write around an address."""

import random
import re
from collections.abc import Iterable

from rapidfuzz.distance import OSA

from addressfit.directory import ROMAN, Directory, Row, plain, unaccent
from addressfit.words import slips

ORDINALS = (
    "premier", "deuxième", "troisième", "quatrième", "cinquième", "sixième", "septième", "huitième", "neuvième",
    "dixième", "onzième", "douzième", "treizième", "quatorzième", "quinzième", "seizième", "dix-septième",
    "dix-huitième", "dix-neuvième", "vingtième",
)  # fmt: skip
BEFORE = (
    "Mme Martin", "M. et Mme Le Goff", "SARL Durand et Fils", "Chez Mme Petit", "Boulangerie du Marché",
    "Bât A", "Bâtiment C",
    "3e étage gauche", "Appt 12", "Esc. B", "Résidence Les Acacias", "SCI Les Tilleuls", "Cabinet médical",
    "Étage 2 porte droite",
    "Adresse :", "Adresse du bien :", "☎ 01 42 55 66 77", "Tél. 06 12 34 56 78 -",
    "A l'attention de M. Roux", "📍", "🏠",
)  # fmt: skip
BETWEEN = (
    "Bât B", "bâtiment 2", "(fond de cour)", "2e étage", "appartement 4", "Esc A", "rez-de-chaussée", "(code 12B45)",
    "BP 12",
)  # fmt: skip
AFTER = (
    "France", "FRANCE", "(France)", "à côté de la boulangerie", "(à côté de la boulangerie)",
    "en face de l'école", "2e étage",
    "Tél. 01 42 55 66 77", "tel: 06.12.34.56.78", "contact@exemple.fr", "jean.petit@exemple.fr", "svp", "🏠",
    "🙂", "(interphone Petit)",
    "digicode 12B45", "bât. C", "appt 7", "porte gauche", "!", "merci", "3ème gauche", "sonner chez Martin",
    "- Europe",
)  # fmt: skip
SPACES = ("\u00a0", "  ", "\t", " \u2009", "\u202f", "\n", "\u200b ")
PERCENT = ((" ", "%20"), ("é", "%C3%A9"), ("è", "%C3%A8"), ("'", "%27"), (",", "%2C"))
ENTITIES = (
    ("é", "&eacute;"), ("è", "&egrave;"), ("'", "&#39;"), ("ê", "&ecirc;"), ("ç", "&ccedil;"), ("à", "&agrave;"),
    ("ô", "&ocirc;"),
)  # fmt: skip


def districts(rng: random.Random, row: Row, how: str) -> str | None:
    """A city and its arrondissement in one of several notations."""
    place = row.place
    if place.district is None:
        return None
    n, city = place.district, place.city
    roman = ROMAN[n - 1].upper()
    end = "er" if n == 1 else "e"
    long_end = "er" if n == 1 else "eme"
    word = ORDINALS[n - 1]
    ways = {
        "figures": (f"{city} {n}{end}", f"{city} {n}", f"{city}-{n}", f"{city} {n:02d}", f"{city} {n}{long_end}"),
        "roman": (f"{city} {roman}", f"{city} {roman}{end}", f"{city} {roman.lower()}{end}"),
        "words": (f"{city} {word}", f"{city} {word} arrondissement", unaccent(f"{city} {word}").lower()),
        "alone": (
            f"dans le {n}{end}",
            f", {n}{end}",
            f"{n}{long_end}",
            f"({n}{end})",
            f"{roman}{end}",
        ),
        "long": tuple(
            text.format(n=n, end=end, long_end=long_end, city=city)
            for text in (
                "{n}{end} arrondissement",
                "{city} {n}{end} arrondissement",
                "{n}{long_end} arrondissement {city}",
                "{city} {n}{end} arr.",
            )
        ),
    }
    return rng.choice(ways[how])


def misspelt_city(rng: random.Random, row: Row, directory: Directory) -> str | None:
    """A slip in the city's name that leaves it the nearest of all cities of the file."""
    city = row.place.city
    typed = slips(1)(rng, city)
    if not typed:
        return None
    distance = OSA.distance(plain(typed), plain(city))
    distances = (OSA.distance(plain(typed), other) for other in directory.by_city if other != plain(city))
    return typed if min(distances, default=99) > distance else None


def short_cities(row: Row) -> list[str]:
    """The first words of the city's name, with and without its article."""
    words = re.split(r"[ -]", row.place.city)
    bare = words[1:] if words[0] in ("La", "Le", "Les") else re.split(r"[ -]", re.sub(r"^L['’]", "", row.place.city))
    saint = bare[0] in ("Saint", "Sainte")
    first = 2 if saint or len(bare[0]) < 5 else 1
    names = {" ".join(bare[:first]), " ".join(bare[: first + 1]), " ".join(bare)}
    return sorted(name for name in names if plain(name) not in (plain(row.place.city), "saint", "sainte"))


def short_city(rng: random.Random, row: Row, directory: Directory) -> str | None:
    """A short form that no other city of the file has."""
    for typed in rng.sample(names := short_cities(row), len(names)):
        fitting = [name for name in directory.by_city if f" {plain(typed)} " in f" {name} "]
        if fitting == [plain(row.place.city)]:
            return typed
    return None


def abbreviated_city(_: random.Random, row: Row) -> str | None:
    pairs = (("Sainte", "Ste"), ("Saint", "St"), ("-sur-", "/"), ("-sous-", " s/ "), ("-Sous-", " s/ "))
    changed = _replaced(row.place.city, pairs)
    return changed if changed != row.place.city else None


def transposed(rng: random.Random, postcode: str) -> str | None:
    places = [i for i in range(4) if postcode[i] != postcode[i + 1]]
    if not places:
        return None
    i = rng.choice(places)
    return postcode[:i] + postcode[i + 1] + postcode[i] + postcode[i + 2 :]


def shortened(rng: random.Random, postcode: str) -> str:
    i = rng.randrange(5)
    return postcode[:i] + postcode[i + 1 :]


def wrong(rng: random.Random, postcode: str) -> str:
    """Another postcode of the département."""
    end = int(postcode[2:])
    return postcode[:2] + f"{(end + rng.choice((-2, -1, 1, 2, 10))) % 1000:03d}"


def odd_spaces(rng: random.Random, text: str) -> str:
    return "".join(rng.choice(SPACES) if c == " " and rng.random() < 0.4 else c for c in f" {text} ")


def odd_punctuation(rng: random.Random, text: str) -> str:
    text = re.sub("['’]", rng.choice(("’", "`", "´", "ʼ", "' ")), text)
    start, end = rng.choice(
        (("«", "»"), ('"', '"'), ("“", "”"), ("", ";"), ("", "."), ("- ", " -"), ("*", "*"), ("(", ")"))
    )
    return f"{start}{text.replace(' ', rng.choice((' ', ', ', '_', ' / ')), 1)}{end}"


def encoded(rng: random.Random, text: str) -> str:
    if rng.random() < 0.5:
        return _replaced(text.replace(" ", "+") if rng.random() < 0.3 else text, PERCENT)
    html = _replaced(text, ENTITIES)
    html = html if html != text else text.replace(" ", "&nbsp;")
    return rng.choice((html, f"{html}<br>", html.replace(", ", "<br/>"), f"<b>{html}</b>"))


def _replaced(text: str, pairs: Iterable[tuple[str, str]]) -> str:
    for character, code in pairs:
        text = text.replace(character, code)
    return text
