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


@dataclass(frozen=True, eq=False)
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
        if faults := _faults(card):
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


def _faults(card: Card) -> list[str]:
    """The rules that the card breaks."""
    unknown = sorted(set(card.subjects) - SUBJECTS.keys())
    values = sorted(card.values.keys() - VALUES.get(card.fact, frozenset()))
    texts = {"says": card.says, "not": card.near_miss, "next": card.next, "whom": card.whom, **card.values}
    words = {member: _MOST_WORDS.get(member, _MOST_WORDS_OF_VALUE) for member in texts}
    faults = {
        f"unknown subjects {unknown}": unknown,
        f"{len(card.subjects)} subjects": len(card.subjects) not in _SUBJECT_COUNTS,
        f"{len(card.words)} words": len(card.words) not in _WORD_COUNTS,
        **{
            f"{member} needs 1 to {words[member]} words in each language": not all(
                0 < len(part.split()) <= words[member] for part in text
            )
            for member, text in texts.items()
        },
        "articles and what they were compared with go together": bool(card.articles) != bool(card.compared),
        "reviewed is no date": type(card.reviewed) is not date,
        f"unknown fact {card.fact}": card.fact and card.fact not in VALUES,
        f"unknown values {values} of {card.fact}": card.fact in ("", *VALUES) and values,
        "a fact needs its values": bool(card.fact) != bool(card.values),
    }
    return [fault for fault, is_broken in faults.items() if is_broken]
