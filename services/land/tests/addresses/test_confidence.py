"""How the fitted probabilities are raised for kinds of queries that no fit has seen."""

from itertools import pairwise

import pytest

from land.addresses.confidence import TELLING, calibrated

CLEAR = dict.fromkeys(TELLING, 0.0)


def test_raised_probabilities_keep_their_order_and_none_becomes_sure() -> None:
    raised = [calibrated([percent / 100], CLEAR, 0.0)[0] for percent in range(1, 100)]
    assert all(before < after for before, after in pairwise(raised))
    assert all(after >= percent / 100 for percent, after in enumerate(raised, 1))
    assert all(after < 0.9 for after in raised[:89])
    assert raised[89:] == [percent / 100 for percent in range(90, 100)]
    assert raised[44] == pytest.approx(0.65)


def test_candidates_are_raised_by_one_factor() -> None:
    first, second = calibrated([0.4, 0.1], CLEAR, 0.0)
    assert first / second == pytest.approx(4)
    assert first + second < 0.9


@pytest.mark.parametrize("name", TELLING)
def test_a_candidate_that_lacks_a_telling_word_is_not_raised(name: str) -> None:
    assert calibrated([0.5], {**CLEAR, name: 1.0}, 0.0) == [0.5]


def test_a_candidate_that_contradicts_an_input_is_not_raised() -> None:
    assert calibrated([0.5], CLEAR, 1.0) == [0.5]
