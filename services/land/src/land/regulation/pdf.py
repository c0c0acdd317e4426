"""The text of a PDF by page, in reading order, and the pages that hold no text that a person sees."""

from collections.abc import Sequence
from ctypes import c_double, c_long, create_string_buffer
from itertools import pairwise

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
    try:
        if len(document) > _MAX_PAGES:
            raise UnreadableDocument(f"a PDF of more than {_MAX_PAGES} pages")
        texts, states = [], []
        for page in document:
            text_page = page.get_textpage()
            text = _ordered_text(page, text_page)
            states.append(_state(page, text))
            texts.append(text)
            text_page.close()
            page.close()
        return texts, states, _places(document)
    finally:
        document.close()


def _ordered_text(page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage) -> str:
    """Returns the page's text; columns whose lines the file mixes are read one after the other."""
    characters = _characters(text_page)
    gutter = _mixed_gutter(page.get_width(), text_page)
    if gutter is None:
        return _lines(characters)
    sides = ([item for item in characters if (item[1] >= gutter) == is_right] for is_right in (False, True))
    return "\n".join(_lines(side) for side in sides)


def _characters(text_page: pypdfium2.PdfTextPage) -> list[tuple[str, float, float]]:
    """Returns each character with its origin. The library's own ends of lines miss those before an indent."""
    x, y = c_double(), c_double()
    characters: list[tuple[str, float, float]] = []
    for index in range(text_page.count_chars()):
        character = chr(pdfium.FPDFText_GetUnicode(text_page.raw, index))
        if character in "\r\n\0":
            continue
        if not character.isspace() or not characters:
            pdfium.FPDFText_GetCharOrigin(text_page.raw, index, x, y)
        characters.append((character, x.value, y.value))
    return characters


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


def _mixed_gutter(width: float, text_page: pypdfium2.PdfTextPage) -> float | None:
    """Returns the middle of the space between two columns, if the file goes from one to the other line by line."""
    rects = [text_page.get_rect(index) for index in range(min(text_page.count_rects(), 2000))]
    for share in (0.5, 0.48, 0.52, 0.46, 0.54):
        gutter = width * share
        crossing = sum(left < gutter - 2 and right > gutter + 2 for left, _, right, _ in rects)
        sides = [left >= gutter - 2 for left, _, right, _ in rects if not (left < gutter - 2 and right > gutter + 2)]
        columns = min(sum(sides), len(sides) - sum(sides))
        if columns < _COLUMN_RECTS or crossing > 0.15 * len(rects):
            continue
        changes = sum(first != second for first, second in pairwise(sides))
        # A table of figures also has two sides; its right side is thin.
        wide = sum(right - left > 0.25 * width for left, _, right, _ in rects if left >= gutter - 2)
        if changes > 0.6 * columns and wide >= _COLUMN_RECTS:
            return gutter
    return None


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
    places: dict[str, int] = {}
    for bookmark in document.get_toc():
        destination = bookmark.get_dest()
        index = destination.get_index() if destination else None
        if index is not None:
            places.setdefault(bookmark.get_title(), index)
    places.update(_named_destinations(document))
    return places


def _named_destinations(document: pypdfium2.PdfDocument) -> dict[str, int]:
    named: dict[str, int] = {}
    for index in range(pdfium.FPDF_CountNamedDests(document.raw)):
        size = c_long(0)
        pdfium.FPDF_GetNamedDest(document.raw, index, None, size)
        buffer = create_string_buffer(max(size.value, 0))
        destination = pdfium.FPDF_GetNamedDest(document.raw, index, buffer, size)
        page = pdfium.FPDFDest_GetDestPageIndex(document.raw, destination) if destination else -1
        if page >= 0:
            named[buffer.raw.decode("utf-16-le", "replace").rstrip("\0")] = page
    return named
