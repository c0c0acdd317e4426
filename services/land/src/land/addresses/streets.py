"""The streets of one commune, ready to be compared with what was typed.

A street is found by its words, whatever their order: each word typed is looked for among the commune's words exactly,
misspelled, by sound or by its initial, and streets are compared by how much of the typed name, and of their own, found
its like. Rare words weigh more than frequent ones. A second view, all words in one piece, finds glued and split words.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from land.addresses.phonetics import sound

MAX_COMPARED = 24
MAX_LIKE_WORDS = 24
MIN_WORD_SIMILARITY = 0.59
"""Two slips in a word of five letters."""
MIN_FUZZY_LENGTH = 4
"""Shorter words are taken as they are: one slip makes most of them another."""
MIN_PIECE_SIMILARITY = 88.0
"""Of two names in one piece each, in per cent."""
_SOUNDS_ALIKE = 0.92
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
_LOT_NUMBER = re.compile(r"[0-9]+[a-z]+[0-9]+")
"""How Paris names private ways of a lot, as in "162P21 Rue des Poissonniers"."""
_TYPE_WEIGHT = 0.3
_LINKING_WEIGHT = 0.02
_FREQUENT_WEIGHT = 0.3

_LINKING_WORDS = frozenset(
    ("a", "au", "aux", "d", "de", "des", "du", "en", "et", "l", "la", "le", "les", "sous", "sur"),
)
STREET_TYPE_WORDS = frozenset(
    (
        "allee", "avenue", "boulevard", "carrefour", "chaussee", "chemin", "cite", "clos", "cour", "cours", "domaine",
        "esplanade", "faubourg", "galerie", "hameau", "impasse", "lotissement", "mail", "montee", "parc", "parvis",
        "passage", "passerelle", "place", "pont", "port", "porte", "promenade", "quai", "quartier", "residence", "rond",
        "route", "rue", "ruelle", "sente", "sentier", "square", "traverse", "venelle", "villa", "voie",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Street:
    commune_code: str
    id: str
    name: str
    search_names: tuple[str, ...]
    postcodes: tuple[str, ...]
    is_locality: bool
    lon: float | None
    lat: float | None


def type_of(words: Sequence[str]) -> str:
    """The street type that a canonical name begins with, empty where it begins with none."""
    return words[0] if len(words) > 1 and words[0] in STREET_TYPE_WORDS else ""


def in_one_piece(words: Sequence[str]) -> str:
    """A canonical name without its type and linking words, and without spaces."""
    content = words[1:] if type_of(words) else words
    return "".join(word for word in content if word not in _LINKING_WORDS) or "".join(content)


class CommuneStreets:
    """Immutable. Each name of a street is an entry of its own."""

    def __init__(self, streets: Sequence[Street]) -> None:
        entries = [(street, tuple(name.split())) for street in streets for name in street.search_names]
        self._streets = [street for street, _ in entries]
        self._names = [words for _, words in entries]
        self._pieces = [in_one_piece(words) for words in self._names]
        self._exact: dict[str, list[int]] = {}
        self._by_word: dict[str, list[int]] = {}
        self._by_sound: dict[str, list[str]] = {}
        for index, words in enumerate(self._names):
            self._exact.setdefault(" ".join(words), []).append(index)
            for word in set(words):
                self._by_word.setdefault(word, []).append(index)
        for word in self._by_word:
            if len(word) >= MIN_FUZZY_LENGTH:
                self._by_sound.setdefault(sound(word), []).append(word)
        self._long_words = [word for word in self._by_word if len(word) >= MIN_FUZZY_LENGTH and not _is_number(word)]

    def __len__(self) -> int:
        return len(self._names)

    def named(self, name: str) -> list[Street]:
        """Streets of exactly this canonical name."""
        return [self._streets[index] for index in self._exact.get(name, ())]

    def ranked(self, name: str) -> list[tuple[float, Street]]:
        """Streets that may be the canonical name, each once, with a similarity of 0 to 1, the most similar first."""
        typed = name.split()
        like = {word: self._like(word) for word in set(typed)}
        best: dict[str, tuple[float, Street]] = {}
        for index, similarity in self._compared(typed, like).items():
            street = self._streets[index]
            if similarity > best.get(street.id, (0.0, street))[0]:
                best[street.id] = (similarity, street)
        return sorted(best.values(), key=lambda item: (-item[0], item[1].id))

    def _compared(self, typed: Sequence[str], like: Mapping[str, Mapping[str, float]]) -> dict[int, float]:
        head = typed[0] if typed and typed[0] in STREET_TYPE_WORDS else ""
        telling = {word for word in typed if word != head and word not in _LINKING_WORDS}
        if not telling:  # "rue de la" may be any
            return {}
        promise: dict[int, float] = {}
        for word in sorted(telling):
            for other, similarity in like[word].items():
                worth = similarity * self._weight(other)
                for index in self._by_word[other]:
                    promise[index] = promise.get(index, 0.0) + worth
        likely = sorted(promise, key=lambda index: (-promise[index], len(self._names[index]), index))[:MAX_COMPARED]
        found = {index: self._similarity(typed, like, self._names[index]) for index in likely}
        for index, similarity in self._glued(typed):
            found[index] = max(similarity, found.get(index, 0.0))
        return found

    def _like(self, word: str) -> dict[str, float]:
        """Words of the commune that may be meant by a typed one, with their similarity of 0 to 1."""
        like = {word: 1.0} if word in self._by_word else {}
        if len(word) < MIN_FUZZY_LENGTH or word in STREET_TYPE_WORDS or _is_number(word):
            return like
        near = process.extract(
            word,
            self._long_words,
            scorer=OSA.normalized_similarity,
            score_cutoff=MIN_WORD_SIMILARITY,
            limit=MAX_LIKE_WORDS,
        )
        for other, similarity, _ in near:
            like.setdefault(other, similarity)
        for other in self._by_sound.get(sound(word), ()):
            like[other] = max(like.get(other, 0.0), _SOUNDS_ALIKE)
        return like

    def _glued(self, typed: Sequence[str]) -> list[tuple[int, float]]:
        """Entries whose name in one piece is nearly the typed one's."""
        matches = process.extract(
            in_one_piece(typed), self._pieces, scorer=fuzz.ratio, limit=MAX_COMPARED, score_cutoff=MIN_PIECE_SIMILARITY
        )
        typed_type, digits = type_of(typed), _digits(typed)
        found = []
        for _, similarity, index in matches:
            if _digits(self._names[index]) != digits:
                continue
            own_type = type_of(self._names[index])
            same = 1.0 if typed_type == own_type or not typed_type else _OTHER_TYPE
            found.append((int(index), _GLUED * same * float(similarity) / 100))
        return found

    def _weight(self, word: str) -> float:
        """How much a word tells: 1 where one entry of the commune has it, little where it is a type or links others."""
        if word in _LINKING_WORDS:
            return _LINKING_WEIGHT
        if word in STREET_TYPE_WORDS:
            return _TYPE_WEIGHT
        entries = len(self._by_word.get(word, ()))
        if entries <= 1:
            return 1.0
        rarity = 1 - math.log(entries) / math.log(len(self._names) + 1)
        return _FREQUENT_WEIGHT + (1 - _FREQUENT_WEIGHT) * rarity

    def _similarity(self, typed: Sequence[str], like: Mapping[str, Mapping[str, float]], name: Sequence[str]) -> float:
        """0 to 1: the share of the typed words, and of the street's own, that found their like in the other."""
        weights = [self._weight(word) for word in name]
        free = dict(enumerate(name))
        pairs: list[tuple[int, int]] = []
        typed_found = typed_all = own_found = 0.0
        for place, word in enumerate(typed):
            at, similarity = _best(word, like[word], free)
            weight = self._weight(word)
            if at is None:
                typed_all += weight
                continue
            weight = max(weight, weights[at]) if len(word) > 1 else weights[at]
            typed_all += weight
            typed_found += weight * similarity
            own_found += weights[at] * similarity
            pairs.append((place, at))
            del free[at]
        if not typed_all or not pairs:
            return 0.0
        score = _TYPED_SHARE * typed_found / typed_all + (1 - _TYPED_SHARE) * own_found / sum(weights)
        matched = {place for place, _ in pairs}
        if any(place not in matched and _is_number(word) for place, word in enumerate(typed)) or any(
            _LOT_NUMBER.fullmatch(word) for word in free.values()
        ):
            score *= _OTHER_NUMBER
        if [at for _, at in pairs] != sorted(at for _, at in pairs):
            score *= _OTHER_ORDER
        typed_type = type_of(typed)
        return score * (_OTHER_TYPE if typed_type and type_of(name) not in ("", typed_type) else 1.0)


def _is_number(word: str) -> bool:
    """Whether a word is a number, of a lot too: as written or not at all. (A scan's "D0UDEAUVILLE" is none.)"""
    return word.isdigit() or _LOT_NUMBER.fullmatch(word) is not None


def _digits(words: Sequence[str]) -> str:
    """What a name has of digits: another number is another street, however alike the rest."""
    return "".join(character for word in words for character in word if character.isdigit())


def _best(word: str, like: Mapping[str, float], free: Mapping[int, str]) -> tuple[int | None, float]:
    """The free word of a street that a typed word is most like, and how much."""
    at, best = None, 0.0
    for index, own in free.items():
        similarity = like.get(own, 0.0)
        if not similarity and own.startswith(word) and own not in _LINKING_WORDS:
            similarity = _INITIAL if len(word) == 1 else _PREFIX if len(word) >= MIN_FUZZY_LENGTH - 1 else 0.0
        if similarity > best:
            at, best = index, similarity
    return at, best
