"""Fits the weights of `land.addresses.confidence`, and measures answers with fitted weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import land.addresses
from addressfit.cases import Bools, Candidates
from land.addresses.confidence import answer_probability, calibrated, limited, probabilities
from land.addresses.weights import WEIGHTS

PENALTY = 2e-4
"""The cost of the squared weights, against the mean log likelihood of a case."""
MAX_STEPS = 60
ENOUGH = 1e-7
"""A step that lowers the loss by less ends the fit."""
WRONG_COST = 2.0
"""A wrong answer costs as much as this number of missing answers: a caller who gets none can correct the query."""
TWIN = ("is_other_type", "is_similar_type", "error_ratio", "unmatched_typed_ratio", "unmatched_name_ratio")
SAME = 0.02
EQUAL = 1e-6
"""Two features that differ by less are equal."""
NAMES, FITTED = list(WEIGHTS), list(WEIGHTS.values())
UNFITTED = ("is_municipality",)
"""No case asks for a commune alone."""

Doubles = NDArray[np.float64]
WEIGHTS_FILE = Path(land.addresses.__file__).parent / "weights.py"
_HEAD = '"""The weights of the features of `confidence`. `make address-weights` fits and writes them: do not edit."""\n'


@dataclass(frozen=True)
class Table:
    """Cases with their candidates one after another, each with at least one candidate."""

    features: Doubles
    offsets: Doubles
    right: Bools
    starts: NDArray[np.intp]
    """The first candidate of each case."""
    counts: NDArray[np.intp]
    is_known: Bools

    @classmethod
    def of(cls, cases: Sequence[Candidates]) -> "Table":
        counts = np.array([len(case.right) for case in cases])
        return cls(
            np.concatenate([case.features for case in cases]).astype(float),
            np.concatenate([case.offsets for case in cases]).astype(float),
            np.concatenate([case.right for case in cases]),
            np.concatenate(([0], np.cumsum(counts)[:-1])),
            counts,
            np.array([case.is_known for case in cases]),
        )

    def by_case(
        self, values: Doubles, join: Callable[[Doubles, NDArray[np.intp]], Doubles] = np.add.reduceat
    ) -> Doubles:
        """Joins the values of the candidates of each case."""
        return join(values, self.starts)

    def by_candidate(self, values: Doubles) -> Doubles:
        """Repeats the value of each case for its candidates."""
        return np.repeat(values, self.counts)

    def probabilities(self, weights: Doubles) -> tuple[Doubles, Doubles]:
        """Returns the probability of each candidate, and that no candidate of a case is right."""
        utilities = self.features @ weights + self.offsets
        highest = np.maximum(self.by_case(utilities, np.maximum.reduceat), 0)
        odds, none = np.exp(utilities - self.by_candidate(highest)), np.exp(-highest)
        total = self.by_case(odds) + none
        return odds / self.by_candidate(total), none / total


def fit(cases: Sequence[Candidates], start: Sequence[float] | Doubles = FITTED) -> Doubles:
    """The weights with the highest likelihood of the right candidates (conditional logit, L2 penalty, Newton's method).

    A case is left out if its right address is not among the candidates: there is nothing to learn from it. So is the
    case of a left-out street if another one has its name with a similar type: to take it is as right as a 404.
    """
    table = Table.of(
        [
            case
            for case in cases
            if len(case.right) and (case.right.any() or not case.is_known) and not has_similar_twin(case)
        ]
    )
    weights = np.array(start, float)
    is_fitted = np.array(table.features.any(0), np.bool_)  # without cases for a feature, its weight is unchanged
    is_fitted[[NAMES.index(name) for name in UNFITTED]] = False
    size = len(table.starts)

    def loss(weights: Doubles) -> tuple[float, Doubles, Doubles]:
        likely, none = table.probabilities(weights)
        truth = table.by_case(likely * table.right) + none * ~table.is_known
        posterior = likely * table.right / table.by_candidate(np.maximum(truth, 1e-300))
        value = -np.log(np.maximum(truth, 1e-300)).mean() + PENALTY / 2 * float(weights[is_fitted] @ weights[is_fitted])
        return value, likely, posterior

    value, likely, posterior = loss(weights)
    for _ in range(MAX_STEPS):
        gradient = (likely - posterior) @ table.features / size + PENALTY * weights
        weighted = table.features * likely[:, None]
        expected = np.add.reduceat(weighted, table.starts)
        curvature = (table.features.T @ weighted - expected.T @ expected) / size + PENALTY * np.eye(len(weights))
        step = np.zeros_like(weights)
        step[is_fitted] = np.linalg.solve(curvature[np.ix_(is_fitted, is_fitted)], gradient[is_fitted])
        length, before = 1.0, value
        while length > 1e-3:
            value, likely, posterior = loss(weights - length * step)
            if value < before:
                break
            length /= 2
        else:
            break
        weights = weights - length * step
        if before - value < ENOUGH:
            break
    return weights


def has_similar_twin(case: Candidates) -> bool:
    """Whether a left-out street has the words of another street, with a similar type."""
    if not case.is_left_out or not len(case.right):
        return False
    other, similar, errors, typed, name = (case.features[:, NAMES.index(feature)] for feature in TWIN)
    return bool(((other > 0) & (similar > 0) & (errors == 0) & (typed < SAME) & (name < SAME)).any())


def reachable_share(case: Candidates) -> float:
    """The share of cases like this one that any resolver can answer right.

    It is below 1 if other addresses fit the query at least as well: no feature of what was typed is better in a right
    one. The generator may have meant any of them, so the best resolver is right by chance.
    """
    if not case.right.any():
        return 1.0
    typed = case.features * np.where(np.char.startswith(NAMES, "log_addresses"), 0, FITTED)
    typed[:, 0] += case.offsets
    is_as_good = (typed[:, None] >= typed[None, case.right] - EQUAL).all(axis=(1, 2))
    rights = int(case.right.sum())
    return rights / (rights + int((is_as_good & ~case.right).sum()))


@dataclass(frozen=True)
class Answers:
    """One answer per case."""

    total: Doubles
    """The probability of an answer, which the threshold compares."""
    score: Doubles
    is_right: Bools
    """The first candidate is a right answer."""
    is_right_street: Bools
    is_known: Bools

    def right(self, threshold: float) -> Bools:
        """The right answers, and the refusals of unknown streets."""
        return np.where(self.is_known, self.is_right & self.is_given(threshold), ~self.is_given(threshold))

    def right_street(self, threshold: float) -> Bools:
        return np.where(self.is_known, self.is_right_street & self.is_given(threshold), ~self.is_given(threshold))

    def is_given(self, threshold: float) -> Bools:
        return self.total >= threshold

    def cost(self, threshold: float) -> float:
        """Per case, in missing answers."""
        is_given = self.is_given(threshold)
        return float((WRONG_COST * (is_given & ~(self.is_right & self.is_known)) + (~is_given & self.is_known)).mean())

    @classmethod
    def joined(cls, parts: Sequence["Answers"]) -> "Answers":
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__))


def answers(cases: Sequence[Candidates], weights: Doubles) -> Answers:
    """Returns what the service would answer with these weights, in the order of the cases."""
    total, score = np.zeros(len(cases)), np.zeros(len(cases))
    is_right, is_right_street = np.zeros(len(cases), bool), np.zeros(len(cases), bool)
    for i, case in enumerate(cases):
        if len(case.right):
            utilities = case.features @ weights + case.offsets
            features = [dict(zip(WEIGHTS, row, strict=True)) for row in case.features.tolist()]
            best = int(utilities.argmax())
            fitted = probabilities(limited(utilities.tolist(), features, case.contradictions.tolist()))
            likely = calibrated(fitted, features[best], case.contradictions[best])
            total[i], score[i] = answer_probability(likely, case.other_names), likely[best]
            is_right[i], is_right_street[i] = case.right[best], case.right_street[best]
    return Answers(total, score, is_right, is_right_street, np.array([case.is_known for case in cases]))


def brier(answers: Answers, threshold: float) -> float:
    """Mean squared difference between the score and the outcome, of the answers above the threshold."""
    is_given = answers.is_given(threshold)
    squares = (answers.score - (answers.is_right & answers.is_known)) ** 2
    return float(squares[is_given].mean()) if is_given.any() else 0.0


def sure_and_right(answers: Answers, threshold: float) -> tuple[int, float]:
    """The answers with a score of at least 0.9, and the share of right ones."""
    sure = answers.is_given(threshold) & (answers.score >= 0.9)
    return int(sure.sum()), float((answers.is_right & answers.is_known)[sure].mean()) if sure.any() else 1.0


def weights_module(weights: Sequence[float] | Doubles) -> str:
    """Returns the text of land's file of weights."""
    lines = (f'    "{name}": {round(float(value), 2)},' for name, value in zip(NAMES, weights, strict=True))
    return "\n".join([_HEAD, "WEIGHTS = {", *lines, "}", ""])
