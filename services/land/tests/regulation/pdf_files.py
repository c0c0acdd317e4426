"""PDF files of a few pages for tests, written by hand: lines of text at places, pictures, text that nobody sees."""

from dataclasses import dataclass, field

WIDTH, HEIGHT = 595, 842


@dataclass(frozen=True)
class Text:
    """A line at a place of the page, in points from the bottom left."""

    x: float
    y: float
    words: str
    is_hidden: bool = False


@dataclass(frozen=True)
class PdfPage:
    """A page with its lines, and whether a picture covers it."""

    texts: list[Text] = field(default_factory=list)
    has_picture: bool = False


def column(lines: list[str], x: float = 60, top: float = 780, *, is_hidden: bool = False) -> list[Text]:
    """Returns lines under each other."""
    return [Text(x, top - 14 * number, line, is_hidden) for number, line in enumerate(lines)]


def pdf(pages: list[PdfPage], places: dict[str, int] | None = None) -> bytes:
    """Returns a PDF. `places` names destinations by their page index."""
    objects: list[bytes] = []

    def add(content: bytes) -> int:
        objects.append(content)
        return len(objects)

    def stream(entries: str, content: bytes) -> bytes:
        return f"<< {entries} /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"

    catalog, tree = add(b""), add(b"")
    font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    picture = add(
        stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", b"\x80")
    )
    numbers = []
    for page in pages:
        drawn = b"q %d 0 0 %d 0 0 cm /P Do Q\n" % (WIDTH, HEIGHT) if page.has_picture else b""
        for text in page.texts:
            words = text.words.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
            mode = 3 if text.is_hidden else 0
            drawn += b"BT /F 10 Tf %d Tr %d %d Td (%s) Tj ET\n" % (mode, text.x, text.y, words)
        content = add(stream("", drawn))
        numbers.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {content} 0 R "
                f"/Resources << /Font << /F {font} 0 R >> /XObject << /P {picture} 0 R >> >> >>".encode()
            )
        )
    named = " ".join(f"/{name} [{numbers[index]} 0 R /Fit]" for name, index in (places or {}).items())
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R /Dests << {named} >> >>".encode()
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects[tree - 1] = f"<< /Type /Pages /Count {len(numbers)} /Kids [{kids}] >>".encode()
    written, offsets = b"%PDF-1.4\n", []
    for number, entry in enumerate(objects, 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n" % number + entry + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        written
        + b"xref\n0 %d\n0000000000 65535 f \n" % size
        + table
        + b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, catalog, len(written))
    )
