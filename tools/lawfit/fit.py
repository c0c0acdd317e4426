"""Fits the weights by which the assistant finds cards of law to what people ask, and to the words of the cards.

A weight is the sum of two parts. One is that of a linear support vector machine, which separates the card from all
others. The other is BM25: how often messages of the card have the feature, compared with those of other cards. Either
alone finds fewer.
The result depends on nothing but the texts: the same texts give the same file.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assistant.law.cards import load_cards
from assistant.law.finder import features
from assistant.text import read_table

Matrix = npt.NDArray[np.float32]
MESSAGES = Path(__file__).parent / "messages.json"
WEIGHTS = Path(str(resources.files("assistant").joinpath("law/weights.npz")))
LEAST_EXAMPLES = 2
"""A feature of fewer examples tells nothing about other texts."""
KEPT = 360_000
"""So many of the largest weights are kept."""
PENALTY, ROUNDS = 0.3, 8
SATURATION, OF_LENGTH = 2.0, 0.4
COLUMN_WEIGHTS = {" ": 0.5, "+": 0.3, "subject:": 0.5, "word:": 0.5, "thing:": 2.0}
"""How much a kind of feature counts that is no word, in BM25."""


def examples() -> Iterator[tuple[str, str]]:
    """Each text with the card that answers it. The last message of a card in law/messages is left for the tests."""
    for card_id, texts in json.loads(MESSAGES.read_text(encoding="utf-8")).items():
        yield from ((text, card_id) for text in texts)
    for file in sorted(resources.files("assistant").joinpath("law/messages").iterdir(), key=lambda file: file.name):
        for entry in json.loads(file.read_text(encoding="utf-8")):
            yield from ((text, entry["card"]) for text in entry["finds"][:-1])
    for card in load_cards().values():
        yield from ((text, card.id) for text in (*card.says, *card.words))


def fingerprint() -> str:
    """Changes with any text, and with any table that features are read from: weights of others are noticed."""
    tables = [read_table(f"law/{name}.toml") for name in ("things", "subjects", "synonyms", "stop_words")]
    read = [*examples(), *tables, read_table("law/asks.toml")["kinds"]]
    return hashlib.sha256(json.dumps(read, ensure_ascii=False).encode()).hexdigest()


def separate(texts: Sequence[npt.NDArray[np.int64]], labels: Sequence[int], rarity: Matrix, count: int) -> Matrix:
    """A linear support vector machine for each card, by dual coordinate descent (Hsieh et al., ICML 2008)."""
    bias = len(rarity)
    rows = [np.append(row, bias) for row in texts]
    inputs = []
    for row in texts:
        values = rarity[row]
        inputs.append(np.append(values / (np.linalg.norm(values) or 1.0), 1.0).astype(np.float32))
    weights = np.zeros((bias + 1, count), np.float32)
    duals = np.zeros((len(texts), count), np.float32)
    slack = 1 / (2 * PENALTY)
    order = np.random.default_rng(1)
    for _ in range(ROUNDS):
        for i in order.permutation(len(texts)):
            row, values = rows[i], inputs[i]
            signs = np.full(count, -1.0, np.float32)
            signs[labels[i]] = 1.0
            gradient = signs * (values @ weights[row]) - 1 + slack * duals[i]
            new = np.maximum(duals[i] - gradient / (values @ values + slack), 0.0)
            weights[row] += np.outer(values, (new - duals[i]) * signs)
            duals[i] = new
    return np.asarray(weights[:-1] * rarity[:, None])


def contrast(names: Sequence[str], texts: Sequence[npt.NDArray[np.int64]], labels: Sequence[int], count: int) -> Matrix:
    """How much each feature tells for each card, as BM25 does over all texts of the card."""
    counts = np.zeros((len(names), count), np.float32)
    for row, label in zip(texts, labels, strict=True):
        counts[row, label] += 1
    kinds = np.array([next((mark for mark in COLUMN_WEIGHTS if mark in name), "") for name in names])
    for kind in sorted(set(kinds)):
        part = counts[kinds == kind]
        lengths = 1 - OF_LENGTH + OF_LENGTH * part.sum(axis=0) / part.sum(axis=0).mean()
        cards = (part > 0).sum(axis=1, keepdims=True)
        rarity = COLUMN_WEIGHTS.get(kind, 1.0) * np.log(1 + (count - cards + 0.5) / (cards + 0.5))
        counts[kinds == kind] = rarity * part * (1 + SATURATION) / (part + SATURATION * lengths)
    return counts


def fit() -> dict[str, Any]:
    """The arrays of the file of weights."""
    pairs = [(features(text), card_id) for text, card_id in examples()]
    counts = Counter(chain.from_iterable(names for names, _ in pairs))
    names = sorted(name for name, number in counts.items() if number >= LEAST_EXAMPLES)
    places = {name: row for row, name in enumerate(names)}
    ids = sorted(load_cards())
    texts = [np.array(sorted(places[name] for name in found if name in places), np.int64) for found, _ in pairs]
    labels = [ids.index(card_id) for _, card_id in pairs]
    rarity = np.array([np.log((1 + len(pairs)) / (1 + counts[name])) + 1 for name in names], np.float32)
    parts = (separate(texts, labels, rarity, len(ids)), contrast(names, texts, labels, len(ids)))
    usual = [np.mean([part[row].sum(axis=0).std() for row in texts]) for part in parts]
    weights = sum(part / size for part, size in zip(parts, usual, strict=True))
    sizes = np.abs(weights)
    weights[sizes < np.partition(sizes.ravel(), -KEPT)[-KEPT]] = 0.0
    weights = np.rint(weights * 127 / sizes.max()).astype(np.int8)
    rows, columns = weights.nonzero()
    used = sorted(set(rows.tolist()))
    return {
        "features": np.frombuffer("\n".join(names[row] for row in used).encode(), np.uint8),
        "cards": np.frombuffer("\n".join(ids).encode(), np.uint8),
        "starts": np.append(np.searchsorted(rows, used), len(rows)).astype(np.uint32),
        "columns": columns.astype(np.uint16),
        "values": weights[rows, columns],
        "fingerprint": np.frombuffer(fingerprint().encode(), np.uint8),
    }


def main() -> int:
    if "--check" in sys.argv:
        with np.load(WEIGHTS) as stored:
            is_same = stored["fingerprint"].tobytes().decode() == fingerprint()
        print("The weights are of these texts." if is_same else "Texts have changed: run `make law-weights`.")
        return 0 if is_same else 1
    np.savez_compressed(WEIGHTS, **fit())
    print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
