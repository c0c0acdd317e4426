"""The probability that a candidate is the right address, by a conditional logit model over all candidates.

The utility of a candidate is a weighted sum of its features, and the utility of "not in the index" is 0. Probabilities
are proportional to the exponentials of the utilities. README.md describes how the weights were fitted
(`make address-weights`) and how well the probabilities are calibrated.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import mul

from land.addresses.gazetteer import MIN_CITY_SIMILARITY
from land.addresses.model import Agreement
from land.addresses.name_similarity import NameSimilarity
from land.addresses.parsing import Reading
from land.addresses.spellings import DISTRICT_ALONE
from land.addresses.weights import WEIGHTS

Features = Mapping[str, float]
"""Numbers by the names of `WEIGHTS`, from 0 to 1, except logarithms, weights and the last."""
MIN_PROBABILITY = 0.65
"""The least `answer_probability` of an answer. If a wrong answer costs as much as two missing ones, this has the lowest
cost, see README.md.
"""
SURE = 0.9
LEAST_FITTED = 0.45
"""The fitted probability of queries that are right in two of three cases."""
TELLING = ("has_other_complement", "has_other_qualifier", "is_other_word")
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
"""The same in an arrondissement of a city that the query does not name, before the probability is raised: below 0.9."""
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
    return {
        # The canonical names are equal.
        "is_same_name": is_same_name,
        # The query has no street, and the candidate is a commune.
        "is_municipality": float(agreement.street is None),
        "unmatched_typed_ratio": name.unmatched_typed_ratio,
        "unmatched_name_ratio": name.unmatched_name_ratio,
        "error_ratio": name.error_ratio,
        "largest_error": name.largest_error,
        # One letter differs, and nothing else but that the type is omitted.
        "is_one_edit": float(
            name.edits == 1
            and name.unmatched_typed_ratio < _STOP_WORDS_SHARE
            and name.unmatched_name_ratio < _STOP_WORDS_SHARE + types * name.is_type_omitted
        ),
        # Letters that differ, after the first two.
        "more_edits": max(0.0, name.edits - 2.0),
        # The smaller of the two ratios of unmatched words: names that each have other words are seldom the same.
        "unmatched_both_ratio": min(name.unmatched_typed_ratio, name.unmatched_name_ratio),
        "matched_weight": name.matched_weight,
        # Not the same name, but all words of the street's match without errors, except stop words and its type.
        "has_whole_name": has_whole_name,
        "is_type_omitted": float(name.is_type_omitted),
        "is_other_type": float(name.is_other_type),
        "is_other_type_of_whole_name": name.is_other_type * has_whole_name,
        "is_similar_type": float(name.is_similar_type),
        "is_other_number": float(name.is_other_number),
        "has_other_qualifier": float(name.has_other_qualifier),
        # A typed word that matches with an error, or follows the words that match, is another street's name or its end.
        "is_other_word": float(is_other_word),
        "has_other_complement": float(name.has_other_complement),
        # The number of the query is published on the street.
        "has_number": float(agreement.number == 1.0),
        "is_number_missing": is_number_missing,
        # 1 minus the name's similarity, if the number is missing.
        "name_difference_without_number": name_difference * is_number_missing,
        # 1 minus the name's similarity, if the query has no number.
        "name_difference_of_street": name_difference * (agreement.number is None),
        # The postcode of the query is not the street's.
        "is_other_postcode": is_other_postcode,
        "name_difference_at_other_postcode": name_difference * is_other_postcode,
        "is_other_department": float(postcode == 0.0),
        # The postcode of the query is the street's.
        "has_postcode": float(postcode == 1.0),
        "is_postcode_completed": float(postcode == COMPLETED),
        "city_difference": 0.0 if city is None else 1.0 - city,
        # The city of the query is too different to be a misspelled name of the commune.
        "is_other_city": float(city is not None and city < MIN_CITY_SIMILARITY),
        # Natural logarithm of 1 + the words of the query that no part has.
        "ignored_words": ignored * (not reading.is_published),
        # `ignored_words`, if all of them are before a number and a street type, or after a postcode and a city.
        "ignored_words_outside": ignored * reading.is_outside_ignored * (not reading.is_published),
        # `ignored_words`, if the name is not exactly the street's.
        "ignored_words_with_other_name": ignored * (name_difference > 0.0),
        # The name was found inside a text.
        "is_published": float(reading.is_published),
        "ignored_words_of_published": ignored * reading.is_published,
        "is_published_continued": float(reading.is_continued),
        "is_published_without_number": float(reading.is_published and reading.number is None),
        # Natural logarithm of the street's addresses, within limits: a larger street is more often the right one.
        "log_addresses": log_addresses,
        # `log_addresses`, if the street has the number of the query.
        "log_addresses_with_number": log_addresses * (agreement.number == 1.0),
        # Equal for all candidates: its weight reflects how often the index contains the address.
        "intercept": 1.0,
    }


def utility(features: Features) -> float:
    return float(sum(map(mul, WEIGHTS.values(), features.values())))


def is_whole(features: Features) -> bool:
    """Whether the query has the number, the street, the postcode and the city of the candidate, without an error."""
    is_different = any(features[name] for name in ("city_difference", "ignored_words", "ignored_words_of_published"))
    return bool(features["is_same_name"] and features["has_number"] and features["has_postcode"] and not is_different)


def limited(utilities: Sequence[float], features: Sequence[Features], contradictions: Sequence[float]) -> list[float]:
    """The utilities, all reduced by the same amount if the best one is above the limit. The limit is lower if the best
    candidate contradicts an input: such a query more often has no right answer.
    """
    rows = zip(utilities, contradictions, features, strict=True)
    best, contradiction, of_best = max(rows, key=lambda row: row[:2], default=(0.0, 0.0, None))
    most = math.inf if of_best is None or is_whole(of_best) else MAX_UTILITY
    if of_best and of_best["city_difference"] == 1.0 - DISTRICT_ALONE and not of_best["has_postcode"]:
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


def calibrated(probabilities: Sequence[float], best: Features, contradiction: float) -> Sequence[float]:
    """The probabilities, raised by one factor if all together have less than SURE.

    Queries of kinds that no fit has seen are right more often than the fit expects: LEAST_FITTED stands for 0.65. SURE
    and more stay as they are, so that no further answer is as certain. So do those of a best candidate that contradicts
    an input, or lacks a word that tells streets apart.
    """
    total = sum(probabilities)
    if contradiction or any(best[name] for name in TELLING) or not 0 < total < SURE:
        return probabilities
    raised = SURE - (SURE - MIN_PROBABILITY) * ((SURE - total) / (SURE - LEAST_FITTED)) ** 2
    return [probability * max(1.0, raised / total) for probability in probabilities]


def differs(features: Features) -> bool:
    """Whether the query has a word, a letter or a street type that the name of the candidate does not have."""
    return bool(
        features["error_ratio"] or features["is_other_type"] or features["unmatched_typed_ratio"] > _STOP_WORDS_SHARE
    )


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
