"""The text of an API key. Keys issues it. The edge checks its form, with the checksum, before it asks keys.

Format, all ASCII, 65 characters:

    lp_live_ | lp_test_        prefix for the mode
    8 characters               public id
    43 characters              secret: 32 random bytes
    6 characters               CRC-32 (zlib) of everything before it, prefix included

Id, secret and checksum are base62 with the alphabet 0-9A-Za-z. The most significant digit is first, with "0" as padding
on the left. The checksum detects garbage without a database; it protects nothing.
"""

import re
import zlib

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_LENGTH = 8
SECRET_BYTES = 32
SECRET_LENGTH = 43
CHECKSUM_LENGTH = 6
MAX_LENGTH = 256
"""Longer than any key. A longer header value is refused without a check."""
_FORM = re.compile(rf"lp_(?:live|test)_[0-9A-Za-z]{{{ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}}")


def is_well_formed(text: str) -> bool:
    """Whether the format and the checksum are right. Only keys knows whether the key was issued."""
    return _FORM.fullmatch(text) is not None and text[-CHECKSUM_LENGTH:] == checksum(text[:-CHECKSUM_LENGTH])


def public_id(text: str) -> str:
    """The id of a well-formed key. It is no secret."""
    return text[len("lp_live_") :][:ID_LENGTH]


def checksum(text: str) -> str:
    """The checksum of an ASCII text."""
    return base62(zlib.crc32(text.encode("ascii")), CHECKSUM_LENGTH)


def base62(number: int, length: int) -> str:
    """Returns the number in base62, padded with "0" to the length. Raises OverflowError if it has more digits."""
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    if number:
        raise OverflowError("the number has more digits than the length allows")
    return "".join(reversed(digits))
