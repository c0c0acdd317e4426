"""Reads what a clause tells that no lot, way or rule of a project holds: who does what with what, where and what for.

A clause has a kind, by the first pattern of `clauses.toml` that it fits. Each of its words has a role, by its class and
the role of the word before it.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from assistant.project import LARGEST, MOST_LETTERS, FactKind, ToldFact
from assistant.questions.words import FUNCTION_WORDS, WORD, plain_text
from assistant.reading.tokens import Token
from assistant.text import read_table

Span = tuple[int, int]

_TABLE = read_table("reading/clauses.toml")
_SETS = {name: frozenset(tags) for name, tags in _TABLE["sets"].items()}
_FIGURES = {
    "AREA": "area_m2", "LENGTH": "distance_m", "SHARE": "share_ratio", "PERCENT": "share_ratio", "MONEY": "price_eur",
    "TIME": "year", "NUM": "count", "ONE": "count", "PEOPLE": "count",
}  # fmt: skip
"""The member that holds a figure, by its tag."""
_FIRST_YEAR, _LAST_YEAR, _MOST_COUNT = 1900, 2099, 60
_KINDS: Sequence[tuple[FactKind, Sequence[frozenset[str]], frozenset[str]]] = [
    (
        entry["kind"],
        [frozenset(group.split("|")) for group in entry["needs"].split(" ")],
        frozenset(entry.get("without", "").split("|")),
    )
    for entry in _TABLE["kinds"]
]
_BRACKET = re.compile(r"[()–—]| - ")
_LONG, _NEAR, _FAR = 6, 16, 4
"""A subject behind so many words opens a clause; behind a price stand so many letters that tell of what it is; a denial
is at most so many words before what it denies."""
_MOST_UNKNOWN = 0.5
"""Of a clause with more words without a class, nothing is understood."""
_JOINED: Sequence[FactKind] = ("place",)
_MOST_PARTS, _MOST_JOINED = 2, 7
"""A clause with more parts of one role is more than one fact; a longer part of a sentence is a clause by itself."""
_ROLES = ("who", "thing", "place", "purpose")
_MOST_WORDS = 9
"""A role of more words is not understood: they are quoted as not read."""


@dataclass(frozen=True)
class _Clause:
    """Tokens of one clause, and the places of those with a meaning that no other rule has read."""

    text: str
    tokens: Sequence[Token]
    tags: Sequence[str]
    unread: Collection[int]

    def fact(self, kind: FactKind) -> tuple[ToldFact, list[Span]] | None:
        """What the clause tells, and the words that tell it; None if it is too much for one fact, or nothing."""
        roles = self._roles()
        told: dict[str, list[Span]] = {role: [] for role in _ROLES}
        spans: list[Span] = []
        for role, run in groupby(range(len(roles)), roles.__getitem__):
            places = self._trimmed([*run]) if role in _ROLES else ()
            if len(places) > _MOST_WORDS:
                return None
            if places:
                told[role].append((self.tokens[places[0]].start, self.tokens[places[-1]].end))
        values: dict[str, Any] = {
            role: ", ".join(self.text[slice(*span)] for span in parts)[:MOST_LETTERS]
            for role, parts in told.items()
            if parts
        }
        for i in sorted({*self.unread, *(i for i, tag in enumerate(self.tags) if tag == "TIME")}):
            name = _FIGURES.get(self.tags[i], "")
            value = self._value(i, name)
            if value and (name != "count" or kind in _SETS["counted"]):
                name = "price_eur_per_m2" if name == "price_eur" and self._is_per_m2(i) else name
                spans += [] if name in values else [self.tokens[i][:2]]
                values.setdefault(name, value)
        is_excluded = kind not in _SETS["positive"] and self._is_denied()
        if max(map(len, told.values())) > _MOST_PARTS or not (values or is_excluded):
            return None
        spans += (self.tokens[i][:2] for i, role in enumerate(roles) if role == "verb")
        spans += (span for parts in told.values() for span in parts)
        return ToldFact(kind, is_excluded or None, **values), spans

    def _is_denied(self) -> bool:
        """Whether a denial stands before a word that says what is done, or just behind it."""
        heads = [i for i, tag in enumerate(self.tags) if tag in _SETS["heads"]]
        denials = [i for i, tag in enumerate(self.tags) if tag in _SETS["excluding"]]
        return any(i - _FAR <= denial <= i + 1 for i in heads for denial in denials) or "REFUSED" in self.tags

    def is_known(self) -> bool:
        """Whether most words have a class."""
        words = [tag for tag in self.tags if tag[0].isalpha() and tag not in FUNCTION_WORDS]
        is_figured = not {"MONEY", "LENGTH"}.isdisjoint(self.tags)
        return is_figured or sum(tag.islower() for tag in words) <= _MOST_UNKNOWN * len(words)

    def _roles(self) -> list[str]:
        roles: list[str] = []
        for i in range(len(self.tokens)):
            roles.append(self._role(i, roles[-1] if roles else "thing"))
        return roles

    def _role(self, i: int, before: str) -> str:
        tag, word = self.tags[i], self._word(i)
        if tag in ("AREA", "LENGTH", "SHARE", "PERCENT", "MONEY", "TIME", "NUM", "USED", "TAKEN"):
            return "figure"
        if tag in _SETS["places"] or word in _SETS["prepositions"]:
            return "place"
        if tag in _SETS["verbs"]:
            return "verb"
        if tag in _SETS["people"]:
            return before if before in ("place", "purpose") else "who"
        if tag in ("FOR", "A", "TO"):
            following = next((other for other in self.tags[i + 1 :] if other not in _SETS["between"]), "")
            return (
                "who"
                if following in _SETS["people"]
                else "purpose"
                if tag == "FOR"
                else before
                if before == "place"
                else "thing"
            )
        if tag in _SETS["purposes"]:
            return "purpose"
        if tag == "WITH" or before in ("figure", "verb") or (before == "who" and tag not in _SETS["between"]):
            return "thing"
        return before

    def _word(self, i: int) -> str:
        return plain_text(self.text[slice(*self.tokens[i][:2])])

    def _trimmed(self, run: Sequence[int]) -> Sequence[int]:
        """The words of a role without those at its ends that have no meaning."""
        told = [
            i
            for i in run
            if self._word(i) in _SETS["prepositions"]
            or (self.tags[i] not in _SETS["edges"] and self._word(i) not in FUNCTION_WORDS)
        ]
        first = max(run[0], told[0] - (told[0] > 0 and self.tags[told[0] - 1] == "MY")) if told else 0
        return range(first, told[-1] + 1) if told else ()

    def _value(self, i: int, name: str) -> float | int | None:
        """The figure of a word, if it is one that this member may have."""
        token = self.tokens[i]
        if token.tag == "TIME":
            return int(token.value) if _FIRST_YEAR <= token.value <= _LAST_YEAR else None
        value = token.value / 100 if token.tag == "PERCENT" else token.value
        most = _MOST_COUNT if name == "count" else LARGEST.get(name.rpartition("_")[2], math.inf)
        is_bounded = bool(name) and 0 < value <= most
        return int(value) if is_bounded and name == "count" else value if is_bounded else None

    def _is_per_m2(self, i: int) -> bool:
        following = self.text[self.tokens[i].end : self.tokens[i].end + _NEAR]
        return not _SETS["per_m2"].isdisjoint(WORD.findall(plain_text(following)))


def clauses(text: str, tokens: Sequence[Token], tags: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the clauses of a text start and end."""
    ends = [token.end for token in tokens]
    brackets = {bisect_left(ends, match.start() + 1) for match in _BRACKET.finditer(text)}
    start, before = 0, "."
    for i, tag in enumerate((*tags, ".")):
        is_end = tag in (".", ",")
        is_subject = tag in _SETS["subjects"] and i - start > _LONG and before not in _SETS["before_subjects"]
        opens = tag == "BUT" or (tag == "AND" and {*tags[i + 1 : i + 2]} & _SETS["openers"])
        if is_end or is_subject or opens or (i in brackets and before != "REF"):
            if start < i:
                yield start, i
            start = i + is_end
        before = tag


def told_facts(
    text: str, tokens: Sequence[Token], tags: Sequence[str], content: Collection[int]
) -> Iterator[tuple[ToldFact, list[Span]]]:
    """What the clauses tell that have words with a meaning which no rule has read. `content` are their places."""
    for parts in _joined(tags, clauses(text, tokens, tags)):
        whole = [(parts[0][0], parts[-1][1])]
        for places in (whole, parts if len(parts) > 1 else ()):
            told = [_fact(text, tokens[start:end], tags[start:end], start, content) for start, end in places]
            if any(told):
                yield from filter(None, told)
                break


def _fact(
    text: str, tokens: Sequence[Token], tags: Sequence[str], start: int, content: Collection[int]
) -> tuple[ToldFact, list[Span]] | None:
    """What a clause tells that begins with this token of the text."""
    clause = _Clause(text, tokens, tags, {i for i in range(len(tokens)) if start + i in content})
    kind = _kind({*tags})
    return clause.fact(kind) if kind and clause.unread and clause.is_known() and not _asks(text, tokens, tags) else None


def _joined(tags: Sequence[str], parts: Iterable[Span]) -> Iterator[list[Span]]:
    """The clauses of a text. A short one without a kind, or that tells only a place, belongs to the one before it."""
    clause: list[Span] = []
    kind = None
    for first, last in parts:
        new = _kind({*tags[first:last]})
        is_short = last - first <= _MOST_JOINED or (kind is None and clause and first - clause[0][0] <= _MOST_JOINED)
        if clause and (not is_short or "." in tags[clause[-1][1] : first] or (new and kind and new not in _JOINED)):
            yield clause
            clause, kind = [], None
        clause = [*clause, (first, last)]
        kind = kind if kind not in (None, "place") else new or kind
    if clause:
        yield clause


def _asks(text: str, tokens: Sequence[Token], tags: Collection[str]) -> bool:
    """Whether a clause is a question: it has a word that asks, and its sentence ends so."""
    end = re.search(r"[.!?\n]|$", text[tokens[-1].end :])
    return not _SETS["asking"].isdisjoint(tags) and (tokens[0].tag in _SETS["asking"] or bool(end and end[0] == "?"))


def _kind(tags: Collection[str]) -> FactKind | None:
    """The first kind that a clause with these tags has."""
    for kind, needs, without in _KINDS:
        if without.isdisjoint(tags) and not any(group.isdisjoint(tags) for group in needs):
            return kind
    return None
