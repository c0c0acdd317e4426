"""The fit of the weights, and the file that it writes."""

import numpy as np

from addressfit.cases import Candidates
from addressfit.fit import WEIGHTS_FILE, fit, reachable_share, weights_module
from land.addresses.weights import WEIGHTS

NAMES = list(WEIGHTS)
NAME = NAMES.index("is_same_name")
INTERCEPT = NAMES.index("intercept")


def case(names: list[float], right: int | None) -> Candidates:
    """A case whose candidates differ only in whether their names are equal. `right` is the right candidate, if any."""
    features = np.zeros((len(names), len(WEIGHTS)), np.float32)
    features[:, NAME], features[:, INTERCEPT] = names, 1
    nothing, is_right = np.zeros(len(names), np.float32), np.array([i == right for i in range(len(names))])
    no_names = [""] * len(names)
    return Candidates(
        "exact", "paris", False, right is not None, features, nothing, nothing, no_names, is_right, is_right
    )


def test_the_fitted_weights_are_those_with_the_highest_likelihood() -> None:
    """Nine of ten cases have the equal name as the right candidate, so its odds against "none" are nine to one."""
    cases = [case([1.0], 0)] * 900 + [case([1.0], None)] * 100
    weights = fit(cases, np.zeros(len(WEIGHTS)))
    assert abs(weights[NAME] + weights[INTERCEPT] - np.log(9)) < 0.01
    assert np.count_nonzero(weights) == 2


def test_an_ambiguous_case_has_another_address_that_fits_as_well() -> None:
    assert reachable_share(case([1.0, 1.0], 0)) == 0.5
    assert reachable_share(case([0.0, 1.0, 1.0], 0)) < 0.5, "a better name is as good"
    assert reachable_share(case([1.0, 0.0], 0)) == 1.0
    assert reachable_share(case([1.0], None)) == 1.0


def test_the_file_of_weights_is_as_the_fit_writes_it() -> None:
    assert WEIGHTS_FILE.read_text(encoding="utf-8") == weights_module(list(WEIGHTS.values()))
