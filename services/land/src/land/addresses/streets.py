"""The streets of one commune, ready to be compared with what was typed.

A street is found by its words, whatever their order: each word typed is looked for among the commune's words exactly,
misspelled, by sound or by its initial, and streets are compared by how much of the typed name, and of their own, found
its like. Rare words weigh more than frequent ones. A second view, all words in one piece, finds glued and split words.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from sys import intern
from typing import NamedTuple

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from land.addresses.normalise import CODE_MARK, WRITTEN_NUMBERS
from land.addresses.phonetics import sound
from land.addresses.slips import likeness as slip_likeness

MAX_TYPED_WORDS = 20
"""No street's name is longer; each word is a look at thousands."""
MAX_COMPARED = 24
LEAST_PROMISE = 0.5
"""Of the best: a street whose words found have less weight together is not compared."""
MAX_LIKE_WORDS = 12
MIN_WORD_SIMILARITY = 0.57
"""Two slips in a word of five letters."""
MIN_TYPE_SIMILARITY = 0.65
"""One slip in a word of three letters."""
_MIN_OVERLAP = 0.58
"""Less and no slips explain it: not even weighed."""
MIN_FUZZY_LENGTH = 3
"""Shorter words are taken as they are: one slip makes most of them another."""
MIN_PREFIX_LENGTH = 3
MIN_PIECE_SIMILARITY = 88.0
"""Of two names in one piece each, in per cent."""
_SOUNDS_ALIKE = 0.92
_SHORT_SOUNDS_ALIKE = 0.8
"""Of a word of two or three letters: "box" is "beaux" rather than anything, and says little."""
_INITIAL = 0.75
_PREFIX = 0.85
_GLUED = 0.97
_TYPED_SHARE = 0.7
"""How much the typed words count against the street's own: people leave words out more than they make words up."""
_OTHER_TYPE = 0.7
"""Enough to be another street: "Place Dauphine" is not "Rue Dauphine"."""
_OTHER_ORDER = 0.98
_OTHER_NUMBER = 0.7
"""Enough to be another street: "Villa Guizot" is not "1P1 Villa Guizot"."""
_CODE = re.compile(rf"[0-9]+[a-z]+[0-9]+|{CODE_MARK}[a-z]+")
"""How Paris names private ways of a lot, as in "162P21 Rue des Poissonniers", and ways without a name: "Voie Cx/18"."""
_TYPE_WEIGHT = 0.3
_LINKING_WEIGHT = 0.02
_FREQUENT_WEIGHT = 0.3

_LINKING_WORDS = frozenset(
    ("a", "au", "aux", "d", "de", "des", "dit", "du", "en", "et", "l", "la", "le", "les", "sous", "sur"),
)
STREET_TYPE_WORDS = frozenset(
    (
        "allee", "allees", "arcade", "arcades", "avenue", "balcon", "berge", "boulevard", "carrefour", "chaussee",
        "chemin", "cite", "clos", "corniche", "cour", "cours", "domaine", "escalier", "esplanade", "faubourg",
        "galerie", "hameau", "impasse", "jardin", "lieu", "lotissement", "mail", "montee", "parc", "parvis",
        "passage", "passerelle", "place", "placette", "pont", "port", "porte", "promenade", "quai", "quartier",
        "rampe", "residence", "rocade", "rond", "route", "rue", "ruelle", "sente", "sentier", "square", "terrasse",
        "traverse", "venelle", "villa", "voie",
        "hent", "straed", "plasenn",  # Breton
        "strada", "stretta", "caminu", "chjassu", "carrughju", "piazza", "salita", "vicolu",  # Corsican
        "strasse", "gasse", "weg",  # Alsatian
    )
)  # fmt: skip


_SORTED_TYPES = sorted(STREET_TYPE_WORDS)


@dataclass(frozen=True, slots=True)
class Street:
    commune_code: str
    id: str
    name: str
    search_names: tuple[str, ...]
    postcodes: tuple[str, ...]
    is_locality: bool
    lon: float | None
    lat: float | None
    address_count: int = 0
    former_commune: str = ""
    """The commune that it lay in before a merger."""


@dataclass(frozen=True)
class Likeness:
    """How a typed name and a street's differ. Shares are of the weight of words, 0 to 1."""

    similarity: float
    """0 to 1, all together."""
    typed_missing: float = 0.0
    """The share of the typed name that the street's has nothing like."""
    own_missing: float = 0.0
    """The share of the street's name that was not typed."""
    slips: float = 0.0
    """What the words that found each other lack of being the same, on average."""
    is_other_type: bool = False
    is_other_number: bool = False
    """One has a number or code that the other has not."""
    is_one_piece: bool = False
    """They are alike with all their words in one piece, glued or split otherwise."""


SAME = Likeness(1.0)


def type_of(words: Sequence[str]) -> str:
    """The street type that a canonical name begins with, empty where it begins with none."""
    return words[0] if len(words) > 1 and words[0] in STREET_TYPE_WORDS else ""


def in_one_piece(words: Sequence[str]) -> str:
    """A canonical name without its type and linking words, its numbers written out, and without spaces."""
    content = words[1:] if type_of(words) else words
    telling = [word for word in content if word not in _LINKING_WORDS] or content
    return "".join(WRITTEN_NUMBERS.get(word, word) for word in telling)


class _Typed(NamedTuple):
    """A name as typed, with what is the same for every street of the commune that it is compared with."""

    words: Sequence[str]
    type: str
    weights: Sequence[float]
    like: Mapping[str, Mapping[str, float]]
    """For each word those of the commune that may be meant, with their similarity of 0 to 1."""


class CommuneStreets:
    """Immutable. Each name of a street is an entry of its own.

    What finds misspelled names is made when one is looked for: it takes four times as long as the rest, and a postcode
    has communes that nobody means.
    """

    def __init__(self, streets: Sequence[Street]) -> None:
        self._streets = [street for street in streets for _ in street.search_names]
        self._names = [name for street in streets for name in street.search_names]
        exact: dict[str, list[int]] = {}
        for index, name in enumerate(self._names):
            exact.setdefault(name, []).append(index)
        self._exact = _settled(exact)

    def __len__(self) -> int:
        return len(self._names)

    def named(self, name: str) -> list[Street]:
        """Streets of exactly this canonical name."""
        return [self._streets[index] for index in self._exact.get(name, ())]

    def ranked(self, name: str) -> list[tuple[Likeness, Street]]:
        """Streets that may be the canonical name, each once, the most similar first."""
        return self._similar.ranked(name)

    @cached_property
    def _similar(self) -> "_SimilarNames":
        return _SimilarNames(self._streets, self._names)


class _SimilarNames:
    """Entries by their words. Words are interned: communes share them, and hundreds of thousands of names are held at
    a time.
    """

    def __init__(self, streets: Sequence[Street], names: Sequence[str]) -> None:
        self._streets = streets
        self._names = [tuple(map(intern, name.split())) for name in names]
        self._pieces = [in_one_piece(words) for words in self._names]
        by_word: dict[str, list[int]] = {}
        self._by_sound: dict[str, list[str]] = {}
        self._weights: dict[int, float] = {}  # by how many entries have a word, as they are asked for
        for index, words in enumerate(self._names):
            for word in set(words):
                by_word.setdefault(word, []).append(index)
        self._by_word = _settled(by_word)
        for word in self._by_word:
            if len(word) > 1 and word not in _LINKING_WORDS:
                self._by_sound.setdefault(sound(word), []).append(word)
        self._long_words = [word for word in self._by_word if len(word) >= MIN_FUZZY_LENGTH and not _is_number(word)]

    def ranked(self, name: str) -> list[tuple[Likeness, Street]]:
        typed = name.split()
        if len(typed) > MAX_TYPED_WORDS:
            return []
        best: dict[str, tuple[Likeness, Street]] = {}
        for words in self._with_types(typed):
            for index, likeness in self._compared(self._typed(words)).items():
                street = self._streets[index]
                if street.id not in best or likeness.similarity > best[street.id][0].similarity:
                    best[street.id] = (likeness, street)
        return sorted(best.values(), key=lambda item: (-item[0].similarity, item[1].id))

    def _with_types(self, typed: Sequence[str]) -> Iterator[Sequence[str]]:
        """A name as typed, and with the street type in the place of a first word that no street of the commune has and
        that is a slip for one: "avneue de clichy".
        """
        yield typed
        if len(typed) > 1 and len(typed[0]) >= MIN_FUZZY_LENGTH and typed[0] not in self._by_word:
            near = process.extractOne(typed[0], _SORTED_TYPES, scorer=OSA.normalized_similarity)
            if near and slip_likeness(typed[0], near[0]) >= MIN_TYPE_SIMILARITY:
                yield [near[0], *typed[1:]]

    def _typed(self, words: Sequence[str]) -> _Typed:
        weights = [self._weight(word, place) for place, word in enumerate(words)]
        return _Typed(words, type_of(words), weights, {word: self._like(word) for word in set(words)})

    def _compared(self, typed: _Typed) -> dict[int, Likeness]:
        words = typed.words
        head = words[0] if words and words[0] in STREET_TYPE_WORDS else ""
        telling = {word for word in words if word != head and word not in _LINKING_WORDS}
        is_type_alone = list(words) == [head]
        if is_type_alone:  # "sentier" may be "Rue du Sentier"
            telling = {head}
        if not telling:  # "rue de la" may be any
            return {}
        promise: dict[int, float] = {}
        for word in sorted(telling):
            for other, similarity in typed.like[word].items():
                worth = similarity * self._weight(other)
                for index in self._by_word[other]:
                    if is_type_alone and self._names[index][0] == head:
                        continue
                    promise[index] = promise.get(index, 0.0) + worth
        least = LEAST_PROMISE * max(promise.values(), default=0.0)
        likely = [index for index, worth in promise.items() if worth >= least]
        likely.sort(key=lambda index: (-promise[index], len(self._names[index]), index))
        found = {index: self._likeness(typed, self._names[index]) for index in likely[:MAX_COMPARED]}
        for index, likeness in self._glued(typed):
            if index not in found or likeness.similarity > found[index].similarity:
                found[index] = likeness
        return found

    def _like(self, word: str) -> dict[str, float]:
        """Words of the commune that may be meant by a typed one, with their similarity of 0 to 1."""
        like = {word: 1.0} if word in self._by_word else {}
        if word in STREET_TYPE_WORDS or _is_number(word):
            return like
        if len(word) < MIN_FUZZY_LENGTH:
            if len(word) > 1 and word not in _LINKING_WORDS:
                like |= dict.fromkeys(self._by_sound.get(sound(word), ()), _SHORT_SOUNDS_ALIKE) | like
            return like
        near = process.extract(
            word,
            self._long_words,
            scorer=OSA.normalized_similarity,
            score_cutoff=_MIN_OVERLAP,
            limit=MAX_LIKE_WORDS,
        )
        for other, _, _ in near:
            if (similarity := slip_likeness(word, other)) >= MIN_WORD_SIMILARITY:
                like.setdefault(other, similarity)
        for other in self._by_sound.get(sound(word), ()):
            like[other] = max(like.get(other, 0.0), _SOUNDS_ALIKE)
        return like

    def _glued(self, typed: _Typed) -> list[tuple[int, Likeness]]:
        """Entries whose name in one piece is nearly the typed one's."""
        matches = process.extract(
            in_one_piece(typed.words),
            self._pieces,
            scorer=fuzz.ratio,
            limit=MAX_COMPARED,
            score_cutoff=MIN_PIECE_SIMILARITY,
        )
        digits = _digits(typed.words)
        found = []
        for _, percent, index in matches:
            if _digits(self._names[index]) != digits:
                continue
            is_other_type = bool(typed.type) and typed.type != type_of(self._names[index])
            share = float(percent) / 100
            similarity = _GLUED * share * (_OTHER_TYPE if is_other_type else 1.0)
            found.append(
                (int(index), Likeness(similarity, slips=1 - share, is_other_type=is_other_type, is_one_piece=True))
            )
        return found

    def _weight(self, word: str, place: int = 1) -> float:
        """How much a word tells: 1 where one entry of the commune has it, little where it is a type or links others."""
        if word in _LINKING_WORDS:
            return _LINKING_WEIGHT
        if place == 0 and word in STREET_TYPE_WORDS:
            return _TYPE_WEIGHT
        entries = len(self._by_word.get(word, ()))
        if entries <= 1:
            return 1.0
        if entries not in self._weights:
            rarity = 1 - math.log(entries) / math.log(len(self._names) + 1)
            self._weights[entries] = _FREQUENT_WEIGHT + (1 - _FREQUENT_WEIGHT) * rarity
        return self._weights[entries]

    def _likeness(self, typed: _Typed, name: Sequence[str]) -> Likeness:
        """By the shares of the typed words, and of the street's own, that found their like in the other."""
        weights = [self._weight(word, place) for place, word in enumerate(name)]
        free = dict(enumerate(name))
        pairs: list[tuple[int, int]] = []
        typed_found = typed_all = typed_paired = own_found = own_paired = 0.0
        for place, word in enumerate(typed.words):
            at, similarity = _best(word, typed.like[word], free)
            weight = typed.weights[place]
            if at is None:
                typed_all += weight
                continue
            weight = max(weight, weights[at]) if len(word) > 1 else weights[at]
            typed_all += weight
            typed_paired += weight
            typed_found += weight * similarity
            own_paired += weights[at]
            own_found += weights[at] * similarity
            pairs.append((place, at))
            del free[at]
        if not typed_paired:
            return Likeness(0.0, 1.0, 1.0)
        own_all = sum(weights)
        score = _TYPED_SHARE * typed_found / typed_all + (1 - _TYPED_SHARE) * own_found / own_all
        matched = {place for place, _ in pairs}
        is_other_number = any(
            place not in matched and _is_number(word) for place, word in enumerate(typed.words)
        ) or any(_CODE.fullmatch(word) for word in free.values())
        if is_other_number:
            score *= _OTHER_NUMBER
        if [at for _, at in pairs] != sorted(at for _, at in pairs):
            score *= _OTHER_ORDER
        is_other_type = bool(typed.type) and type_of(name) not in ("", typed.type) and typed.type not in name
        return Likeness(
            similarity=score * (_OTHER_TYPE if is_other_type else 1.0),
            typed_missing=1 - typed_paired / typed_all,
            own_missing=1 - own_paired / own_all,
            slips=1 - typed_found / typed_paired,
            is_other_type=is_other_type,
            is_other_number=is_other_number,
        )


def _settled(indexes: Mapping[str, list[int]]) -> dict[str, tuple[int, ...]]:
    """Tuples of numbers are nothing to the garbage collector, which would else look through millions of lists."""
    return {key: tuple(found) for key, found in indexes.items()}


def _is_number(word: str) -> bool:
    """Whether a word is a number or a code: as written or not at all. (A scan's "D0UDEAUVILLE" is none.)"""
    return word.isdigit() or _CODE.fullmatch(word) is not None


def _digits(words: Sequence[str]) -> str:
    """What a name has of digits: another number is another street, however alike the rest."""
    return "".join(c for word in words if word not in WRITTEN_NUMBERS for c in word if c.isdigit())


def _best(word: str, like: Mapping[str, float], free: Mapping[int, str]) -> tuple[int | None, float]:
    """The free word of a street that a typed word is most like, and how much."""
    at, best = None, 0.0
    for index, own in free.items():
        similarity = like.get(own, 0.0)
        if not similarity and own.startswith(word) and own not in _LINKING_WORDS:
            similarity = _INITIAL if len(word) == 1 else _PREFIX if len(word) >= MIN_PREFIX_LENGTH else 0.0
        if similarity > best:
            at, best = index, similarity
    return at, best
