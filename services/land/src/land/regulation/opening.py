"""Opening of a regulation's file: a PDF, a structured regulation, or a text whose pages are parted by form feeds."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from land.regulation import pdf, structured
from land.regulation.documents import NO_TEXT, Document, Line, Page, UnreadableDocument
from land.regulation.headings import looks_like_title, parse_heading, topic_of
from land.regulation.patterns import patterns
from land.regulation.text import plain

_P = patterns("opening")

_EDGE_LINES = 4
"""Lines at the top and at the bottom of a page among which running heads and feet are looked for."""
_READABLE_CHARACTERS = 100


def open_document(path: Path) -> Document:
    """Reads a PDF, a structured regulation (XML or JSON) or a text whose pages are parted by form feeds.

    Raises UnreadableDocument.
    """
    return open_content(path.read_bytes(), path.name)


def open_content(content: bytes, name: str) -> Document:
    """As `open_document`, of the bytes of a file with this name."""
    digest, start = sha256(content).hexdigest(), content[:1024].lstrip(b"\xef\xbb\xbf \r\n\t")
    if start.startswith(b"%PDF"):
        return _paged(name, digest, *pdf.read_pages(content))
    if start[:15].lower().startswith((b"<!doctype html", b"<html")):
        raise UnreadableDocument("an HTML page, not a regulation")
    is_json = re.match(rb"\{|\[\s*\{", start)
    if is_json or start.startswith((b"<?xml", b"<plu:")):
        return Document(
            name,
            digest,
            (Page(None),),
            structured.read_json(content) if is_json else structured.read_xml(content),
            is_structured=True,
        )
    text = content.decode(errors="replace")
    # A text with signs that are no UTF-8 is one of Windows.
    text = content.decode("cp1252", errors="replace") if "\ufffd" in text else text
    if not text.strip() or "\0" in text:
        raise UnreadableDocument("a file without text")
    return _paged(name, digest, text.removesuffix("\f").split("\f"), None, {})


def _paged(
    name: str, digest: str, texts: Sequence[str], states: Sequence[str] | None, places: dict[str, int]
) -> Document:
    """Returns the document of the texts of pages. `states` are those of the pages of a PDF, None for a text."""
    contents = [[line.rstrip() for line in text.splitlines()] for text in texts]
    contents = [[*_with_bullets(content)] for content in contents]
    running = _running_lines(contents)
    printed, mark_count = _printed_numbers(contents)
    heads = [
        tuple(line for line in _edges(content) if _mask(line) in running and not _is_text(line)) for content in contents
    ]
    bodies = [_body(content, of_page) for content, of_page in zip(contents, heads, strict=True)]
    # The mark "Page 23 sur 206" of a text that is an extract counts the pages of the whole file.
    is_numbered = states is None and (mark_count > len(texts) or (len(texts) == 1 and printed == [None]))
    pages = tuple(
        map(
            Page,
            printed if is_numbered else list(range(1, len(texts) + 1)),
            printed,
            states or _text_states(bodies),
            heads,
        )
    )
    lines = [
        Line("" if line.startswith("![") else line, index)  # a picture of Markdown
        for index, body in enumerate(bodies)
        for line in (*body, "")
    ]
    is_marked = name.endswith(".md") or _P["zone_mark"].search("\n".join(texts))
    lines = list(_marked(lines)) if is_marked else lines
    return Document(name, digest, pages, tuple(lines), places, any(line.zones for line in lines))


def _with_bullets(content: Sequence[str]) -> Iterator[str]:
    """Yields the lines of a page; a bullet that stands alone on its line is put before the next one."""
    bullet = ""
    for line in content:
        if _P["bullet"].match(line) or (line.strip() in ("-", "–") and not bullet):
            bullet = f"{line} "
            continue
        is_cell = bullet.strip() in ("-", "–") and not line.lstrip()[:1].islower()
        yield from (bullet.rstrip(), line) if is_cell else (f"{bullet}{line}",)
        bullet = ""
    yield from (bullet,) if bullet else ()


def _text_states(bodies: Sequence[Sequence[str]]) -> list[str]:
    """Returns which pages without text stand between pages with text: an image stood there."""
    counts = [len("".join(map(str.strip, body))) for body in bodies]
    readable = [index for index, count in enumerate(counts) if count >= _READABLE_CHARACTERS] or [0]
    return [NO_TEXT if readable[0] < index < readable[-1] and not count else "" for index, count in enumerate(counts)]


def _marked(lines: Iterable[Line]) -> Iterator[Line]:
    """Yields the lines with the level of their signs "#", and the zones of the last mark "[idZone=UB]"."""
    zones: tuple[str, ...] = ()
    for line in lines:
        level = len(line.text) - len(line.text.lstrip("#"))
        mark = _P["zone_mark"].search(line.text) if level else None
        zones = tuple(mark[1].split(",")) if mark else zones
        text = _P["zone_mark"].sub("", line.text).lstrip("# ").strip("*_ ") if level else line.text
        yield replace(line, text=text, level=level, zones=zones)


def _is_number(line: str) -> bool:
    folded = plain(line)
    return bool(_P["page_mark"].match(folded)) or (folded.isdigit() and len(folded) < 4)


def _is_text(line: str) -> bool:
    """Returns whether a line is the numbered title of a rule, or a sentence: both may come again with other figures."""
    heading = parse_heading(line)
    is_article = heading is not None and not heading.title and plain(line).startswith("art")
    return is_article or (heading is not None and bool(topic_of(heading.text))) or not looks_like_title(line)


def _mask(line: str) -> str:
    return re.sub(r"\d+", "0", plain(line))


def _body(content: Sequence[str], heads: Sequence[str]) -> list[str]:
    """The lines of a page without its running heads and feet. Elsewhere the same words are a cell of a table: "UD"."""
    filled = [index for index, line in enumerate(content) if line.strip()]
    edges = {*filled[:_EDGE_LINES], *filled[-_EDGE_LINES:]}
    return [
        line for index, line in enumerate(content) if not (index in edges and line in heads) and not _is_number(line)
    ]


def _edges(content: Sequence[str]) -> list[str]:
    filled = [line for line in content if line.strip()]
    return list(dict.fromkeys((*filled[:_EDGE_LINES], *filled[-_EDGE_LINES:])))


def _running_lines(pages: Iterable[Sequence[str]]) -> set[str]:
    """Returns the lines, digits masked, that stand at the edge of at least two in five of the pages with text."""
    edges = [{*map(_mask, _edges(page))} for page in pages if _edges(page)]
    return {
        mask
        for mask, count in Counter(mask for masks in edges for mask in masks).items()
        if count >= max(2, len(edges) * 0.4) and mask != "0"
    }


def _printed_numbers(pages: Sequence[Sequence[str]]) -> tuple[Sequence[int | None], int]:
    """Returns the printed number of each page, and the number of pages that marks "N sur M" state.

    It is the number that grows from page to page in a line at the edge of most pages. An extract may leave pages out.
    """
    marks = (_P["page_mark"].match(plain(line)) for page in pages for line in _edges(page))
    total = max((int(mark[2] or 0) for mark in marks if mark), default=0)
    lines = [{_mask(line): re.findall(r"\d+", plain(line)) for line in _edges(page)} for page in pages]
    needed = max(min(2, len(pages)), 0.6 * len([page for page in lines if page]))
    for mask, count in Counter(mask for page in lines for mask in page).most_common() if needed else ():
        for place in reversed(range(mask.count("0") if count >= needed else 0)):
            found = {index: int(page[mask][place]) for index, page in enumerate(lines) if mask in page}
            is_growing = all(before < after for before, after in pairwise(found.values()))
            if is_growing and (len(found) > 1 or (place == 0 and _P["alone"].fullmatch(mask))):
                # A page without a number follows the last one that has one.
                last = [[*found][max(0, bisect_right([*found], index) - 1)] for index in range(len(pages))]
                return [found[near] + index - near for index, near in enumerate(last)], total
    return [None] * len(pages), total
