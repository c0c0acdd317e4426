"""How sure an answer is: the probability that it is the address that was meant, among all that it may be.

A conditional logit: each candidate has a strength, a weighted sum of what speaks for and against it; that nothing of
the book was meant has the strength 0; and probabilities are in proportion to the exponentials of the strengths. Two
candidates that the query cannot tell apart so share what they have. docs/addresses.md says how the weights were found
(`bench/address_quality.py fit`) and how well they foretell.
"""

import math
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from land.addresses.model import Agreement
from land.addresses.streets import Likeness


class Evidence(NamedTuple):
    """What is weighed of a candidate; each 0 to 1 but for the last two."""

    is_same_name: float
    """The street's name in canonical form is the one typed, or no street was."""
    typed_missing: float
    own_missing: float
    slips: float
    is_other_type: float
    is_other_number: float
    is_one_piece: float
    """These as in `land.addresses.streets.Likeness`."""
    has_number: float
    """The number asked for is published on it."""
    lacks_number: float
    unlike_and_lacks_number: float
    """What the street lacks of similarity, where it lacks the number too."""
    is_elsewhere: float
    """The postcode or code asked for is not the street's."""
    unlike_and_elsewhere: float
    other_department: float
    city_slip: float
    log_addresses: float
    """Natural logarithm of how many addresses the street has: people rather mean the larger of two."""
    certainty: float = 1.0
    """The same for every candidate: its weight says how often the book has what is asked for."""


WEIGHTS = Evidence(
    is_same_name=5.37,
    typed_missing=-8.9,
    own_missing=-3.93,
    slips=-14.61,
    is_other_type=-7.47,
    is_other_number=-1.71,
    is_one_piece=-0.25,
    has_number=4.7,
    lacks_number=-1.98,
    unlike_and_lacks_number=-0.85,
    is_elsewhere=-6.06,
    unlike_and_elsewhere=-1.46,
    other_department=-2.0,
    city_slip=-8.0,
    log_addresses=0.17,
    certainty=-0.33,
)
"""One weight for each."""


def evidence(likeness: Likeness, agreement: Agreement, address_count: int) -> Evidence:
    """What a candidate's name, its other agreement with the query, and its size say of it."""
    unlike = 1.0 - likeness.similarity
    lacks_number = float(agreement.number == 0.0)
    is_elsewhere = float(agreement.postcode is not None and agreement.postcode < 1.0)
    return Evidence(
        is_same_name=float(unlike == 0.0),
        typed_missing=likeness.typed_missing,
        own_missing=likeness.own_missing,
        slips=likeness.slips,
        is_other_type=float(likeness.is_other_type),
        is_other_number=float(likeness.is_other_number),
        is_one_piece=float(likeness.is_one_piece),
        has_number=float(agreement.number == 1.0),
        lacks_number=lacks_number,
        unlike_and_lacks_number=unlike * lacks_number,
        is_elsewhere=is_elsewhere,
        unlike_and_elsewhere=unlike * is_elsewhere,
        other_department=float(agreement.postcode == 0.0),
        city_slip=0.0 if agreement.city is None else 1.0 - agreement.city,
        log_addresses=math.log1p(address_count),
    )


def strength(of: Evidence) -> float:
    return float(sum(map(mul, WEIGHTS, of)))


def probabilities(strengths: Sequence[float]) -> list[float]:
    """Of each candidate; what they lack of 1 together is the probability that none of them was meant."""
    highest = max((0.0, *strengths))
    weights = [math.exp(value - highest) for value in strengths]
    total = math.exp(-highest) + sum(weights)
    return [weight / total for weight in weights]
