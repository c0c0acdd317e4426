"""The probability that a candidate is the right address, by a conditional logit model over all candidates.

The utility of a candidate is a weighted sum of its features, and the utility of "not in the index" is 0. Probabilities
are proportional to the exponentials of the utilities. docs/addresses.md describes how the weights were fitted
(`bench/address_quality.py fit`) and how well the probabilities are calibrated.
"""

import math
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from land.addresses.model import Agreement
from land.addresses.name_similarity import NameSimilarity
from land.addresses.spellings import SHORT


class Features(NamedTuple):
    """From 0 to 1, except logarithms, weights and the last. Those of the name are described in `NameSimilarity`."""

    is_same_name: float
    """The canonical names are equal, or the query has no street."""
    unmatched_typed_ratio: float
    unmatched_name_ratio: float
    error_ratio: float
    unmatched_both_ratio: float
    """The smaller of the two ratios of unmatched words: names that each have other words are seldom the same."""
    matched_weight: float
    has_whole_name: float
    """All words of the street's name match without errors, except stop words and its type."""
    is_type_omitted: float
    is_other_type: float
    is_other_number: float
    is_joined: float
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
    is_city_short: float
    ignored_words: float
    """Natural logarithm of 1 + the words of the query that no part has."""
    log_addresses: float
    """Natural logarithm of 1 + the street's addresses: a larger street is more often the right one."""
    intercept: float = 1.0
    """Equal for all candidates: its weight reflects how often the index contains the address."""


WEIGHTS = Features(
    is_same_name=5.37,
    unmatched_typed_ratio=-6.9,
    unmatched_name_ratio=-2.93,
    error_ratio=-14.61,
    unmatched_both_ratio=-6.0,
    matched_weight=0.3,
    has_whole_name=3.0,
    is_type_omitted=-0.5,
    is_other_type=-7.47,
    is_other_number=-1.71,
    is_joined=-0.25,
    has_number=4.7,
    is_number_missing=-1.98,
    name_difference_without_number=-0.85,
    name_difference_of_street=-0.85,
    is_other_postcode=-6.06,
    name_difference_at_other_postcode=-1.46,
    is_other_department=-2.0,
    has_postcode=0.5,
    is_postcode_completed=-0.5,
    city_difference=-8.0,
    is_city_short=-0.5,
    ignored_words=-1.5,
    log_addresses=0.17,
    intercept=-0.33,
)

COMPLETED = 0.9
"""Agreement of a postcode that lacks digits."""
_STOP_WORDS_SHARE = 0.15
"""Of the weight of a name; a type has more."""


def features_of(name: NameSimilarity, agreement: Agreement, address_count: int, ignored_words: int) -> Features:
    name_difference = 1.0 - name.similarity
    is_number_missing = float(agreement.number == 0.0)
    postcode, city = agreement.postcode, agreement.city
    is_other_postcode = float(postcode is not None and postcode < COMPLETED)
    return Features(
        is_same_name=float(name_difference == 0.0),
        unmatched_typed_ratio=name.unmatched_typed_ratio,
        unmatched_name_ratio=name.unmatched_name_ratio,
        error_ratio=name.error_ratio,
        unmatched_both_ratio=min(name.unmatched_typed_ratio, name.unmatched_name_ratio),
        matched_weight=name.matched_weight,
        has_whole_name=float(
            not name.is_other_type
            and name.error_ratio == 0.0
            and name.unmatched_name_ratio <= (_STOP_WORDS_SHARE if not name.is_type_omitted else 2.5 * _STOP_WORDS_SHARE)
        ),
        is_type_omitted=float(name.is_type_omitted),
        is_other_type=float(name.is_other_type),
        is_other_number=float(name.is_other_number),
        is_joined=float(name.is_joined),
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
        is_city_short=float(city == SHORT),
        ignored_words=math.log1p(ignored_words),
        log_addresses=math.log1p(address_count),
    )


def utility(features: Features) -> float:
    return float(sum(map(mul, WEIGHTS, features)))


def probabilities(utilities: Sequence[float]) -> list[float]:
    """The probability of each candidate. Their sum is below 1: the rest is the probability of "not in the index"."""
    highest = max((0.0, *utilities))
    weights = [math.exp(value - highest) for value in utilities]
    total = math.exp(-highest) + sum(weights)
    return [weight / total for weight in weights]
