"""The format of an API key. The edge checks it, with the checksum, before it calls keys.

`lp_live_` or `lp_test_`, 8 characters of public id, 43 of secret, and 6 of CRC32 over all the characters before it,
as ASCII. The alphabet is 0-9A-Za-z. The checksum is base 62, most significant digit first, padded with `0`.
"""

import re
import zlib

MAX_LENGTH = 256
"""Longer than any key. A longer header value is refused without a check."""

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_LENGTH = 8
_CRC_LENGTH = 6
_FORM = re.compile(r"lp_(?:live|test)_[0-9A-Za-z]{57}")


def is_well_formed(key: str) -> bool:
    """Whether the format and the checksum are right. Only keys knows whether the key was issued."""
    return _FORM.fullmatch(key) is not None and key[-_CRC_LENGTH:] == checksum(key[:-_CRC_LENGTH])


def public_id(key: str) -> str:
    """The id of a well-formed key. It is no secret."""
    return key[len("lp_live_") :][:ID_LENGTH]


def checksum(text: str) -> str:
    value = zlib.crc32(text.encode("ascii"))
    digits = ""
    for _ in range(_CRC_LENGTH):
        value, digit = divmod(value, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits
