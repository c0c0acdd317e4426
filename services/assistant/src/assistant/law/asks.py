"""Reads the object and the kind of an ask: which cards or facts answer it for sure, and which cards do not at all."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from assistant.law.cards import Card, load_cards
from assistant.questions.words import CONJUNCTION, plain_text
from assistant.text import read_table

MOST_CARDS = 2
_MOST_REMEMBERED = 64
"""So many texts are remembered with the entries that may fit their parts."""


@dataclass(frozen=True)
class Asked:
    """What answers an ask: cards, or the facts of an intent."""

    cards: tuple[Card, ...] = ()
    intent: str = ""
    condition_count: int = 0
    """How many conditions of its entry the ask meets."""


@dataclass(frozen=True)
class _Ask:
    """One entry of asks.toml."""

    cards: tuple[str, ...]
    intent: str
    own: tuple[re.Pattern[str], ...]
    around: tuple[re.Pattern[str], ...]
    kinds: frozenset[str]
    none: re.Pattern[str] | None

    @property
    def condition_count(self) -> int:
        return len(self.own) + len(self.around) + bool(self.kinds)

    def fits(self, ask: str, whole: str, context: str, kinds: Collection[str]) -> bool:
        """Whether the ask, which is a piece of the whole one, has all that the entry demands."""
        return (
            not (self.kinds and self.kinds.isdisjoint(kinds))
            and all(word.search(ask) for word in self.own)
            and all(word.search(ask) or word.search(context) for word in self.around)
            and not (self.none and self.none.search(whole))
        )


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


def asked(text: str, context: str = "") -> Asked | None:
    """What surely answers the ask that stands in the context; None if no entry has its object and its kind.

    An ask that names two things, such as who pays for the line and for the hydrant, is answered for both.
    """
    ask, around, kinds = plain(text), plain(context), kinds_of(text)
    known = " ".join(around.split())
    entries = _possible(known if " ".join(ask.split()).strip("…") in known else f"{ask}\n{known}")
    best = [
        entry
        for piece in dict.fromkeys((ask, *CONJUNCTION.split(ask)))
        for entry in _best(entries, piece, ask, around, kinds)
    ]
    if not best:
        return None
    ids = list(dict.fromkeys(card_id for entry in best for card_id in entry.cards))
    most = max(entry.condition_count for entry in best)
    return Asked(tuple(load_cards()[card_id] for card_id in ids), "" if ids else best[0].intent, most)


@lru_cache(_MOST_REMEMBERED)
def _possible(text: str) -> tuple[_Ask, ...]:
    """The entries whose patterns are all in the text: only these can fit one of its parts."""
    return tuple(entry for entry in _asks() if all(word.search(text) for word in (*entry.own, *entry.around)))


def _best(entries: Sequence[_Ask], ask: str, whole: str, context: str, kinds: Collection[str]) -> list[_Ask]:
    """The entries that fit with the most conditions."""
    deciding = decisive(ask, context)
    fitting = [
        entry
        for entry in entries
        if entry.fits(ask, whole, context, kinds)
        and not any(item.refuses(load_cards()[card_id]) for item in deciding for card_id in entry.cards)
    ]
    most = max((entry.condition_count for entry in fitting), default=0)
    return [entry for entry in fitting if entry.condition_count == most]


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
            tuple(entry.get("cards", ())),
            entry.get("intent", ""),
            tuple(map(_pattern, entry.get("own", ()))),
            tuple(map(_pattern, entry.get("all", ()))),
            frozenset(entry.get("kinds", ())),
            _pattern(entry["none"]) if "none" in entry else None,
        )
        for entry in read_table("law/asks.toml")["asks"]
    )


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})")
