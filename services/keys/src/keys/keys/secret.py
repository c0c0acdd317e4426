"""The text of an API key.

Format, all ASCII, 65 characters:

    lp_live_ | lp_test_        prefix for the mode
    8 characters               public id
    43 characters              secret: 32 random bytes
    6 characters               CRC-32 (zlib) of everything before it, prefix included

Id, secret and checksum are base62 with the alphabet 0-9A-Za-z. The most significant digit is first, with "0" as padding
on the left. The checksum detects garbage without a database; it protects nothing.
"""

import secrets
import zlib
from dataclasses import dataclass, field
from enum import StrEnum

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_LENGTH = 8
SECRET_BYTES = 32
SECRET_LENGTH = 43
CHECKSUM_LENGTH = 6
SHOWN_CHARACTERS = 4
_ALPHABET_SET = frozenset(ALPHABET)


class KeyMode(StrEnum):
    """A test key answers from the demo commune only and is never billed."""

    LIVE = "live"
    TEST = "test"

    @property
    def prefix(self) -> str:
        return f"lp_{self.value}_"


_LENGTH = len(KeyMode.LIVE.prefix) + ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH


@dataclass(frozen=True)
class KeyText:
    """A whole, well-formed key. Its text is in no representation."""

    mode: KeyMode
    key_id: str
    text: str = field(repr=False)

    @property
    def ending(self) -> str:
        """The last characters, which may be shown."""
        return self.text[-SHOWN_CHARACTERS:]


def base62(number: int, length: int) -> str:
    """Returns the number in base62, padded with "0" to the length. Raises OverflowError if it has more digits."""
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    if number:
        raise OverflowError("the number has more digits than the length allows")
    return "".join(reversed(digits))


def checksum(text: str) -> str:
    return base62(zlib.crc32(text.encode("ascii")), CHECKSUM_LENGTH)


def new_id() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


def compose(mode: KeyMode, key_id: str, secret: bytes) -> KeyText:
    """Returns the key of an id and 32 secret bytes."""
    body = f"{mode.prefix}{key_id}{base62(int.from_bytes(secret), SECRET_LENGTH)}"
    return KeyText(mode, key_id, body + checksum(body))


def generate(mode: KeyMode, key_id: str) -> KeyText:
    return compose(mode, key_id, secrets.token_bytes(SECRET_BYTES))


def parse(text: str) -> KeyText | None:
    """Returns the key, or None if the text is malformed or its checksum is wrong."""
    if len(text) != _LENGTH:
        return None
    for mode in KeyMode:
        if text.startswith(mode.prefix):
            break
    else:
        return None
    body = text[len(mode.prefix) :]
    if not _ALPHABET_SET.issuperset(body) or checksum(text[:-CHECKSUM_LENGTH]) != text[-CHECKSUM_LENGTH:]:
        return None
    return KeyText(mode, body[:ID_LENGTH], text)


def mask(mode: KeyMode, key_id: str, ending: str) -> str:
    """Returns the masked form of a key: prefix, public id and the last four characters."""
    return f"{mode.prefix}{key_id}...{ending}"
