"""The probability that a candidate is the right address, by a conditional logit model over all candidates.

The utility of a candidate is a weighted sum of its features, and the utility of "not in the index" is 0. Probabilities
are proportional to the exponentials of the utilities. README.md describes how the weights were fitted
(`make address-weights`) and how well the probabilities are calibrated.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from land.addresses.gazetteer import MIN_CITY_SIMILARITY
from land.addresses.model import Agreement
from land.addresses.name_similarity import NameSimilarity
from land.addresses.parsing import Reading
from land.addresses.spellings import DISTRICT_ALONE
from land.addresses.weights import WEIGHTS as FITTED_WEIGHTS


class Features(NamedTuple):
    """Numbers from 0 to 1, except logarithms, weights and the last. `NameSimilarity` describes those of the name."""

    is_same_name: float
    """The canonical names are equal."""
    is_municipality: float
    """The query has no street, and the candidate is a commune."""
    unmatched_typed_ratio: float
    unmatched_name_ratio: float
    error_ratio: float
    largest_error: float
    is_one_edit: float
    """One letter differs, and nothing else but that the type is omitted."""
    more_edits: float
    """Letters that differ, after the first two."""
    unmatched_both_ratio: float
    """The smaller of the two ratios of unmatched words: names that each have other words are seldom the same."""
    matched_weight: float
    has_whole_name: float
    """Not the same name, but all words of the street's match without errors, except stop words and its type."""
    is_type_omitted: float
    is_other_type: float
    is_other_type_of_whole_name: float
    is_similar_type: float
    is_other_number: float
    has_other_qualifier: float
    is_other_word: float
    """A typed word that matches with an error, or follows the words that match, is another street's name or its end."""
    has_other_complement: float
    has_number: float
    """The number of the query is published on the street."""
    is_number_missing: float
    name_difference_without_number: float
    name_difference_of_street: float
    """1 minus the name's similarity, if the query has no number."""
    """1 minus the name's similarity, if the number is missing."""
    is_other_postcode: float
    """The postcode of the query is not the street's."""
    name_difference_at_other_postcode: float
    is_other_department: float
    has_postcode: float
    """The postcode of the query is the street's."""
    is_postcode_completed: float
    city_difference: float
    is_other_city: float
    """The city of the query is too different to be a misspelled name of the commune."""
    ignored_words: float
    """Natural logarithm of 1 + the words of the query that no part has."""
    ignored_words_outside: float
    """`ignored_words`, if all of them are before a number and a street type, or after a postcode and a city."""
    ignored_words_with_other_name: float
    """`ignored_words`, if the name is not exactly the street's."""
    is_followed: float
    """Ignored words follow the whole name of the street, as a quarter's do."""
    is_published: float
    """The name was found inside a text."""
    ignored_words_of_published: float
    is_published_continued: float
    is_published_without_number: float
    log_addresses: float
    """Natural logarithm of the street's addresses, within limits: a larger street is more often the right one."""
    log_addresses_with_number: float
    """`log_addresses`, if the street has the number of the query."""
    intercept: float = 1.0
    """Equal for all candidates: its weight reflects how often the index contains the address."""


WEIGHTS = Features(**FITTED_WEIGHTS)

COMPLETED = 0.9
"""Agreement of a postcode that lacks digits."""
_FEW_ADDRESSES, _MANY_ADDRESSES = 5, 100
_STOP_WORDS_SHARE = 0.15
_TYPE_SHARE = 0.22
"""The largest shares of stop words and of a type in the weight of a name."""

CONTRADICTION_COST = 3.0
"""The cost of a contradiction of an input. It is less than the weight of an equal name: a candidate that other
parts name in full remains better than one with another name.
"""
MAX_UTILITY = math.log(0.99 / 0.01)
"""A single candidate has a probability of at most 0.99, unless the query has its whole address without an error.
Other queries may be of a kind that no fit has seen, and are then less often right than the fit expects.
"""
MAX_DISTRICT_UTILITY = math.log(0.88 / 0.12)
"""A single candidate in an arrondissement of a city that the query does not name has a probability of at most 0.88."""
MAX_CONTRADICTED_UTILITY = math.log(0.8 / 0.2)
"""A single candidate that contradicts one input has a probability of at most 0.8."""
FURTHER_CONTRADICTION_COST = 3.4
"""If it contradicts two, it has less than 0.65: that is no answer, unless another candidate is as probable."""


def features_of(
    name: NameSimilarity, agreement: Agreement, address_count: int, reading: Reading, *, is_other_word: bool = False
) -> Features:
    name_difference = 1.0 - name.similarity
    is_number_missing = float(agreement.number == 0.0)
    postcode, city = agreement.postcode, agreement.city
    is_other_postcode = float(postcode is not None and postcode < COMPLETED)
    log_addresses = math.log(min(max(address_count, _FEW_ADDRESSES), _MANY_ADDRESSES))
    ignored = math.log1p(reading.ignored)
    types = _TYPE_SHARE * (name.is_type_omitted or name.is_other_type)
    is_same_name = float(agreement.street == 1.0)
    is_whole = name.error_ratio == 0.0 and name.unmatched_name_ratio <= _STOP_WORDS_SHARE + types
    has_whole_name = float(is_whole and name_difference > 0.0)
    return Features(
        is_same_name=is_same_name,
        is_municipality=float(agreement.street is None),
        unmatched_typed_ratio=name.unmatched_typed_ratio,
        unmatched_name_ratio=name.unmatched_name_ratio,
        error_ratio=name.error_ratio,
        largest_error=name.largest_error,
        is_one_edit=float(
            name.edits == 1
            and name.unmatched_typed_ratio < _STOP_WORDS_SHARE
            and name.unmatched_name_ratio < _STOP_WORDS_SHARE + types * name.is_type_omitted
        ),
        more_edits=max(0.0, name.edits - 2.0),
        unmatched_both_ratio=min(name.unmatched_typed_ratio, name.unmatched_name_ratio),
        matched_weight=name.matched_weight,
        has_whole_name=has_whole_name,
        is_type_omitted=float(name.is_type_omitted),
        is_other_type=float(name.is_other_type),
        is_other_type_of_whole_name=name.is_other_type * has_whole_name,
        is_similar_type=float(name.is_similar_type),
        is_other_number=float(name.is_other_number),
        has_other_qualifier=float(name.has_other_qualifier),
        is_other_word=float(is_other_word),
        has_other_complement=float(name.has_other_complement),
        has_number=float(agreement.number == 1.0),
        is_number_missing=is_number_missing,
        name_difference_without_number=name_difference * is_number_missing,
        name_difference_of_street=name_difference * (agreement.number is None),
        is_other_postcode=is_other_postcode,
        name_difference_at_other_postcode=name_difference * is_other_postcode,
        is_other_department=float(postcode == 0.0),
        has_postcode=float(postcode == 1.0),
        is_postcode_completed=float(postcode == COMPLETED),
        city_difference=0.0 if city is None else 1.0 - city,
        is_other_city=float(city is not None and city < MIN_CITY_SIMILARITY),
        ignored_words=ignored * (not reading.is_published),
        ignored_words_outside=ignored * reading.is_outside_ignored * (not reading.is_published),
        ignored_words_with_other_name=ignored * (name_difference > 0.0),
        is_followed=float(reading.is_followed),
        is_published=float(reading.is_published),
        ignored_words_of_published=ignored * reading.is_published,
        is_published_continued=float(reading.is_continued),
        is_published_without_number=float(reading.is_published and reading.number is None),
        log_addresses=log_addresses,
        log_addresses_with_number=log_addresses * (agreement.number == 1.0),
    )


def utility(features: Features) -> float:
    return float(sum(map(mul, WEIGHTS, features)))


def is_whole(features: Features) -> bool:
    """Whether the query has the number, the street, the postcode and the city of the candidate, without an error."""
    is_place_equal = features.has_postcode and not features.city_difference
    return bool(features.is_same_name and features.has_number and is_place_equal and not features.is_followed)


def limited(utilities: Sequence[float], features: Sequence[Features], contradictions: Sequence[float]) -> list[float]:
    """The utilities, all reduced by the same amount if the best one is above the limit. The limit is lower if the best
    candidate contradicts an input: such a query more often has no right answer.
    """
    best, contradiction, of_best = max(zip(utilities, contradictions, features, strict=True), default=(0.0, 0.0, None))
    most = math.inf if of_best is None or is_whole(of_best) else MAX_UTILITY
    if of_best and of_best.city_difference == 1.0 - DISTRICT_ALONE and not of_best.has_postcode:
        most = MAX_DISTRICT_UTILITY
    if contradiction:
        most = min(most, MAX_CONTRADICTED_UTILITY - FURTHER_CONTRADICTION_COST * (contradiction - 1))
    excess = max(0.0, best - most)
    return [value - excess for value in utilities]


def probabilities(utilities: Sequence[float]) -> list[float]:
    """The probability of each candidate. Their sum is below 1: the rest is the probability of "not in the index"."""
    highest = max((0.0, *utilities))
    weights = [math.exp(value - highest) for value in utilities]
    total = math.exp(-highest) + sum(weights)
    return [weight / total for weight in weights]


def differs(features: Features) -> bool:
    """Whether the query has a word, a letter or a street type that the name of the candidate does not have."""
    return bool(features.error_ratio or features.is_other_type or features.unmatched_typed_ratio > _STOP_WORDS_SHARE)


def answer_probability(probabilities: Sequence[float], other_names: Sequence[str]) -> float:
    """The probability that the index has the address.

    A text with an error stands for one name. So of the candidates whose name `differs` from it, only those of the most
    probable name count, and the other names count as wrong. `other_names` has the name of such a candidate, and "" for
    any other.
    """
    by_name: dict[str, float] = defaultdict(float)
    for probability, name in zip(probabilities, other_names, strict=True):
        by_name[name] += probability
    return by_name.pop("", 0.0) + max(by_name.values(), default=0.0)
