"""Communes: the lists of INSEE, postcodes, and the outlines that the cadastre draws."""

from typing import NamedTuple


class CommuneRecord(NamedTuple):
    """One line of INSEE's list of communes."""

    kind: str
    """COM, ARM (arrondissement), COMD (déléguée) or COMA (associée)."""
    code: str
    name: str
    parent_code: str
    """The commune that it is part of; empty for COM."""


class MovementRecord(NamedTuple):
    """One line of INSEE's list of changes of communes since 1943: what was before and what came after."""

    effective_on: str
    change: str
    """INSEE's MOD, such as 32 for a commune nouvelle."""
    old_kind: str
    old_code: str
    """Empty where a commune was made of nothing that had a code."""
    old_name: str
    new_kind: str
    new_code: str
    """Empty where nothing came after."""
    new_name: str


class PostcodesRecord(NamedTuple):
    """A present commune or arrondissement, with its postcodes."""

    code: str
    name: str
    postcodes: str
    """Joined by `|`; empty without one."""
    lon: float | None
    lat: float | None
    epci: str | None
    """SIREN of the intercommunality with taxing powers (EPCI à fiscalité propre) that it is in."""
    population: int | None = None


class TerritoryRecord(NamedTuple):
    """A commune as the plan draws it."""

    commune_code: str
    is_repaired: bool
    geometry: bytes
    """A valid Polygon or MultiPolygon."""
