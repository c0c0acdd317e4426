"""Farmed parcels that were declared for aid."""

from typing import NamedTuple


class FieldRecord(NamedTuple):
    """One farmed parcel of the register, near the parcels of a commune."""

    crop_code: str
    """CODE_CULTU, three letters."""
    crop_group: str | None
    """CODE_GROUP, from 1 to 28."""
    is_repaired: bool
    geometry: bytes


class DeclaredField(NamedTuple):
    """A farmed parcel with the commune near which it lies, and the year of its declaration."""

    partition: str
    year: str
    """Empty if the file did not state it."""
    crop_code: str
    crop_group: str | None
    geometry: bytes
