"""Addresses and lieux-dits of BAN."""

from typing import NamedTuple


class AddressRecord(NamedTuple):
    """One numbered address of BAN."""

    commune_code: str
    id: str
    """Interoperability key, such as 75118_2921_00033_b."""
    street_id: str
    """The street part of the id, such as 75118_2921."""
    number: int
    suffix: str
    """As published (`bis`, `b`, `p3`), lower case; empty without one."""
    street_name: str
    street_name_afnor: str
    alias: str
    postcode: str
    commune_name: str
    old_commune_name: str
    lon: float | None
    lat: float | None
    is_certified: bool
    parcel_ids: str
    """Parcels that BAN declares, joined by `|`; empty without one."""


class LocalityRecord(NamedTuple):
    """One lieu-dit of BAN: a named place without numbers."""

    commune_code: str
    id: str
    """Interoperability key, such as 04001_b012."""
    name: str
    postcode: str
    commune_name: str
    old_commune_name: str
    lon: float | None
    lat: float | None


class AddressCommuneRow(NamedTuple):
    """A commune, from its addresses. Texts are joined by `|`, as in the following classes."""

    name: str
    postcodes: str
    former_names: str
    """Communes that it absorbed."""
    lon: float | None
    lat: float | None
    address_count: int
    geometry: bytes | None
    """The bounding box of its addresses, as WKB."""


class StreetRow(NamedTuple):
    """A street of a commune."""

    street_id: str
    name: str
    search_names: str
    """Canonical forms of its names."""
    postcodes: str
    former_commune_name: str
    lon: float | None
    lat: float | None
    address_count: int


class AddressRow(NamedTuple):
    """A number of a street of a commune."""

    street_id: str
    number: int
    suffix: str
    ban_id: str | None
    """None if it is the street's id, the number with 5 digits and the suffix, joined by `_`."""
    postcode: str
    lon: float | None
    lat: float | None
    parcel_ids: str


class LocalityRow(NamedTuple):
    """A lieu-dit of a commune."""

    locality_id: str
    name: str
    search_name: str
    """Canonical form of its name."""
    postcode: str
    commune_name: str
    former_commune_name: str
    lon: float | None
    lat: float | None


class NearbyAddress(NamedTuple):
    commune_code: str
    street_id: str
    number: int
    suffix: str
    ban_id: str | None
    postcode: str
    lon: float | None
    lat: float | None
    parcel_ids: str
    street_name: str
    commune_name: str


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
    postcodes: tuple[str, ...]
    is_locality: bool
    lon: float | None
    lat: float | None
    address_count: int = 0
    former_commune: str = ""
    """Name of the commune that contained it before a merger."""


class NamedStreet(NamedTuple):
    street: Street
    search_names: tuple[str, ...]
    """Canonical forms of its names, see `land.addresses.normalise`."""


class StreetStart(NamedTuple):
    """A place in a name of a street where a search may start."""

    words: str
    """The canonical name from there on, without stop words."""
    street_id: str
    street_type: str
    """The canonical type of the street; empty without one."""
    tier: int
    """0 for the streets with the most addresses in the largest cities, up to 3."""


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
