"""Rows that the store returns to resolve addresses. Points are WGS84 degrees, None where BAN publishes none."""

from typing import NamedTuple


class AddressCommune(NamedTuple):
    """A commune with published addresses or lieux-dits."""

    code: str
    name: str
    postcodes: tuple[str, ...]
    former_names: tuple[str, ...]
    """Names of the communes that merged into it."""
    lon: float | None
    lat: float | None
    address_count: int


class Street(NamedTuple):
    commune_code: str
    id: str
    name: str
    search_names: tuple[str, ...]
    """Canonical forms of its names, see `land.normalise`."""
    postcodes: tuple[str, ...]
    is_locality: bool
    lon: float | None
    lat: float | None
    address_count: int = 0
    former_commune: str = ""
    """Name of the commune that contained it before a merger."""


class HouseNumberPoint(NamedTuple):
    """A published number of a street."""

    ban_id: str
    number: int
    suffix: str
    postcode: str
    lon: float | None
    lat: float | None
    parcel_ids: tuple[str, ...]


def ban_id(street_id: str, number: int, suffix: str, published: str | None) -> str:
    """The interoperability key of an address: as published, else composed of its parts as BAN does."""
    return published or f"{street_id}_{number:05}" + (f"_{suffix}" if suffix else "")
