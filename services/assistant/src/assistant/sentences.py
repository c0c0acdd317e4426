"""Cuts text into sentences, so that each can be checked and sent on its own."""

import re

_END = re.compile(
    r"(?<=[.!?])(?<!\bart\.)(?<!\bn°\.)(?<!\bM\.)(?<!\betc\.)(?:[*_»)\]]*)(?P<gap>[ \u00a0]+)(?=[A-ZÀ-ÖØ-Þ«\"*_\[(])"
    r"|(?P<line>\n+)"
)


def split_sentences(text: str) -> list[str]:
    """The sentences in order, each with the white space that follows it: joined, they are the text again."""
    pieces, start = [], 0
    for match in _END.finditer(text):
        pieces.append(text[start : match.end()])
        start = match.end()
    if start < len(text):
        pieces.append(text[start:])
    return pieces
