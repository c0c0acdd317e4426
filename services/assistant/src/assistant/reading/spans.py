"""Places of words in a text: which are in others, and runs of those that are in none."""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from operator import itemgetter

Span = tuple[int, int]


def unread_runs(text: str, words: Sequence[Span], covered: Sequence[Span]) -> tuple[Span, ...]:
    """The runs of words that are not covered."""
    ends = [0, *(word[1] for word in words)]
    is_read = are_in(words, covered)
    breaks = (is_read[i] or bool(re.search(r"[.;!?\n]", text[ends[i] : word[0]])) for i, word in enumerate(words))
    runs = groupby(zip(words, is_read, accumulate(breaks), strict=True), key=itemgetter(2))
    spans = ([word for word, is_known, _ in run if not is_known] for _, run in runs)
    return tuple((run[0][0], run[-1][1]) for run in spans if run)


def joined(spans: Sequence[Span]) -> Iterator[Span]:
    """The spans in order; those that overlap as one."""
    ordered = sorted(spans)
    ends = [*accumulate((end for _, end in ordered), max)]
    starts = [i for i, (start, _) in enumerate(ordered) if not i or start >= ends[i - 1]]
    return ((ordered[i][0], ends[j - 1]) for i, j in pairwise([*starts, len(ordered)]))


def outside(span: Span, others: Sequence[Span]) -> Iterator[Span]:
    """The parts of a span that lie in no other one."""
    start = span[0]
    for first, last in joined(others):
        if start < min(first, span[1]):
            yield start, min(first, span[1])
        start = max(start, last)
    if start < span[1]:
        yield start, span[1]


def without_marks(text: str, span: Span) -> Span:
    """The span without the marks and spaces at its start."""
    words = text[slice(*span)]
    return span[1] - len(re.sub(r"^\W+", "", words)), span[1]


def sentence_of(text: str, span: Span) -> str:
    """The sentence in which the span begins."""
    ends = [match.end() for match in re.finditer(r"[.!?\n]\s", text)]
    start = max((end for end in ends if end <= span[0]), default=0)
    return text[start : min((end for end in ends if end >= span[1]), default=len(text))]


def are_in(words: Sequence[Span], spans: Sequence[Span]) -> list[bool]:
    """Whether each word is in a span. The spans that start before a word reach as far as the one that ends last."""
    ordered = sorted(spans)
    ends = [-1, *accumulate((end for _, end in ordered), max)]
    return [ends[bisect_right(ordered, (start, math.inf))] >= end for start, end in words]


def is_in(word: Span, spans: Sequence[Span]) -> bool:
    return any(start <= word[0] and word[1] <= end for start, end in spans)
