"""Parcels of the cadastre."""

from typing import NamedTuple


class ParcelRecord(NamedTuple):
    """One parcel of the cadastre."""

    commune_code: str
    parcel_id: str
    prefix: str
    section: str
    number: str
    """Padded as in the id: prefix 3, section 2, number 4."""
    cadastral_area_m2: int | None
    """Contenance."""
    is_surveyed: bool | None
    created_on: str | None
    updated_on: str | None
    geometry: bytes | None
    """A valid Polygon or MultiPolygon."""
    is_repaired: bool
    """The published rings were invalid and were repaired."""
    geometric_area_m2: float | None = None
    """The area of the outline on the ground, to one decimal. `parcel_rows` computes it."""


class ParcelOutline(NamedTuple):
    """A parcel of the plan, where only its outline is of interest."""

    parcel_id: str
    geometry: bytes


class RetiredParcelRecord(NamedTuple):
    """A parcel that a newer edition of the plan no longer has."""

    parcel_id: str
    last_edition: str
    """The last edition that had it."""
    geometry: bytes | None
    """As in that edition."""


class TerritoryRecord(NamedTuple):
    """The outline of a commune in the plan."""

    commune_code: str
    is_repaired: bool
    geometry: bytes
    """A valid Polygon or MultiPolygon."""
