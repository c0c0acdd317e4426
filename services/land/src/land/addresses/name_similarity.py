"""Similarity of a typed street name and a published one, by their words in any order and as one joined word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from land.addresses.vocabulary import CODE, STOP_WORDS, Vocabulary, is_number
from land.normalise import STREET_TYPE_WORDS, WRITTEN_NUMBERS

MIN_PREFIX_LENGTH = 3
_INITIAL = 0.75
_PREFIX = 0.85
_JOINED = 0.97
_TYPED_SHARE = 0.7
"""Share of the typed words in the similarity: people omit words more often than they add some."""
_OTHER_TYPE = 0.7
"""Low enough to reject the street: "Place Dauphine" is not "Rue Dauphine"."""
_OTHER_ORDER = 0.98
_OTHER_NUMBER = 0.7
"""Low enough to reject the street: "Villa Guizot" is not "1P1 Villa Guizot"."""


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
    """One name has a number or code that the other does not have."""
    is_joined: bool = False
    """The names were compared without spaces."""


EXACT = NameSimilarity(1.0)


class TypedName(NamedTuple):
    """A typed name, with everything that does not depend on the street it is compared with."""

    words: Sequence[str]
    type: str
    weights: Sequence[float]
    similar: Mapping[str, Mapping[str, float]]
    """By typed word, similar words of the commune with their similarity from 0 to 1."""


def typed_name(words: Sequence[str], vocabulary: Vocabulary) -> TypedName:
    weights = [vocabulary.weight(word, place) for place, word in enumerate(words)]
    return TypedName(words, type_of(words), weights, {word: vocabulary.similar_words(word) for word in set(words)})


def type_of(words: Sequence[str]) -> str:
    """The street type at the start of a canonical name; empty without one."""
    return words[0] if len(words) > 1 and words[0] in STREET_TYPE_WORDS else ""


def joined(words: Sequence[str]) -> str:
    """A canonical name without spaces, type and stop words, and with its numbers as words."""
    content = words[1:] if type_of(words) else words
    content = [word for word in content if word not in STOP_WORDS] or content
    return "".join(WRITTEN_NUMBERS.get(word, word) for word in content)


def digits(words: Sequence[str]) -> str:
    """The digits of a name that are not written as words. Names with other digits are other streets."""
    return "".join(c for word in words if word not in WRITTEN_NUMBERS for c in word if c.isdigit())


def compare_joined(typed: TypedName, name: Sequence[str], percent: float) -> NameSimilarity:
    """The similarity of names whose joined forms have a similarity of `percent`."""
    is_other_type = bool(typed.type) and typed.type != type_of(name)
    ratio = percent / 100
    similarity = _JOINED * ratio * (_OTHER_TYPE if is_other_type else 1.0)
    return NameSimilarity(similarity, error_ratio=1 - ratio, is_other_type=is_other_type, is_joined=True)


def compare(typed: TypedName, name: Sequence[str], vocabulary: Vocabulary) -> NameSimilarity:
    """The similarity by the weight of matched words in both names. Each word matches at most one word."""
    weights = [vocabulary.weight(word, place) for place, word in enumerate(name)]
    free = dict(enumerate(name))
    pairs: list[tuple[int, int]] = []
    typed_similar = typed_total = typed_matched = name_similar = name_matched = 0.0
    for place, word in enumerate(typed.words):
        at, similarity = _best_match(word, typed.similar[word], free)
        weight = typed.weights[place]
        if at is None:
            typed_total += weight
            continue
        weight = max(weight, weights[at]) if len(word) > 1 else weights[at]
        typed_total += weight
        typed_matched += weight
        typed_similar += weight * similarity
        name_matched += weights[at]
        name_similar += weights[at] * similarity
        pairs.append((place, at))
        del free[at]
    if not typed_matched:
        return NameSimilarity(0.0, 1.0, 1.0)
    name_total = sum(weights)
    score = _TYPED_SHARE * typed_similar / typed_total + (1 - _TYPED_SHARE) * name_similar / name_total
    matched = {place for place, _ in pairs}
    is_other_number = any(place not in matched and is_number(word) for place, word in enumerate(typed.words)) or any(
        CODE.fullmatch(word) for word in free.values()
    )
    if is_other_number:
        score *= _OTHER_NUMBER
    if [at for _, at in pairs] != sorted(at for _, at in pairs):
        score *= _OTHER_ORDER
    is_other_type = bool(typed.type) and type_of(name) not in ("", typed.type) and typed.type not in name
    return NameSimilarity(
        similarity=score * (_OTHER_TYPE if is_other_type else 1.0),
        unmatched_typed_ratio=1 - typed_matched / typed_total,
        unmatched_name_ratio=1 - name_matched / name_total,
        error_ratio=1 - typed_similar / typed_matched,
        is_other_type=is_other_type,
        is_other_number=is_other_number,
    )


def _best_match(word: str, similar: Mapping[str, float], free: Mapping[int, str]) -> tuple[int | None, float]:
    """Position and similarity of the unmatched word of a street that is most similar to a typed word."""
    at, best = None, 0.0
    for index, own in free.items():
        similarity = similar.get(own, 0.0)
        if not similarity and own.startswith(word) and own not in STOP_WORDS:
            similarity = _INITIAL if len(word) == 1 else _PREFIX if len(word) >= MIN_PREFIX_LENGTH else 0.0
        if similarity > best:
            at, best = index, similarity
    return at, best
