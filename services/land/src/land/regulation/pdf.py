"""The text of a PDF by page, in reading order, and the pages that hold no text that a person sees."""

from collections.abc import Iterator, Sequence
from ctypes import c_double, c_long, create_string_buffer
from itertools import pairwise
from math import inf

import pypdfium2
from pypdfium2 import raw as pdfium

from land.regulation.documents import HIDDEN_TEXT, NO_TEXT, UnreadableDocument

_READABLE_CHARACTERS = 100
_FULL_PAGE = 0.6
"""Share of a page that an image covers where the text under it is the work of an OCR service."""
_PICTURE = 0.05
_INVISIBLE = 3
_COLUMN_RECTS = 12
_MAX_PAGES = 1500
_LINE_SHIFT = 4.5
"""Points between the heights of two lines; raised signs are shifted less."""
_SOFT_HYPHENS = "\x02\ufffe\u00ad"


def read_pages(content: bytes) -> tuple[list[str], list[str], dict[str, int]]:
    """Returns the text of each page, what makes it unreadable ("" if nothing), and the pages of named places.

    Raises UnreadableDocument.
    """
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocument(f"a PDF that cannot be opened: {error}") from error
    with document:
        if len(document) > _MAX_PAGES:
            raise UnreadableDocument(f"a PDF of more than {_MAX_PAGES} pages")
        texts, states = [], []
        for page in document:
            texts.append(_ordered_text(page, page.get_textpage()))
            states.append(_state(page, texts[-1]))
        return texts, states, _places(document)


def _ordered_text(page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage) -> str:
    """Returns the page's text; columns whose lines the file mixes are read one after the other."""
    characters, gutter = list(_characters(text_page)), _mixed_gutter(page.get_width(), text_page)
    sides = ([item for item in characters if (item[1] >= gutter) == is_right] for is_right in (False, True))
    return "\n".join(filter(None, map(_lines, sides)))


def _characters(text_page: pypdfium2.PdfTextPage) -> Iterator[tuple[str, float, float]]:
    """Yields each character with its origin. The library's own ends of lines miss those before an indent."""
    x, y = c_double(), c_double()
    for index in range(text_page.count_chars()):
        character = chr(pdfium.FPDFText_GetUnicode(text_page.raw, index))
        if character not in "\r\n\0":
            if not (character.isspace() and index):
                pdfium.FPDFText_GetCharOrigin(text_page.raw, index, x, y)
            yield character, x.value, y.value


def _lines(characters: Sequence[tuple[str, float, float]]) -> str:
    """Returns the characters with an end of line wherever the height changes, but where a soft hyphen cuts a word."""
    parts: list[str] = []
    height, is_cut = None, False
    for character, _, y in characters:
        if height is not None and abs(y - height) > _LINE_SHIFT and not character.isspace():
            parts += [] if is_cut else ["\n"]
            height = y
        height = y if height is None else height
        is_cut = character in _SOFT_HYPHENS
        parts += [] if is_cut else [character]
    return "".join(parts)


def _mixed_gutter(width: float, text_page: pypdfium2.PdfTextPage) -> float:
    """Returns the middle between two columns, if the file goes from one to the other line by line; else infinity."""
    rects = [text_page.get_rect(index) for index in range(min(text_page.count_rects(), 2000))]
    for gutter in (share * width for share in (0.5, 0.48, 0.52, 0.46, 0.54)):
        parted = [(left, right) for left, _, right, _ in rects if left >= gutter - 2 or right <= gutter + 2]
        sides = [left >= gutter - 2 for left, _ in parted]
        columns = min(sum(sides), len(sides) - sum(sides))
        changes = sum(first != second for first, second in pairwise(sides))
        # A table of figures also has two sides; its right side is thin.
        wide = sum(right - left > 0.25 * width for left, right in parted if left >= gutter - 2)
        is_parted = len(rects) - len(parted) <= 0.15 * len(rects)
        if is_parted and min(columns, wide) >= _COLUMN_RECTS and changes > 0.6 * columns:
            return gutter
    return inf


def _state(page: pypdfium2.PdfPage, text: str) -> str:
    area = page.get_width() * page.get_height()
    images = [image.get_bounds() for image in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3)]
    shares = [(right - left) * (top - bottom) / area for left, bottom, right, top in images]
    if len("".join(text.split())) < _READABLE_CHARACTERS:
        return NO_TEXT if sum(shares) > _PICTURE else ""
    if max(shares, default=0) < _FULL_PAGE:
        return ""
    modes = [
        pdfium.FPDFTextObj_GetTextRenderMode(item.raw)
        for item in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT], max_depth=3)
    ]
    return HIDDEN_TEXT if modes.count(_INVISIBLE) > len(modes) / 2 else ""


def _places(document: pypdfium2.PdfDocument) -> dict[str, int]:
    """Returns the page index of each named destination and bookmark, a destination before a bookmark."""
    bookmarks = [(bookmark.get_title(), bookmark.get_dest()) for bookmark in document.get_toc()]
    places = {title: place.get_index() for title, place in reversed(bookmarks) if place}
    for index in range(pdfium.FPDF_CountNamedDests(document.raw)):
        size = c_long(0)
        pdfium.FPDF_GetNamedDest(document.raw, index, None, size)
        name = create_string_buffer(max(size.value, 0))
        destination = pdfium.FPDF_GetNamedDest(document.raw, index, name, size)
        page = pdfium.FPDFDest_GetDestPageIndex(document.raw, destination) if destination else -1
        places |= {name.raw.decode("utf-16-le", "replace").rstrip("\0"): page}
    return {name: page for name, page in places.items() if page is not None and page >= 0}
