"""Reads what a clause tells that no lot, way or rule of a project holds.

A clause has a kind, by the first entry of `clauses.toml` that it fits, and is quoted whole: nothing of it is lost, such
as a denial.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from assistant.project import MOST_LETTERS, FactKind, ToldFact
from assistant.questions.words import FUNCTION_WORDS, SENTENCE, plain_text
from assistant.reading.patterns import Token
from assistant.reading.spans import Span
from assistant.text import read_table

_TABLE = read_table("reading/clauses.toml")
_SETS = {name: frozenset(tags) for name, tags in _TABLE["sets"].items()}
_FIGURES: Mapping[str, str] = _TABLE["figures"]
"""The member that holds a figure, by its tag."""
_KINDS: Sequence[tuple[FactKind, Sequence[frozenset[str]], frozenset[str]]] = [
    (
        entry["kind"],
        [frozenset(group.split("|")) for group in entry["needs"].split(" ")],
        frozenset(entry.get("without", "").split("|")),
    )
    for entry in _TABLE["kinds"]
]
_SURE = {kind: re.compile(pattern) for kind, pattern in _TABLE["sure"].items()}
"""What the tags of a clause say in a row if it is surely of this kind."""
_BY_TAG = {
    tag: [i for i, (_, needs, _) in enumerate(_KINDS) if tag in needs[0]] for _, first, _ in _KINDS for tag in first[0]
}
"""The places of the kinds that need this tag, or another one in its stead."""
_PER_M2 = re.compile(r"\W*(?:le|la|du|de|the|a|per)?\W*(?:m2|metre|meter)")
_BRACKET = re.compile(r"[()–—]| - ")
_LONG = 6
"""A subject behind so many words opens a clause."""
_MOST_UNKNOWN = 0.5
"""Of a clause with more words without a class, nothing is understood."""
_MOST_JOINED, _FEW = 7, 1
"""A longer part of a sentence is a clause by itself; one of so few words never is."""


def told_facts(
    text: str, tokens: Sequence[Token], tags: Sequence[str], spans: Iterable[Span], content: Collection[int]
) -> Iterator[tuple[ToldFact, Span]]:
    """The clauses of these spans that have words that no rule has read, and where they are. `content` are the places of
    these words.
    """
    sentences = [sentence.span() for sentence in SENTENCE.finditer(text)]
    end = 0
    for first, last in _joined(tags, spans):
        kind = _sure_kind(tags[first:last])
        is_new = tokens[first].start >= end and any(place in content for place in range(first, last))
        if kind is None or not is_new or not _is_known(tags[first:last]):
            continue
        start = max(start for start, _ in sentences if start <= tokens[first].start)
        stop = next(stop for _, stop in sentences if stop >= tokens[last - 1].end)
        places = [i for i, token in enumerate(tokens) if start <= token.start < stop]
        if _SETS["conditional"].isdisjoint(tags[i] for i in places):
            places = [*range(first, last)]
        span = quotable(text, tokens[places[0]].start, tokens[places[-1]].end)
        if not text[:stop].endswith("?") and span[1] - span[0] <= MOST_LETTERS:
            end = span[1]
            yield ToldFact(kind, text[slice(*span)], **_figures(text, [tokens[i] for i in places])), span


def quotable(text: str, start: int, end: int) -> Span:
    """The span without what separates it from the words before it, and with the end of its bracket."""
    start = end - len(text[start:end].lstrip(" ,;:.-–—"))
    return start, end + (text[end : end + 1] == ")" and text.rfind("(", start, end) > text.rfind(")", start, end))


def _figures(text: str, tokens: Sequence[Token]) -> dict[str, float]:
    """The figures of a clause by their members. Of several for one member, none is told."""
    found: dict[str, list[Token]] = defaultdict(list)
    for token in tokens:
        if token.value and token.tag in _FIGURES:
            is_rate = token.tag == "MONEY" and _PER_M2.match(plain_text(text[token.end :][:16]))
            found["price_eur_per_m2" if is_rate else _FIGURES[token.tag]].append(token)
    return {
        name: figures[0].value / (100 if figures[0].tag == "PERCENT" else 1)
        for name, figures in found.items()
        if len(figures) == 1
    }


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


def _joined(tags: Sequence[str], parts: Iterable[Span]) -> Iterator[Span]:
    """The clauses of a text. One of a few words, or a short one without a kind, belongs to the one before it."""
    start = end = 0
    kind = None
    for first, last in parts:
        new = _kind(frozenset(tags[first:last]))
        is_short = last - first <= _MOST_JOINED or first - start <= _MOST_JOINED
        is_other = not is_short or (new and kind and new != kind and last - first > _FEW)
        if end and (is_other or "." in tags[end:first]):
            yield start, end
            start, end, kind = first, last, new
        else:
            start, end, kind = start if end else first, last, kind or new
    yield from [(start, end)] if end else ()


@lru_cache(1024)
def _kind(tags: frozenset[str]) -> FactKind | None:
    """The first kind that a clause with these tags has."""
    for i in sorted({place for tag in tags for place in _BY_TAG.get(tag, ())}):
        kind, needs, without = _KINDS[i]
        if without.isdisjoint(tags) and not any(group.isdisjoint(tags) for group in needs):
            return kind
    return None


def _sure_kind(tags: Sequence[str]) -> FactKind | None:
    """The kind of a clause. A label is a claim: without a sure sign the clause is a note."""
    kind = _kind(frozenset(tags)) or _kind(frozenset((*tags, "LAST")))
    is_sure = kind not in _SURE or _SURE[kind].search(" ".join(tags))
    return kind if is_sure else "note"


def _is_known(tags: Sequence[str]) -> bool:
    """Whether most words have a class."""
    words = [tag for tag in tags if tag[0].isalpha() and tag not in FUNCTION_WORDS]
    is_figured = "MONEY" in tags or "LENGTH" in tags
    return is_figured or sum(map(str.islower, words)) <= _MOST_UNKNOWN * len(words)
