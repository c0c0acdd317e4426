"""A regulation as pages and lines, whatever file it comes from."""

from dataclasses import dataclass, field

NO_TEXT = "no_text"
HIDDEN_TEXT = "hidden_text"


class UnreadableDocument(ValueError):
    """The file is not a regulation that can be read; the message says why."""


@dataclass(frozen=True)
class Line:
    """A line of text. `level` is the depth of a heading in a structured document; 0 is no known heading."""

    text: str
    page: int
    level: int = 0
    zones: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page. `number` is that of the file and `printed` that of the paper; None where there is none."""

    number: int | None
    printed: int | None = None
    unreadable: str = ""
    heads: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """A regulation in lines. `places` holds the pages of bookmarks and named destinations."""

    name: str
    sha256: str
    pages: tuple[Page, ...]
    lines: tuple[Line, ...]
    places: dict[str, int] = field(default_factory=dict)
    is_structured: bool = False
