"""Reads the object and the kind of an ask: which facts answer it for sure, and which cards of law do not at all."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from assistant.law.cards import Card
from assistant.questions.words import plain_text
from assistant.text import read_table

MOST_CARDS = 2
_MOST_REMEMBERED = 64
"""So many texts are remembered with the things that they name."""


class _Ask(NamedTuple):
    """One entry of asks.toml."""

    intent: str
    own: tuple[re.Pattern[str], ...]
    kinds: frozenset[str]
    none: re.Pattern[str]


@dataclass(frozen=True)
class Decisive:
    """One entry of decisive.toml."""

    words: re.Pattern[str]
    is_told: bool
    is_regime: bool
    """The cards are shown only where the regime is named."""
    is_alone: bool
    """No other card answers where the regime is named."""
    subjects: frozenset[str]
    among: frozenset[str]
    cards: frozenset[str]
    refused: frozenset[str]
    """If there are any, only these cards are refused."""

    def names(self, card: Card) -> bool:
        return card.id in self.cards or not self.subjects.isdisjoint(card.subjects)

    def refuses(self, card: Card) -> bool:
        is_beside = not self.names(card) and not (self.among and self.among.isdisjoint(card.subjects))
        return card.id in self.refused if self.refused else is_beside


def decisive(text: str, context: str = "") -> tuple[list[Decisive], frozenset[str]]:
    """What decides the ask: a card that is refused says only what is beside it. Then the cards of regimes that neither
    the text nor the text around names.
    """
    ask, around = plain(text), plain(context)
    named = [
        entry for entry in _all_decisive() if entry.words.search(ask) or (entry.is_told and entry.words.search(around))
    ]
    others = (entry.cards for entry in _all_decisive() if entry.is_regime and entry not in named)
    hidden = frozenset[str]().union(*others).difference(*(entry.cards for entry in named))
    return [entry for entry in named if entry.is_alone or not entry.is_regime], hidden


@lru_cache(_MOST_REMEMBERED)
def things_of(text: str) -> frozenset[str]:
    """The things of things.toml that the text names."""
    ask = plain(text)
    return frozenset(thing for thing, words in things().items() if words.search(ask))


def kinds_of(text: str) -> frozenset[str]:
    """The kinds of question that the text asks, such as who pays or how long."""
    ask = plain(text)
    return frozenset(kind for kind, words in _patterns("asks", "kinds").items() if words.search(ask))


def intent_of(text: str) -> str:
    """The intent whose facts surely answer the ask; empty if no entry has its object and its kind."""
    ask, kinds = plain(text), kinds_of(text)
    return next(
        (
            entry.intent
            for entry in _asks()
            if all(word.search(ask) for word in entry.own)
            and not entry.none.search(ask)
            and not (entry.kinds and entry.kinds.isdisjoint(kinds))
        ),
        "",
    )


def plain(text: str) -> str:
    return plain_text(text.replace("œ", "oe").replace("Œ", "oe"))


def things() -> Mapping[str, re.Pattern[str]]:
    """What an ask may name, each with the words that name it."""
    return _patterns("things")


@cache
def _patterns(file: str, section: str = "") -> Mapping[str, re.Pattern[str]]:
    """The patterns of a file of this folder, or of a section of it, by name."""
    table = read_table(f"law/{file}.toml")
    return {name: _pattern(words) for name, words in (table[section] if section else table).items()}


@cache
def _all_decisive() -> tuple[Decisive, ...]:
    table = read_table("law/decisive.toml")
    return tuple(
        Decisive(
            _pattern(entry["words"]),
            entry.get("is_told", is_regime),
            is_regime,
            entry.get("is_alone", False),
            *(frozenset(entry.get(member, ())) for member in ("subjects", "among", "cards", "refused")),
        )
        for name, is_regime in (("decisive", False), ("special", True))
        for entry in table[name]
    )


@cache
def _asks() -> tuple[_Ask, ...]:
    return tuple(
        _Ask(
            entry["intent"],
            tuple(map(_pattern, entry["own"])),
            frozenset(entry.get("kinds", ())),
            _pattern(entry["none"]),
        )
        for entry in read_table("law/asks.toml")["asks"]
    )


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})")
