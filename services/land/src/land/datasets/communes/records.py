"""Communes: the lists of INSEE, postcodes, and the outlines that the cadastre draws."""

from typing import NamedTuple


class CommuneRecord(NamedTuple):
    """One line of INSEE's list of communes."""

    kind: str
    """COM, ARM (arrondissement), COMD (déléguée) or COMA (associée)."""
    code: str
    name: str
    parent_code: str
    """The commune that contains it; empty for COM."""


class MovementRecord(NamedTuple):
    """One line of INSEE's list of changes of communes since 1943: the commune before and the commune after."""

    effective_on: str
    change: str
    """INSEE's MOD, such as 32 for a commune nouvelle."""
    old_kind: str
    old_code: str
    """Empty if no commune existed before."""
    old_name: str
    new_kind: str
    new_code: str
    """Empty if the commune has no successor."""
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
    """SIREN of its intercommunality with taxing powers (EPCI à fiscalité propre)."""
    population: int | None = None
