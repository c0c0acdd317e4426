"""Opening of a regulation's file: a PDF, a structured regulation, or a text whose pages are parted by form feeds."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
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
    digest = sha256(content).hexdigest()
    start = content[:1024].lstrip(b"\xef\xbb\xbf \r\n\t")
    if start.startswith(b"%PDF"):
        texts, states, places = pdf.read_pages(content)
        return _paged(name, digest, texts, states, places, is_pdf=True)
    if re.match(rb"\{|\[\s*\{", start):
        return Document(name, digest, (Page(None),), structured.read_json(content), is_structured=True)
    if start[:15].lower().startswith((b"<!doctype html", b"<html")):
        raise UnreadableDocument("an HTML page, not a regulation")
    if start.startswith((b"<?xml", b"<plu:")):
        return Document(name, digest, (Page(None),), structured.read_xml(content), is_structured=True)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    if not text.strip() or "\0" in text:
        raise UnreadableDocument("a file without text")
    return _paged(name, digest, text.removesuffix("\f").split("\f"), None, {}, is_pdf=False)


def _paged(
    name: str, digest: str, texts: Sequence[str], states: Sequence[str] | None, places: dict[str, int], *, is_pdf: bool
) -> Document:
    page_lines = [[line.rstrip() for line in text.splitlines()] for text in texts]
    running = _running_lines(page_lines)
    printed, mark_count = _printed_numbers(page_lines)
    pages: list[Page] = []
    lines: list[Line] = []
    for index, content in enumerate(page_lines):
        heads = [
            number for number in _edges(content) if _mask(content[number]) in running and not _is_text(content[number])
        ]
        body = [line for number, line in enumerate(content) if number not in heads and not _is_number(line)]
        number: int | None = index + 1
        if not is_pdf and len(texts) == 1 and printed[index] is None:
            number = None
        elif not is_pdf and mark_count > len(texts) and printed[index] is not None:
            # The text is an extract, and the mark "Page 23 sur 206" counts the pages of the whole file.
            number = printed[index]
        state = states[index] if states else ""
        pages.append(Page(number, printed[index], state, tuple(content[number] for number in heads)))
        lines += [Line("" if line.startswith("![") else line, index) for line in body]  # a picture of Markdown
        lines.append(Line("", index))
    if not is_pdf:
        pages = _mark_empty_pages(pages, lines)
    marked = (
        [_heading_mark(line) for line in lines]
        if name.endswith(".md") or _P["zone_mark"].search("\n".join(texts))
        else lines
    )
    is_structured = any(line.zones for line in marked)
    return Document(
        name, digest, tuple(pages), tuple(_inherited(marked) if is_structured else marked), places, is_structured
    )


def _mark_empty_pages(pages: Sequence[Page], lines: Iterable[Line]) -> list[Page]:
    """Marks pages without text that stand between pages with text: an image stood there."""
    counts = Counter[int]()
    for line in lines:
        counts[line.page] += len(line.text.strip())
    readable = [index for index, count in sorted(counts.items()) if count >= _READABLE_CHARACTERS]
    first, last = (readable[0], readable[-1]) if readable else (0, 0)
    return [
        replace(page, unreadable=NO_TEXT) if first < index < last and not counts[index] else page
        for index, page in enumerate(pages)
    ]


def _heading_mark(line: Line) -> Line:
    """Returns a line with the level of its signs "#", and the zones of a mark "[idZone=UB]"."""
    level = len(line.text) - len(line.text.lstrip("#"))
    zones = _P["zone_mark"].search(line.text)
    if not level:
        return line
    text = (line.text[: zones.start()] if zones else line.text).lstrip("# ").strip("*_ ")
    return replace(line, text=text, level=level, zones=tuple(zones[1].split(",")) if zones else ())


def _inherited(lines: Iterable[Line]) -> Iterable[Line]:
    """Yields the lines, those of text with the zones of the heading above them."""
    zones: tuple[str, ...] = ()
    for line in lines:
        zones = line.zones or zones
        yield replace(line, zones=zones)


def _is_number(line: str) -> bool:
    folded = plain(line)
    return bool(_P["page_mark"].match(folded)) or (folded.isdigit() and len(folded) < 4)


def _is_text(line: str) -> bool:
    """Returns whether a line is the numbered title of a rule, or a sentence: both may come again with other figures."""
    heading = parse_heading(line)
    return (heading is not None and bool(topic_of(heading.text))) or not looks_like_title(line)


def _mask(line: str) -> str:
    return re.sub(r"\d+", "0", plain(line))


def _edges(content: Sequence[str]) -> list[int]:
    filled = [number for number, line in enumerate(content) if line.strip()]
    return sorted({*filled[:_EDGE_LINES], *filled[-_EDGE_LINES:]})


def _running_lines(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    """Returns the lines, digits masked, that stand at the edge of at least half of the pages."""
    filled = [page for page in pages if any(line.strip() for line in page)]
    counts = Counter(mask for page in filled for mask in {_mask(page[number]) for number in _edges(page)})
    if len(filled) < 2:
        return frozenset()
    return frozenset(mask for mask, count in counts.items() if count >= max(2, len(filled) * 0.4) and mask != "0")


def _printed_numbers(pages: Sequence[Sequence[str]]) -> tuple[list[int | None], int]:
    """Returns the printed number of each page, and the number of pages that marks "N sur M" state."""
    marks: dict[int, int] = {}
    offsets = Counter[int]()
    total = 0
    for index, page in enumerate(pages):
        edges = [plain(page[number]) for number in _edges(page)]
        for mark in filter(None, map(_P["page_mark"].match, edges)):
            marks[index], total = int(mark[1]), max(total, int(mark[2] or 0))
        numbers = [match for match in map(_P["page_number"].search, edges) if match]
        offsets.update({int(next(filter(None, match.groups()))) - index for match in numbers})
    offset, count = offsets.most_common(1)[0] if offsets else (0, 0)
    if count < 2 and not total and (len(pages) > 1 or not count):
        return [None] * len(pages), 0
    return [marks.get(index, index + offset) for index in range(len(pages))], total
