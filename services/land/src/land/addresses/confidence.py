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


class Features(NamedTuple):
    """From 0 to 1, except the last two. Those of the name are described in `NameSimilarity`."""

    is_same_name: float
    """The canonical names are equal, or the query has no street."""
    unmatched_typed_ratio: float
    unmatched_name_ratio: float
    error_ratio: float
    is_other_type: float
    is_other_number: float
    is_joined: float
    has_number: float
    """The number of the query is published on the street."""
    is_number_missing: float
    name_difference_without_number: float
    """1 minus the name's similarity, if the number is missing."""
    is_other_postcode: float
    """The postcode of the query is not the street's."""
    name_difference_at_other_postcode: float
    is_other_department: float
    city_difference: float
    log_addresses: float
    """Natural logarithm of 1 + the street's addresses: a larger street is more often the right one."""
    intercept: float = 1.0
    """Equal for all candidates: its weight reflects how often the index contains the address."""


WEIGHTS = Features(
    is_same_name=5.37,
    unmatched_typed_ratio=-8.9,
    unmatched_name_ratio=-3.93,
    error_ratio=-14.61,
    is_other_type=-7.47,
    is_other_number=-1.71,
    is_joined=-0.25,
    has_number=4.7,
    is_number_missing=-1.98,
    name_difference_without_number=-0.85,
    is_other_postcode=-6.06,
    name_difference_at_other_postcode=-1.46,
    is_other_department=-2.0,
    city_difference=-8.0,
    log_addresses=0.17,
    intercept=-0.33,
)


CONTRADICTION_COST = 3.0
"""Of a candidate that contradicts an input of the query. Less than the weight of an equal name: a candidate that other
parts name in full remains better than one with another name.
"""
MAX_CONTRADICTED_UTILITY = math.log(0.8 / 0.2)
"""A single candidate that contradicts one input has a probability of at most 0.8."""
FURTHER_CONTRADICTION_COST = 0.7
"""If it contradicts two, it has less than 0.75: that is no answer, unless another candidate is as probable."""


def features_of(name: NameSimilarity, agreement: Agreement, address_count: int) -> Features:
    name_difference = 1.0 - name.similarity
    is_number_missing = float(agreement.number == 0.0)
    is_other_postcode = float(agreement.postcode is not None and agreement.postcode < 1.0)
    return Features(
        is_same_name=float(name_difference == 0.0),
        unmatched_typed_ratio=name.unmatched_typed_ratio,
        unmatched_name_ratio=name.unmatched_name_ratio,
        error_ratio=name.error_ratio,
        is_other_type=float(name.is_other_type),
        is_other_number=float(name.is_other_number),
        is_joined=float(name.is_joined),
        has_number=float(agreement.number == 1.0),
        is_number_missing=is_number_missing,
        name_difference_without_number=name_difference * is_number_missing,
        is_other_postcode=is_other_postcode,
        name_difference_at_other_postcode=name_difference * is_other_postcode,
        is_other_department=float(agreement.postcode == 0.0),
        city_difference=0.0 if agreement.city is None else 1.0 - agreement.city,
        log_addresses=math.log1p(address_count),
    )


def utility(features: Features) -> float:
    return float(sum(map(mul, WEIGHTS, features)))


def limited(utilities: Sequence[float], contradictions: Sequence[float]) -> list[float]:
    """The utilities, all reduced by the same amount if the best candidate contradicts an input: such a query more
    often has no right answer.
    """
    best, contradiction = max(zip(utilities, contradictions, strict=True), default=(0.0, 0.0))
    if not contradiction:
        return list(utilities)
    excess = max(0.0, best - (MAX_CONTRADICTED_UTILITY - FURTHER_CONTRADICTION_COST * (contradiction - 1)))
    return [value - excess for value in utilities]


def probabilities(utilities: Sequence[float]) -> list[float]:
    """The probability of each candidate. Their sum is below 1: the rest is the probability of "not in the index"."""
    highest = max((0.0, *utilities))
    weights = [math.exp(value - highest) for value in utilities]
    total = math.exp(-highest) + sum(weights)
    return [weight / total for weight in weights]
