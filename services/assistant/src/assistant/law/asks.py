"""Reads the object and the kind of an ask: which facts answer it for sure, and which cards of law do not at all."""

import re
from collections.abc import Callable, Mapping
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
    subjects: frozenset[str]
    among: frozenset[str]
    cards: frozenset[str]

    def names(self, card: Card) -> bool:
        return card.id in self.cards or not self.subjects.isdisjoint(card.subjects)

    def refuses(self, card: Card) -> bool:
        return not self.names(card) and not (self.among and self.among.isdisjoint(card.subjects))


def is_covered(text: str, context: str = "") -> Callable[[Card], bool]:
    """Tells whether a card covers the special regime that the text or the text around names, and is of no other one."""
    told = plain(f"{text} {context}")
    named = [entry for entry in _special() if entry.words.search(told)]
    others = frozenset[str]().union(*(entry.cards for entry in _special() if entry not in named))
    alone = [entry.cards for entry in named if entry.is_alone]
    return lambda card: card.id not in others and all(card.id in cards for cards in alone)


def decisive(text: str, context: str = "") -> tuple[Decisive, ...]:
    """What decides the ask: a card that is refused says only what is beside it."""
    ask, around = plain(text), plain(context)
    return tuple(
        entry for entry in _all_decisive() if entry.words.search(ask) or (entry.is_told and entry.words.search(around))
    )


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
    return tuple(
        Decisive(
            _pattern(entry["words"]),
            entry.get("is_told", False),
            *(frozenset(entry.get(member, ())) for member in ("subjects", "among", "cards")),
        )
        for entry in read_table("law/decisive.toml")["decisive"]
    )


class _Special(NamedTuple):
    """One special regime of decisive.toml."""

    words: re.Pattern[str]
    cards: frozenset[str]
    is_alone: bool


@cache
def _special() -> tuple[_Special, ...]:
    return tuple(
        _Special(_pattern(entry["words"]), frozenset(entry["cards"]), entry.get("is_alone", False))
        for entry in read_table("law/decisive.toml")["special"]
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
