"""A fact of a dataset as a partner sees it: what is compared when a newer edition replaces a partition."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

FactKind = Literal["sale", "permit", "plan", "easement", "prescription", "risk", "lineage"]


class Fact(NamedTuple):
    kind: FactKind
    key: str
    """Two different facts of a kind at one place are the same fact before and after, if they have the same key."""
    value: Mapping[str, object]
    """What partners get. It has no numbers that a publisher gives anew in each edition."""
    place: str = ""
    """A parcel id or a commune code; empty if the fact has a geometry."""
    geometry: bytes = b""
    """WKB: the fact is about the parcels that it covers or meets."""


def values_of(row: NamedTuple, names: tuple[str, ...]) -> dict[str, object]:
    """The fields of a row with these names."""
    return {name: getattr(row, name) for name in names}
