"""The weights of cards of law are those of today's texts, and the two fits prefer the features of a card."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture(scope="module")
def fit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lawfit_fit", Path(__file__).parents[1] / "fit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stored_weights_are_of_the_texts_of_today(fit: ModuleType) -> None:
    with np.load(fit.WEIGHTS) as stored:
        assert stored["fingerprint"].tobytes().decode() == fit.fingerprint()


def test_every_card_has_messages_that_no_other_card_has(fit: ModuleType) -> None:
    examples = list(fit.examples())
    assert {card_id for _, card_id in examples} == fit.load_cards().keys()
    assert len({text for text, _ in examples if text.endswith("?")}) > 7_000


def test_both_fits_prefer_the_card_whose_texts_have_the_feature(fit: ModuleType) -> None:
    names = ["bank", "hedge", "sell", "+of"]
    texts = [np.array(row) for row in ([0, 2], [0, 3], [1, 2], [1, 3])]
    labels = [0, 0, 1, 1]
    separate = fit.separate(texts, labels, np.ones(4, np.float32), 2)
    for weights in (separate, fit.contrast(names, texts, labels, 2)):
        assert weights[0, 0] > weights[0, 1]
        assert weights[1, 1] > weights[1, 0]
        assert abs(weights[2, 0] - weights[2, 1]) < 0.1 * abs(weights[0, 0] - weights[0, 1])
