"""Reads what a clause tells that no lot, way or rule of a project holds: who does what with what, where and what for.

A clause has a kind, by the first entry of `clauses.toml` that it fits. Each word has a role, by its class and by
the role of the word before it.
"""

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from typing import Any

from assistant.project import LARGEST, MOST_LETTERS, FactKind, ToldFact
from assistant.questions.words import FUNCTION_WORDS, plain_text
from assistant.reading.tokens import Token
from assistant.text import read_table

Span = tuple[int, int]
Told = tuple[ToldFact, list[Span]]

_TABLE = read_table("reading/clauses.toml")
_SETS = {name: frozenset(tags) for name, tags in _TABLE["sets"].items()}
_ROLES: Mapping[str, str] = {tag: role for role, tags in _TABLE["roles"].items() for tag in tags}
_FIGURES: Mapping[str, str] = {tag: name for name, tags in _TABLE["figures"].items() for tag in tags}
"""The member that holds a figure, by its tag."""
_KINDS: Sequence[tuple[FactKind, Sequence[frozenset[str]], frozenset[str]]] = [
    (
        entry["kind"],
        [frozenset(group.split("|")) for group in entry["needs"].split(" ")],
        frozenset(entry.get("without", "").split("|")),
    )
    for entry in _TABLE["kinds"]
]
_BY_TAG = {
    tag: [i for i, (_, needs, _) in enumerate(_KINDS) if tag in needs[0]] for _, first, _ in _KINDS for tag in first[0]
}
"""The places of the kinds that need this tag, or another one in its stead."""
_BOUNDS = {"year": (1900, 2099), "count": (1, 60)}
_PER_M2 = re.compile(r"\W*(?:le|la|du|de|the|a|per)?\W*(?:m2|metre|meter)")
_BRACKET = re.compile(r"[()–—]| - ")
_LONG, _FAR = 6, 4
"""A subject behind so many words opens a clause; a denial is at most so many words before what it denies."""
_MOST_UNKNOWN = 0.5
"""Of a clause with more words without a class, nothing is understood."""
_MOST_PARTS, _MOST_JOINED, _MOST_WORDS = 2, 7, 9
"""A clause with more parts of one role is more than one fact; a longer part of a sentence is a clause by itself; a role
of more words is not understood."""


def told_facts(
    text: str, tokens: Sequence[Token], tags: Sequence[str], spans: Iterable[Span], content: Collection[int]
) -> Iterator[Told]:
    """What the clauses of these spans tell by words that no rule has read. `content` are the places of these words."""
    for parts in _joined(tags, spans):
        for places in ([(parts[0][0], parts[-1][1])], parts if len(parts) > 1 else []):
            told = [
                _fact(text, tokens[i:j], tags[i:j], {k - i for k in range(i, j) if k in content}) for i, j in places
            ]
            if any(told):
                yield from filter(None, told)
                break


def clauses(text: str, tokens: Sequence[Token], tags: Sequence[str]) -> Iterator[Span]:
    """The places where the clauses of a text start and end."""
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


def _joined(tags: Sequence[str], parts: Iterable[Span]) -> Iterator[list[Span]]:
    """The clauses of a text. A short one without a kind, or that tells only a place, belongs to the one before it."""
    clause: list[Span] = []
    kind = None
    for first, last in parts:
        new = _kind(frozenset(tags[first:last]))
        is_short = last - first <= _MOST_JOINED or (kind is None and clause and first - clause[0][0] <= _MOST_JOINED)
        if clause and (not is_short or "." in tags[clause[-1][1] : first] or (new and kind and new != "place")):
            yield clause
            clause, kind = [], None
        clause, kind = [*clause, (first, last)], kind if kind not in (None, "place") else new or kind
    yield from [clause] if clause else ()


@lru_cache(1024)
def _kind(tags: frozenset[str]) -> FactKind | None:
    """The first kind that a clause with these tags has."""
    for i in sorted({place for tag in tags for place in _BY_TAG.get(tag, ())}):
        kind, needs, without = _KINDS[i]
        if without.isdisjoint(tags) and not any(group.isdisjoint(tags) for group in needs):
            return kind
    return None


def _fact(text: str, tokens: Sequence[Token], tags: Sequence[str], unread: Collection[int]) -> Told | None:
    """What a clause tells, and the words that tell it; None if it is too much for one fact, nothing, or a question."""
    kind = _kind(frozenset(tags)) if unread else None
    if kind is None or not _is_known(tags) or _asks(text[tokens[-1].end :], tags):
        return None
    roles = [*accumulate(range(len(tags)), lambda before, i: _role(tags, i, before), initial="thing")][1:]
    parts: dict[str, list[Span]] = defaultdict(list)
    for role, run in groupby(range(len(roles)), roles.__getitem__):
        told = [i for i in run if role == "verb" or not (tags[i] in _SETS["edges"] or tags[i] in FUNCTION_WORDS)]
        if told and role != "figure":
            first = told[0] - (role != "verb" and tags[told[0] - 1 : told[0]] == ["MY"])
            parts[role].append((tokens[first].start, tokens[told[-1]].end))
    texts = {role: [text[slice(*span)] for span in spans] for role, spans in parts.items() if role != "verb"}
    figures = {name: i for i in reversed(range(len(tags))) if (name := _member(tokens[i], tags[i], i in unread, kind))}
    values: dict[str, Any] = {role: ", ".join(words)[:MOST_LETTERS] for role, words in texts.items()}
    values |= {name: _value(name, tokens[i]) for name, i in figures.items()}
    if "price_eur" in values and _PER_M2.match(plain_text(text[tokens[figures["price_eur"]].end :][:16])):
        values["price_eur_per_m2"] = values.pop("price_eur")
    is_excluded = kind not in _SETS["positive"] and _is_denied(tags)
    is_too_much = any(
        len(words) > _MOST_PARTS or len(" ".join(words).split()) > _MOST_WORDS for words in texts.values()
    )
    if is_too_much or not (values or is_excluded):
        return None
    spans = [span for places in parts.values() for span in places]
    return ToldFact(kind, is_excluded or None, **values), spans + [tokens[i][:2] for i in figures.values()]


def _role(tags: Sequence[str], i: int, before: str) -> str:
    """The role of a word behind one with that role."""
    tag = tags[i]
    role = _ROLES.get(tag, "")
    if tag in ("FOR", "A", "TO", "IN"):
        following = next((other for other in tags[i + 1 :] if other not in _SETS["between"]), "")
        is_place = before == "place" or (following == "PERSON" and _SETS["giving"].isdisjoint(tags))
        named = "purpose" if tag == "FOR" else "place" if is_place else "thing"
        role = "who" if _ROLES.get(following) == "who" and (tag == "FOR" or not is_place) else named
    elif role == "who" and before in ("place", "purpose"):
        role = before
    elif not role:
        ends = before in ("figure", "verb") or (before == "who" and tag not in _SETS["between"])
        role = "thing" if ends else before
    return role


def _member(token: Token, tag: str, is_unread: bool, kind: FactKind) -> str:
    """The member that holds the figure of a word; empty if none does."""
    name = _FIGURES.get(tag, "")
    least, most = _BOUNDS.get(name, (0, LARGEST.get(name.rpartition("_")[2], math.inf)))
    is_told = (is_unread or name == "year") and (name != "count" or kind in _SETS["counted"])
    return name if is_told and token.value and least <= _value(name, token) <= most else ""


def _value(name: str, token: Token) -> float | int:
    value = token.value / 100 if token.tag == "PERCENT" else token.value
    return int(value) if name in _BOUNDS else value


def _is_known(tags: Sequence[str]) -> bool:
    """Whether most words have a class."""
    words = [tag for tag in tags if tag[0].isalpha() and tag not in FUNCTION_WORDS]
    is_figured = "MONEY" in tags or "LENGTH" in tags
    return is_figured or sum(map(str.islower, words)) <= _MOST_UNKNOWN * len(words)


def _is_denied(tags: Sequence[str]) -> bool:
    """Whether a denial stands before a word that says what is done, or just behind it."""
    heads = [i for i, tag in enumerate(tags) if tag in _SETS["heads"]]
    denials = [i for i, tag in enumerate(tags) if tag in _SETS["excluding"]]
    return any(i - _FAR <= denial <= i + 1 for i in heads for denial in denials) or "REFUSED" in tags


def _asks(rest: str, tags: Sequence[str]) -> bool:
    """Whether a clause is a question: it has a word that asks, first or in a sentence that ends so."""
    end = re.search(r"[.!?\n]|$", rest)
    is_question = end is not None and end[0] == "?"
    return not _SETS["asking"].isdisjoint(tags) and (tags[0] in _SETS["asking"] or is_question)
