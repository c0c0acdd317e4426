"""Cards of law: statements of law or practice, read from the files in cards/ and checked when they are loaded."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

from assistant.law.facts import VALUES
from assistant.text import read_table
from servicekit.languages import Text

SUBJECTS: Mapping[str, tuple[str, ...]] = {
    subject: tuple(words) for subject, words in read_table("law/subjects.toml").items()
}
"""The subjects of cards, each with words that people use for it."""
_MOST_WORDS = {"says": 60, "not": 40, "next": 25, "whom": 15}
_MOST_WORDS_OF_VALUE = 25
_SUBJECT_COUNTS, _WORD_COUNTS = range(1, 4), range(6, 21)


class WrongCard(ValueError):
    """A card breaks a rule. The message names the file, the card and what is wrong."""


@dataclass(frozen=True)
class Card:
    id: str
    subjects: tuple[str, ...]
    says: Text
    near_miss: Text
    """What the card is not about."""
    whom: Text
    """Whom to ask."""
    next: Text
    words: tuple[str, ...]
    """Words and short expressions of people who ask this, in both languages."""
    articles: tuple[str, ...]
    compared: str
    """The text that the articles were compared with; empty if the card cites none."""
    reviewed: date
    fact: str = ""
    """The fact of a parcel that decides; empty if none does."""
    values: Mapping[str, Text] = field(default_factory=dict)
    """What each value of the fact means."""


@cache
def load_cards() -> Mapping[str, Card]:
    """All cards by id. Raises WrongCard."""
    cards: dict[str, Card] = {}
    for file in sorted(resources.files("assistant").joinpath("law/cards").iterdir(), key=lambda file: file.name):
        for card in cards_of(file.name, read_table(f"law/cards/{file.name}")):
            if card.id in cards:
                raise WrongCard(f"{file.name}, {card.id}: another file has a card of this id")
            cards[card.id] = card
    return cards


def cards_of(file: str, table: Mapping[str, Mapping[str, Any]]) -> Iterator[Card]:
    """The cards of one file. Raises WrongCard."""
    for name, entry in table.items():
        try:
            card = _card(name, entry)
        except (KeyError, TypeError, AttributeError) as error:
            raise WrongCard(f"{file}, {name}: a member is missing or has a wrong form ({error})") from error
        if faults := list(_faults(card)):
            raise WrongCard(f"{file}, {name}: {'; '.join(faults)}")
        yield card


def _card(name: str, entry: Mapping[str, Any]) -> Card:
    fact = entry.get("fact", {"name": "", "values": {}})
    return Card(
        name,
        tuple(entry["subjects"]),
        Text(*entry["says"]),
        Text(*entry["not"]),
        Text(*entry["whom"]),
        Text(*entry["next"]),
        tuple(entry["words"]),
        tuple(article.replace("’", "'") for article in entry["articles"]),
        entry["compared"],
        entry["reviewed"],
        fact["name"],
        {value: Text(*texts) for value, texts in fact["values"].items()},
    )


def _faults(card: Card) -> Iterator[str]:
    if unknown := set(card.subjects) - SUBJECTS.keys():
        yield f"unknown subjects {sorted(unknown)}"
    if len(card.subjects) not in _SUBJECT_COUNTS:
        yield f"{len(card.subjects)} subjects"
    if len(card.words) not in _WORD_COUNTS:
        yield f"{len(card.words)} words"
    texts = {"says": card.says, "not": card.near_miss, "next": card.next, "whom": card.whom, **card.values}
    for member, text in texts.items():
        most = _MOST_WORDS.get(member, _MOST_WORDS_OF_VALUE)
        if not all(0 < len(part.split()) <= most for part in text):
            yield f"{member} needs 1 to {most} words in each language"
    if bool(card.articles) != bool(card.compared):
        yield "articles and what they were compared with go together"
    if type(card.reviewed) is not date:
        yield "reviewed is no date"
    if card.fact and card.fact not in VALUES:
        yield f"unknown fact {card.fact}"
    elif unknown := card.values.keys() - VALUES.get(card.fact, frozenset()):
        yield f"unknown values {sorted(unknown)} of {card.fact}"
    elif bool(card.fact) != bool(card.values):
        yield "a fact needs its values"
