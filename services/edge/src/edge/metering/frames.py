"""Records in a file: 4 bytes of length, 4 of CRC32 (little endian), then the payload.

Segments are allocated at full size and filled with zeros, so a length of 0 means that there is no frame. A frame can be
damaged if the power fails while the system writes pages in any order. Decoding then continues at the next valid frame.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

MAX_PAYLOAD_BYTES = 1024
_HEADER = struct.Struct("<II")
_LENGTH_BYTES = 4
MAX_FRAME_BYTES = _HEADER.size + MAX_PAYLOAD_BYTES


class Frame(NamedTuple):
    payload: bytes
    end: int
    """Offset of the byte after the frame."""


def encode(payload: bytes) -> bytes:
    """Raises ValueError if the payload is empty or longer than MAX_PAYLOAD_BYTES."""
    if not 0 < len(payload) <= MAX_PAYLOAD_BYTES:
        raise ValueError(f"a payload of {len(payload)} bytes")
    return _HEADER.pack(len(payload), zlib.crc32(payload)) + payload


def decode(data: bytes) -> Iterator[Frame]:
    """Every valid frame, in order."""
    at = 0
    last = len(data) - _HEADER.size
    while at < last:
        length, crc = _HEADER.unpack_from(data, at)
        start = at + _HEADER.size
        if 0 < length <= MAX_PAYLOAD_BYTES and start + length <= len(data):
            payload = data[start : start + length]
            if zlib.crc32(payload) == crc:
                at = start + length
                yield Frame(payload, at)
                continue
        elif length == 0:
            remaining = len(data[at:].lstrip(b"\0"))
            if remaining == 0:
                return
            # the low bytes of a length can also be zeros
            at = max(at, len(data) - remaining - _LENGTH_BYTES)
        at += 1
