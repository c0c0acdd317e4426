"""Cadastral parcel ids: commune (5), prefix (3), section (2) and number (4), 14 characters."""

import re
from collections.abc import Iterable
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

_ID = re.compile(r"((?:[0-9]{2}|2[AB])[0-9]{3})([0-9]{3})([0-9A-Z]{2})([0-9]{4})")


class ParcelId(NamedTuple):
    commune_code: str
    prefix: str
    section: str
    number: str

    def __str__(self) -> str:
        return "".join(self)


def parse(text: str) -> ParcelId | None:
    """The parts of an id in upper or lower case; None if it is malformed."""
    match = _ID.fullmatch(text.upper())
    return ParcelId(*match.groups()) if match else None


def is_id(text: str) -> bool:
    """Whether a text is an id in upper case."""
    return _ID.fullmatch(text) is not None


KEYS_OF_COMMUNE = 1000 * 1296 * 10_000
"""A key divided by this number stands for the commune."""


def to_key(parcel_id: str) -> int:
    """The id as a number below 2^63, for SQLite's R*Tree, which only has numeric row ids."""
    commune, prefix, section, number = parcel_id[:5], parcel_id[5:8], parcel_id[8:10], parcel_id[10:]
    return ((int(commune, 36) * 1000 + int(prefix)) * 1296 + int(section, 36)) * 10_000 + int(number)


def from_key(key: int) -> str:
    """The inverse of `to_key`."""
    key, number = divmod(key, 10_000)
    return f"{_section_from_key(key)}{number:04}"


ParcelKeys = np.ndarray[tuple[int], np.dtype[np.int64]]
"""Keys in order: eight bytes for a parcel."""


def keys_of(parcel_ids: Iterable[str]) -> ParcelKeys:
    return np.sort(np.fromiter(map(to_key, parcel_ids), np.int64))


def among(keys: Iterable[int], chosen: ParcelKeys) -> list[int]:
    """The keys that are among the chosen ones."""
    found = np.fromiter(keys, np.int64)
    first, last = (np.searchsorted(chosen, found, side) for side in ("left", "right"))
    chosen_keys: list[int] = found[first < last].tolist()
    return chosen_keys


@lru_cache(maxsize=10_000)
def _section_from_key(key: int) -> str:
    """The first ten characters of the ids of a section's parcels."""
    key, section = divmod(key, 1296)
    commune, prefix = divmod(key, 1000)
    return f"{_base36(commune, 5)}{prefix:03}{_base36(section, 2)}"


def _base36(value: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        value, digit = divmod(value, 36)
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + digits
    return digits


commune_to_key = partial(int, base=36)
"""The code of a commune as a number. A parcel's key starts with it: see KEYS_OF_COMMUNE."""


def commune_from_key(key: int) -> str:
    return _base36(key, 5)


def commune_of(parcel_id: str) -> str:
    return parcel_id[:5]
