"""Fits the weights of `land.addresses.confidence`, and measures answers with fitted weights."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from address_answers import Bools, Found
from numpy.typing import NDArray

from land.addresses.confidence import WEIGHTS, Features, limited, probabilities

PENALTY = 2e-4
"""Of the squared weights, against the mean log likelihood of a case."""
MAX_STEPS = 60
ENOUGH = 1e-7
"""A step that lowers the loss by less ends the fit."""
WRONG_COST = 2.0
"""A wrong answer costs as much as this number of missing answers: a caller who gets none can correct the query."""
TWIN = ("is_other_type", "is_similar_type", "error_ratio", "unmatched_typed_ratio", "unmatched_name_ratio")
SAME = 0.02
UNFITTED = ("is_municipality",)
"""No case asks for a commune alone."""

Doubles = NDArray[np.float64]


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
    def of(cls, items: Sequence[Found]) -> "Table":
        counts = np.array([len(item.right) for item in items])
        return cls(
            np.concatenate([item.features for item in items]).astype(float),
            np.concatenate([item.offsets for item in items]).astype(float),
            np.concatenate([item.right for item in items]),
            np.concatenate(([0], np.cumsum(counts)[:-1])),
            counts,
            np.array([item.is_known for item in items]),
        )

    def of_case(
        self, values: Doubles, join: Callable[[Doubles, NDArray[np.intp]], Doubles] = np.add.reduceat
    ) -> Doubles:
        """Joins the values of the candidates of each case."""
        return join(values, self.starts)

    def each(self, values: Doubles) -> Doubles:
        """Repeats the value of each case for its candidates."""
        return np.repeat(values, self.counts)

    def probabilities(self, weights: Doubles) -> tuple[Doubles, Doubles]:
        """Of each candidate, and that no candidate is right."""
        utilities = self.features @ weights + self.offsets
        highest = np.maximum(self.of_case(utilities, np.maximum.reduceat), 0)
        odds, none = np.exp(utilities - self.each(highest)), np.exp(-highest)
        total = self.of_case(odds) + none
        return odds / self.each(total), none / total


def fit(items: Sequence[Found], start: Sequence[float] | Doubles = WEIGHTS) -> Doubles:
    """The weights with the highest likelihood of the right candidates (conditional logit, L2 penalty, Newton's method).

    A case is left out if its right address is not among the candidates: there is nothing to learn from it. So is the
    case of a left-out street if another one has its name with a similar type: to take it is as right as a 404.
    """
    table = Table.of(
        [
            item
            for item in items
            if len(item.right) and (item.right.any() or not item.is_known) and not has_similar_twin(item)
        ]
    )
    weights = np.array(start, float)
    seen = np.array(table.features.any(0), np.bool_)  # without cases for a feature, its weight is unchanged
    seen[[Features._fields.index(name) for name in UNFITTED]] = False
    size = len(table.starts)

    def loss(weights: Doubles) -> tuple[float, Doubles, Doubles]:
        likely, none = table.probabilities(weights)
        truth = table.of_case(likely * table.right) + none * ~table.is_known
        posterior = likely * table.right / table.each(np.maximum(truth, 1e-300))
        value = -np.log(np.maximum(truth, 1e-300)).mean() + PENALTY / 2 * float(weights[seen] @ weights[seen])
        return value, likely, posterior

    value, likely, posterior = loss(weights)
    for _ in range(MAX_STEPS):
        gradient = (likely - posterior) @ table.features / size + PENALTY * weights
        weighted = table.features * likely[:, None]
        expected = np.add.reduceat(weighted, table.starts)
        curvature = (table.features.T @ weighted - expected.T @ expected) / size + PENALTY * np.eye(len(weights))
        step = np.zeros_like(weights)
        step[seen] = np.linalg.solve(curvature[np.ix_(seen, seen)], gradient[seen])
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


def has_similar_twin(item: Found) -> bool:
    """Whether a left-out street has the words of another street, with a similar type."""
    if not item.is_left_out or not len(item.right):
        return False
    other, similar, errors, typed, name = (item.features[:, Features._fields.index(each)] for each in TWIN)
    return bool(((other > 0) & (similar > 0) & (errors == 0) & (typed < SAME) & (name < SAME)).any())


@dataclass(frozen=True)
class Answers:
    """One answer per case."""

    total: Doubles
    """Probability of all candidates together, which the threshold compares."""
    score: Doubles
    is_right: Bools
    """The first candidate is a right answer."""
    is_right_street: Bools
    is_known: Bools

    def right(self, threshold: float) -> Bools:
        """The right answers, and the refusals of unknown streets."""
        return np.where(self.is_known, self.is_right & self.given(threshold), ~self.given(threshold))

    def right_street(self, threshold: float) -> Bools:
        return np.where(self.is_known, self.is_right_street & self.given(threshold), ~self.given(threshold))

    def given(self, threshold: float) -> Bools:
        return self.total >= threshold

    def cost(self, threshold: float) -> float:
        """Per case, in missing answers."""
        given = self.given(threshold)
        return float((WRONG_COST * (given & ~(self.is_right & self.is_known)) + (~given & self.is_known)).mean())

    @classmethod
    def joined(cls, parts: Sequence["Answers"]) -> "Answers":
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__))


def answers(items: Sequence[Found], weights: Doubles) -> Answers:
    """What the service would answer with these weights, in the order of the items."""
    total, score = np.zeros(len(items)), np.zeros(len(items))
    is_right, is_right_street = np.zeros(len(items), bool), np.zeros(len(items), bool)
    for place, item in enumerate(items):
        if len(item.right):
            utilities = item.features @ weights + item.offsets
            features = [Features(*row) for row in item.features.tolist()]
            likely = probabilities(limited(utilities.tolist(), features, item.contradictions.tolist()))
            best = int(utilities.argmax())
            total[place], score[place] = sum(likely), likely[best]
            is_right[place], is_right_street[place] = item.right[best], item.right_street[best]
    return Answers(total, score, is_right, is_right_street, np.array([item.is_known for item in items]))


def brier(found: Answers, threshold: float) -> float:
    """Mean squared difference between the score and the outcome, of the answers given."""
    given = found.given(threshold)
    return float(((found.score - (found.is_right & found.is_known))[given] ** 2).mean()) if given.any() else 0.0


def sure_and_right(found: Answers, threshold: float) -> tuple[int, float]:
    """The answers with a score of at least 0.9, and the share of right ones."""
    sure = found.given(threshold) & (found.score >= 0.9)
    return int(sure.sum()), float((found.is_right & found.is_known)[sure].mean()) if sure.any() else 1.0


def named(weights: Doubles) -> str:
    """As the code of WEIGHTS."""
    return "\n".join(
        f"    {name}={round(float(value), 2)}," for name, value in zip(Features._fields, weights, strict=True)
    )
