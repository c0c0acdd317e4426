"""The learned reader of intents: complement naive Bayes over words and letters (Rennie et al., ICML 2003).

It is fitted at the start to phrasings.toml, so it has no file of weights.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

import numpy as np

from assistant.questions.words import WORD, plain_text
from assistant.text import read_table

_SMOOTHING = 0.1
_LEAST_EXAMPLES = 2
"""A feature of fewer examples tells nothing about others."""
_LETTERS = (3, 4, 5)
_LEAST_SURENESS = 0.5
"""A text of nothing but words of many intents, such as "terrain", gets low scores."""


class Guess(NamedTuple):
    """The scores of all intents for a text, and the best one with its lead over the second."""

    intent: str
    second: str
    score: float
    lead: float
    scores: dict[str, float]


class IntentModel:
    """Scores are logarithms of likelihood ratios, weighted by how few intents a feature has, and normalised."""

    def __init__(self, examples: Sequence[tuple[str, str]]) -> None:
        features = [_features(text) for text, _ in examples]
        counts = Counter(feature for names in features for feature in names)
        self._rows = {
            name: row for row, name in enumerate(sorted(n for n, count in counts.items() if count >= _LEAST_EXAMPLES))
        }
        self._intents = sorted({intent for _, intent in examples})
        inside = np.full((len(self._rows), len(self._intents)), _SMOOTHING)
        for names, (_, intent) in zip(features, examples, strict=True):
            inside[self._known(names), self._intents.index(intent)] += 1
        outside = inside.sum(axis=1, keepdims=True) - inside
        shares = inside / inside.sum(axis=1, keepdims=True)
        spread = -(shares * np.log(shares)).sum(axis=1, keepdims=True) / np.log(len(self._intents))
        self._weights = np.log(inside / inside.sum(axis=0)) - np.log(outside / outside.sum(axis=0))
        self._weights *= 1 - spread  # a feature of many intents says little
        self._sureness = (1 - spread[:, 0]) ** 2

    def guess(self, text: str) -> Guess:
        """`text` is plain. A text without a known feature has the score 0 for all."""
        rows = self._known(_features(text))
        values = self._weights[rows].sum(axis=0) / sqrt(self._sureness[rows].sum() + _LEAST_SURENESS)
        second, first = np.argsort(values, kind="stable")[-2:]
        scores = {intent: float(value) for intent, value in zip(self._intents, values, strict=True)}
        return Guess(
            self._intents[first],
            self._intents[second],
            float(values[first]),
            float(values[first] - values[second]),
            scores,
        )

    def _known(self, names: Iterable[str]) -> list[int]:
        return sorted(self._rows[name] for name in names if name in self._rows)


@cache
def load_model() -> IntentModel:
    """Fits the model once."""
    phrasings = read_table("questions/phrasings.toml")
    examples = [
        (plain_text(text), intent)
        for intent, texts_by_language in phrasings.items()
        for texts in texts_by_language.values()
        for text in texts
    ]
    return IntentModel(examples)


def _features(text: str) -> set[str]:
    """Words, pairs of words, and pieces of so many letters of each word with its ends."""
    words = WORD.findall(text)
    features = {f"{first} {second}" for first, second in pairwise(words)}
    for word in words:
        marked = f"^{word}$"
        features.add(f"={word}")
        features.update(marked[start : start + n] for n in _LETTERS for start in range(len(marked) - n + 1))
    return features
