"""Repairs texts that a wrong encoding damaged, before anything parses them.

Examples are UTF-8 read as Latin-1 or Windows-1252, once or several times, quoted-printable, the entities of web pages,
and letters that were lost.
"""

import quopri
import re
import unicodedata
from html import unescape
from urllib.parse import unquote

from land.addresses.model import AddressQuery

_MAX_PASSES = 3
"""A text may be misread twice, and entities may be escaped again."""
_TAG = re.compile(r"<[^<>]{0,40}>")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_QUOTED = re.compile(r"(?:=[0-9A-F]{2})+|=\r?\n")
_QUOTED_LETTER = re.compile(r"=[C-F][0-9A-F]=[89AB][0-9A-F]|=\r?\n")
"""A letter of UTF-8 that is not ASCII: "=C3=A9"."""
_STYLED = re.compile("[\u2460-\u24ff\uff01-\uff5e\U0001d400-\U0001d7ff]+")
"""Letters and digits in a circle, in full width, in bold and other styles of mathematics."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_LOST = re.compile(r"\ufffd+|(?<=[^\W\d_])\?+(?=[^\W\d_])|(?<=[\s'’-])\?+(?=[^\W\d_])")
"""A sign in place of a letter. Without it the word has one letter too few, which the search tolerates."""


def _bytes_of() -> dict[str, int]:
    """The byte of each character that Latin-1 or Windows-1252 reads as one, from 0x80 on."""
    latin = {chr(byte): byte for byte in range(0x80, 0x100)}
    windows = {bytes((byte,)).decode("cp1252", "ignore"): byte for byte in range(0x80, 0xA0)}
    return latin | {character: byte for character, byte in windows.items() if character}


_BYTES = _bytes_of()
_FIRST, _NEXT = (
    "".join(re.escape(character) for character, byte in _BYTES.items() if low <= byte < high)
    for low, high in ((0xC2, 0xF5), (0x80, 0xC0))
)
_MISREAD = re.compile(f"[{_FIRST}][{_NEXT}]{{1,3}}")


def repaired(query: AddressQuery) -> AddressQuery:
    """The query with each text repaired, or the same query."""
    texts = {name: repaired_text(text) for name, text in vars(query).items()}
    return AddressQuery(**texts) if texts != vars(query) else query


def repaired_text(text: str) -> str:
    text = unquote(text)
    if _QUOTED_LETTER.search(text):
        text = _QUOTED.sub(lambda quoted: quopri.decodestring(quoted[0]).decode(errors="ignore"), text)
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).replace("\\n", "\n")
    for _ in range(_MAX_PASSES):
        text = unescape(text)
    text = _STYLED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), _TAG.sub(" ", text))
    for _ in range(_MAX_PASSES):
        text = _MISREAD.sub(_reread, text)
    return _LOST.sub("", _INVISIBLE.sub("", text))


def _reread(match: re.Match[str]) -> str:
    try:
        return bytes(_BYTES[character] for character in match[0]).decode()
    except UnicodeDecodeError:
        return match[0]
