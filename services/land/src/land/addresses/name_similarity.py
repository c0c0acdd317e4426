"""Similarity of a typed street name and a published one, by their words in any order and as one joined word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from land.addresses.normalise import STREET_TYPE_WORDS
from land.addresses.vocabulary import Vocabulary
from land.addresses.words import (
    PREPOSITIONS,
    QUALIFIERS,
    STOP_WORDS,
    are_confused,
    codes,
    digits,
    is_number,
    joined,
    type_of,
)

MIN_SIMILARITY = 0.4
"""Less similar names are those of other streets."""
MIN_PREFIX_LENGTH = 3
_INITIAL = 0.75
_PREFIX = 0.85
_JOINED = 0.97
_TYPED_SHARE = 0.7
"""Share of the typed words in the similarity: people omit words more often than they add some."""
_ROUNDING = 1e-9
_OTHER_TYPE = 0.7
"""Low enough to reject the street: "Place Dauphine" is not "Rue Dauphine"."""
_OTHER_ORDER = 0.98
_OTHER_NUMBER = 0.7
"""The factor for a number that only the typed name has."""


@dataclass(frozen=True)
class NameSimilarity:
    """Ratios are of the total weight of words, 0 to 1."""

    similarity: float
    """0 to 1, from all of the following."""
    unmatched_typed_ratio: float = 0.0
    """Typed words without a match in the street's name."""
    unmatched_name_ratio: float = 0.0
    """Words of the street's name that were not typed."""
    error_ratio: float = 0.0
    """Mean dissimilarity of the matched words."""
    is_other_type: bool = False
    is_other_number: bool = False
    """The typed name has a number that the other does not have."""
    has_other_qualifier: bool = False
    """Only one of the names has a word that distinguishes streets of one name."""
    is_type_omitted: bool = False
    is_similar_type: bool = False
    """The types differ, and people confuse them: a street, an avenue or a boulevard."""
    largest_error: float = 0.0
    """Dissimilarity of the least similar of the matched words."""
    edits: int = 0
    """Letters that differ in the matched words."""
    matched_weight: float = 0.0
    """The weight of the words that match, 1 for each that no other street of the commune has."""
    has_other_complement: bool = False
    """The typed name has a complement after the words that match: "aux Loups" in "Rue du Puits aux Loups"."""
    other_words: tuple[str, ...] = ()
    """Typed words that match with an error and are no start of the street's word, and a last one without a match."""


EXACT = NameSimilarity(1.0)


class TypedName(NamedTuple):
    """A typed name, with everything that does not depend on the commune."""

    words: Sequence[str]
    type: str
    content: Sequence[str]
    """The different words that a street may be found by, in alphabetical order."""
    is_type_only: bool
    joined: str
    digits: str


class LocalName(NamedTuple):
    """A typed name, with everything that does not depend on the street that it is compared with."""

    typed: TypedName
    weights: Sequence[float]
    similar: Sequence[Mapping[str, float]]
    """The words of the commune similar to each typed word, with their similarity from 0 to 1."""
    as_start: Sequence[float]
    """The similarity of each typed word to a longer word that starts with it; 0 if the commune has none."""
    least_name_ratio: float
    """The matched weight of a name, as a ratio, that MIN_SIMILARITY needs. Above 1 no name is similar enough."""
    uncounted: float
    """The greatest weight that a name can match in addition to the content words and their similar words."""


@lru_cache(maxsize=4_096)
def typed_name(name: str) -> TypedName:
    """Parses a canonical name."""
    words = name.split()
    head = words[0] if words and words[0] in STREET_TYPE_WORDS else ""
    content = {word for word in words if word != head and word not in STOP_WORDS}
    is_type_only = words == [head]
    if is_type_only:  # "sentier" may be "Rue du Sentier"
        content = {head}
    return TypedName(words, type_of(words), sorted(content), is_type_only, joined(words), digits(words))


def compare_joined(typed: TypedName, name: Sequence[str], percent: float) -> NameSimilarity | None:
    """The similarity of names whose joined forms have a similarity of `percent`; None if it is less than
    MIN_SIMILARITY.
    """
    is_other_type = bool(typed.type) and typed.type != type_of(name)
    ratio = percent / 100
    similarity = _JOINED * ratio * (_OTHER_TYPE if is_other_type else 1.0)
    if similarity < MIN_SIMILARITY or codes(typed.words) != codes(name):
        return None
    return NameSimilarity(
        similarity,
        error_ratio=1 - ratio,
        largest_error=1 - ratio,
        edits=OSA.distance(typed.joined, joined(name)),
        is_similar_type=is_other_type and are_confused(typed.type, type_of(name)),
        is_other_type=is_other_type,
        is_type_omitted=not typed.type and bool(type_of(name)),
        matched_weight=1.0,
    )


def local_name(typed: TypedName, vocabulary: Vocabulary) -> LocalName:
    words = typed.words
    as_start = [_as_start(word) if vocabulary.has_longer_word(word) else 0.0 for word in words]
    weights, similar = vocabulary.weights(words), [*map(vocabulary.similar_words, words)]
    matching = unmatched = uncounted = 0.0
    counted_words = set()
    for word, weight, similar_words, start in zip(words, weights, similar, as_start, strict=True):
        if not (similar_words or start):
            unmatched += weight
            continue
        greatest = max(map(vocabulary.weight, similar_words), default=0.0)
        matching += 1.0 if start else max(weight, greatest)
        uncounted += start if word in typed.content and word not in counted_words else max(start, greatest)
        counted_words.add(word)
    least = MIN_SIMILARITY - _TYPED_SHARE * matching / (matching + unmatched)
    return LocalName(typed, weights, similar, as_start, least / (1 - _TYPED_SHARE) - _ROUNDING, uncounted)


def _as_start(word: str) -> float:
    """The similarity of a word to a longer one that starts with it."""
    return _INITIAL if len(word) == 1 else _PREFIX if len(word) >= MIN_PREFIX_LENGTH else 0.0


def compare(local: LocalName, name: Sequence[str], weights: Sequence[float]) -> NameSimilarity | None:
    """The similarity by the weight of matched words in both names; None if it is less than MIN_SIMILARITY. Each word
    matches at most one word.
    """
    typed = local.typed
    if name == typed.words:
        return EXACT  # a sum of shares may miss 1 by its rounding
    free = dict(enumerate(name))
    pairs: list[tuple[int, int]] = []
    other_words: list[str] = []
    typed_similar = typed_total = typed_matched = name_similar = name_matched = largest_error = 0.0
    for place, word in enumerate(typed.words):
        at, similarity = _best_match(word, local.similar[place], local.as_start[place], free)
        weight = local.weights[place]
        if at is None:
            typed_total += weight
            continue
        own_weight = weights[at]
        weight = max(weight, own_weight) if len(word) > 1 else own_weight
        typed_total += weight
        typed_matched += weight
        typed_similar += weight * similarity
        name_matched += own_weight
        name_similar += own_weight * similarity
        largest_error = max(largest_error, 1.0 - similarity)
        if similarity < 1.0 and not name[at].startswith(word):
            other_words.append(word)
        pairs.append((place, at))
        del free[at]
    if not typed_matched:
        return None
    name_total = sum(weights)
    score = _TYPED_SHARE * typed_similar / typed_total + (1 - _TYPED_SHARE) * name_similar / name_total
    if score < MIN_SIMILARITY or codes(typed.words) != codes(name):
        return None
    matched = {place for place, _ in pairs}
    is_other_number = any(place not in matched and is_number(word) for place, word in enumerate(typed.words))
    if is_other_number:
        score *= _OTHER_NUMBER
    if len(typed.words) - 1 not in matched:
        other_words.append(typed.words[-1])
    unmatched_words = {word for place, word in enumerate(typed.words) if place not in matched} | {*free.values()}
    if [at for _, at in pairs] != sorted(at for _, at in pairs):
        score *= _OTHER_ORDER
    is_other_type = bool(typed.type) and type_of(name) not in ("", typed.type) and typed.type not in name
    if is_other_type:
        score *= _OTHER_TYPE
    if score < MIN_SIMILARITY:
        return None
    if score == 1.0:
        return EXACT
    return NameSimilarity(
        similarity=score,
        unmatched_typed_ratio=1 - typed_matched / typed_total,
        unmatched_name_ratio=1 - name_matched / name_total,
        error_ratio=1 - typed_similar / typed_matched,
        is_other_type=is_other_type,
        is_other_number=is_other_number,
        has_other_qualifier=not QUALIFIERS.isdisjoint(unmatched_words - {typed.type, type_of(name)}),
        is_type_omitted=not typed.type and bool(type_of(name)),
        is_similar_type=is_other_type and are_confused(typed.type, type_of(name)),
        largest_error=largest_error,
        edits=sum(OSA.distance(typed.words[place], name[at]) for place, at in pairs),
        matched_weight=name_similar,
        has_other_complement=not PREPOSITIONS.isdisjoint(typed.words[max(matched) + 1 : -1]),
        other_words=tuple(other_words),
    )


def _best_match(
    word: str, similar: Mapping[str, float], as_start: float, free: Mapping[int, str]
) -> tuple[int | None, float]:
    """Position and similarity of the unmatched word of a street that is most similar to a typed word."""
    at, best = None, 0.0
    for index, name_word in free.items():
        similarity = similar.get(name_word, 0.0)
        if as_start and not similarity and name_word.startswith(word) and name_word not in STOP_WORDS:
            similarity = as_start
        if similarity > best:
            at, best = index, similarity
    return at, best
