"""The ways in which people write a street name differently from BAN.

Each edit takes a random generator and a name. It returns the changed name, or None where it does not apply.
"""

import random
import re
from collections.abc import Callable

from addressfit.directory import ABBREVIATED, ROMAN, SMALL, TYPES, plain, unaccent

Edit = Callable[[random.Random, str], str | None]

KEYS = ("azertyuiop", "qsdfghjklm", "wxcvbn")
SOUNDS = (("eau", "o"), ("ph", "f"), ("au", "o"), ("qu", "k"), ("ll", "l"), ("nn", "n"), ("tt", "t"), ("ss", "s"),
          ("rr", "r"), ("mm", "m"), ("th", "t"), ("y", "i"), ("ai", "e"), ("ei", "e"), ("ck", "k"), ("en", "an"),
          ("an", "en"), ("ge", "je"), ("ce", "se"), ("oi", "oa"), ("x", "s"), ("z", "s"))  # fmt: skip
GIVEN_NAMES = (
    "Jean", "Pierre", "Marie", "Paul", "Louis", "Jacques", "Henri", "Charles", "Albert", "Jeanne", "Michel", "Robert",
)  # fmt: skip
TITLES = ("Général", "Docteur", "Président", "Maréchal", "Abbé", "Professeur", "Capitaine", "Saint", "Sainte")
KINDS_OF_STREET = ("Ancienne", "Petite", "Grande", "Vieille", "Nouvelle")
NEAR_TYPES = {
    "rue": ("avenue", "ruelle", "boulevard", "chemin"), "avenue": ("boulevard", "rue", "allée"),
    "boulevard": ("avenue", "rue"), "place": ("square", "placette"), "square": ("place", "jardin"),
    "impasse": ("passage", "ruelle", "cité"), "passage": ("impasse", "galerie"), "allee": ("avenue", "chemin"),
    "chemin": ("route", "sentier", "rue"), "route": ("chemin", "rue"), "quai": ("rue", "boulevard"),
    "villa": ("impasse", "cité"), "cite": ("villa", "résidence"), "residence": ("lotissement", "cité"),
    "lotissement": ("résidence",), "cours": ("avenue", "boulevard"), "ruelle": ("rue", "venelle"),
    "sentier": ("chemin", "ruelle"), "venelle": ("ruelle",), "hent": ("rue",), "straed": ("rue",),
    "caminu": ("chemin",), "chjassu": ("chemin",), "strada": ("route",), "piazza": ("place",),
}  # fmt: skip
SPELLED = (
    ("ier", "1er"), ("ier", "premier"), ("1er", "premier"), ("1er", "ier"), ("1er", "i"), ("premier", "1er"),
    ("8 mai 1945", "8 mai 45"),
    ("8 mai 1945", "huit mai 1945"), ("8 mai 1945", "8 mai"), ("11 novembre 1918", "11 novembre"),
    ("11 novembre", "onze novembre"), ("14 juillet", "quatorze juillet"), ("4 septembre", "quatre septembre"),
    ("deux", "2"), ("trois", "3"), ("quatre", "4"), ("cinq", "5"), ("six", "6"), ("sept", "7"), ("huit", "8"),
    ("dix", "10"), ("premiere", "1ere"), ("second", "2nd"), ("deuxieme", "2eme"), ("2e", "deuxieme"),
)  # fmt: skip


def _split(name: str) -> tuple[str, list[str]]:
    """The street type with its space, or "", and the words."""
    words = name.split()
    if len(words) > 1 and plain(words[0]) in TYPES:
        return words[0] + " ", words[1:]
    return "", words


def _changeable(words: list[str], shortest: int = 4) -> list[int]:
    return [
        i
        for i, word in enumerate(words)
        if len(plain(word)) >= shortest and word[0].isalpha() and plain(word) not in SMALL
    ]


def _content(words: list[str]) -> list[int]:
    """The words that name the street, with an article before an apostrophe as part of its word."""
    return [i for i, word in enumerate(words) if plain(word) not in SMALL and len(plain(word)) > 1]


def _slip(rng: random.Random, word: str) -> str:
    """Another spelling: a letter inserted, omitted or replaced by its neighbour, or two letters swapped."""
    letters = [i for i, c in enumerate(word) if c.isalpha()]
    at = rng.choice(letters[1:] if rng.random() < 0.85 else letters)
    row = next((keys for keys in KEYS if unaccent(word[at]).lower()[0] in keys), KEYS[0])
    place = row.find(unaccent(word[at]).lower()[0])
    near = row[max(0, min(len(row) - 1, place + rng.choice((-1, 1))))]
    how = rng.randrange(4)
    if how == 0:
        return word[:at] + near + word[at:]
    if how == 1:
        return word[:at] + word[at + 1 :]
    if how == 2:
        return word[:at] + near + word[at + 1 :]
    at = min(at, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def slips(count: int, words_count: int = 1) -> Edit:
    """`count` slips in each of `words_count` words."""

    def edit(rng: random.Random, name: str) -> str | None:
        kind, words = _split(name)
        places = _changeable(words, 4 if count == 1 else 6)
        if len(places) < words_count:
            return None
        for i in rng.sample(places, words_count):
            before = plain(words[i])
            for _ in range(count):
                words[i] = _slip(rng, words[i])
            if plain(words[i]) == before:
                return None
        return kind + " ".join(words)

    return edit


def by_sound(rng: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    choices = [
        (i, sound, spelling)
        for i in _changeable(words, 5)
        for sound, spelling in SOUNDS
        if sound in plain(words[i])[1:] and len(words[i]) > len(sound) + 3
    ]
    if not choices:
        return None
    i, sound, spelling = rng.choice(choices)
    word = plain(words[i])
    words[i] = word[0] + word[1:].replace(sound, spelling, 1)
    return kind + " ".join(words)


def without_type(_: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    return " ".join(words) if kind and len(words) > 1 and plain(words[0]) in SMALL else None


def without_type_and_article(_: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    if not kind:
        return None
    while len(words) > 1 and plain(words[0]) in SMALL:
        words = words[1:]
    words[0] = re.sub(r"^[dl]['’]", "", words[0], flags=re.IGNORECASE)
    return " ".join(words) if len(plain(" ".join(words))) >= 4 and not words[0][0].isdigit() else None


def type_abbreviated(rng: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    shorts = ABBREVIATED.get(plain(kind))
    return f"{rng.choice(shorts)}{rng.choice(('', '.'))} {' '.join(words)}" if shorts else None


def words_abbreviated(rng: random.Random, name: str) -> str | None:
    words = name.split()
    places = [i for i, word in enumerate(words) if i and plain(word) in ABBREVIATED]
    for i in places:
        words[i] = rng.choice(ABBREVIATED[plain(words[i])])
    return " ".join(words) if places else None


def near_type(rng: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    types = NEAR_TYPES.get(plain(kind))
    return f"{rng.choice(types)} {' '.join(words)}" if types else None


def without_small_words(_: random.Random, name: str) -> str | None:
    kind, words = _split(re.sub(r"\b[dl]['’]", "", name, flags=re.IGNORECASE))
    large = [word for word in words if plain(word) not in SMALL]
    changed = kind + " ".join(large)
    return changed if large and plain(changed) != plain(name) else None


def with_small_words(rng: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    if not kind or plain(words[0]) in SMALL or words[0][1:2] in "'’":
        return None
    return f"{kind}{rng.choice(('de', 'du', 'de la', 'des'))} {' '.join(words)}"


def _inserted(rng: random.Random, name: str, word: str, *, at_end: bool = False) -> str | None:
    kind, words = _split(name)
    if plain(word) in plain(name).split():
        return None
    start = next((i for i in range(len(words)) if plain(words[i]) not in SMALL), 0)
    words.insert(len(words) if at_end else start, word)
    return kind + " ".join(words)


def extra_given_name(rng: random.Random, name: str) -> str | None:
    return _inserted(rng, name, rng.choice(GIVEN_NAMES))


def extra_title(rng: random.Random, name: str) -> str | None:
    return _inserted(rng, name, rng.choice(TITLES))


def extra_adjective(rng: random.Random, name: str) -> str | None:
    return f"{rng.choice(KINDS_OF_STREET)} {name}" if _split(name)[0] else None


def repeated_word(rng: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    places = _changeable(words)
    if not places:
        return None
    i = rng.choice(places)
    return kind + " ".join([*words[: i + 1], *words[i:]])


def missing_word(rng: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    places = _content(words)
    if len(places) < 2:
        return None
    gone = rng.choice(places)
    before = gone
    while before and plain(words[before - 1]) in SMALL:
        before -= 1
    after = words[gone + 1 :]
    if before < gone and (not after or plain(after[0]) in SMALL):
        words[before:gone] = []  # not "Port de de Ville"
        gone = before
    return kind + " ".join(word for i, word in enumerate(words) if i != gone)


def initial(_: random.Random, name: str) -> str | None:
    """The first of several words as its initial."""
    kind, words = _split(name)
    places = _content(words)
    if len(places) < 2 or len(places) != len(words) or len(words[0]) < 3 or words[0][0].isdigit():
        return None
    return f"{kind}{words[0][0]}. {' '.join(words[1:])}"


def name_for_initial(rng: random.Random, name: str) -> str | None:
    """A given name where BAN has an initial."""
    words = name.split()
    choices = [
        (i, full_name)
        for i, word in enumerate(words)
        if len(plain(word)) == 1 and i
        for full_name in GIVEN_NAMES
        if full_name[0] == word[0]
    ]
    if not choices:
        return None
    i, full_name = rng.choice(choices)
    return " ".join([*words[:i], full_name, *words[i + 1 :]])


def swapped(rng: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    places = _content(words)
    if len(places) < 2:
        return None
    at = rng.randrange(len(places) - 1)
    i, j = places[at], places[at + 1]
    words[i], words[j] = words[j], words[i]
    return kind + " ".join(words)


def joined(rng: random.Random, name: str) -> str | None:
    kind, words = _split(name.replace("-", " ").replace("'", " "))
    places = [i for i in range(len(words) - 1) if not any(word.isdigit() for word in words[i : i + 2])]
    if not places:
        return None
    i = rng.choice(places)
    return kind + " ".join([*words[:i], words[i] + words[i + 1].lower(), *words[i + 2 :]])


def split(rng: random.Random, name: str) -> str | None:
    kind, words = _split(name)
    places = [i for i in _changeable(words, 7) if words[i].isalpha()]
    if not places:
        return None
    i = rng.choice(places)
    at = rng.randrange(3, len(words[i]) - 2)
    words[i] = f"{words[i][:at]} {words[i][at:]}"
    return kind + " ".join(words)


def other_figures(rng: random.Random, name: str) -> str | None:
    """Roman for Arabic, words for figures, or the reverse."""
    padded = f" {plain(name)} "
    pairs = [*SPELLED, *((roman, str(i)) for i, roman in enumerate(ROMAN, 1) if len(roman) > 1)]
    choices = [(a, b) for a, b in pairs if f" {a} " in padded]
    if not choices:
        return None
    a, b = rng.choice(choices)
    return padded.replace(f" {a} ", f" {b} ", 1).strip()


def glued_article(_: random.Random, name: str) -> str | None:
    changed = re.sub(r"\b([dl])['’]", r"\1", name, flags=re.IGNORECASE)
    return changed if changed != name else None


def then(first: Edit, second: Edit) -> Edit:
    def edit(rng: random.Random, name: str) -> str | None:
        changed = first(rng, name)
        return second(rng, changed) if changed else None

    return edit


EDITS: dict[str, Edit] = {
    "type_abbreviated": type_abbreviated,
    "words_abbreviated": words_abbreviated,
    "type_omitted": without_type,
    "type_and_article_omitted": without_type_and_article,
    "type_wrong": near_type,
    "small_words_omitted": without_small_words,
    "small_word_added": with_small_words,
    "extra_given_name": extra_given_name,
    "extra_title": extra_title,
    "extra_adjective": extra_adjective,
    "word_repeated": repeated_word,
    "word_missing": missing_word,
    "initial": initial,
    "name_for_initial": name_for_initial,
    "words_swapped": swapped,
    "words_joined": joined,
    "word_split": split,
    "figures": other_figures,
    "article_glued": glued_article,
    "one_slip": slips(1),
    "two_slips_one_word": slips(2),
    "two_slips_two_words": slips(1, 2),
    "sound_alike": by_sound,
    "abbreviated_one_slip": then(slips(1), type_abbreviated),
    "type_omitted_one_slip": then(slips(1), without_type_and_article),
}
