"""The collections of OGC API Features: what a filter can name in each, and the date that `datetime` selects.

The enum `FeatureCollection` names them, and the messages `Mapped…` have the members of their features.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Collection(NamedTuple):
    queryables: Sequence[str]
    """The members that an index of the store answers. All are texts."""
    date: str = ""
    """The member that `datetime` selects; empty without one."""


COLLECTIONS: Mapping[str, Collection] = {
    "parcels": Collection(("commune_code", "parcel_id")),
    "buildings": Collection(("partition",)),
    "zones": Collection(("partition",), "approved_on"),
    "prescriptions": Collection(("partition",), "approved_on"),
    "sales": Collection(("commune_code",), "date_mutation"),
    "permits": Collection(("commune_code", "parcel_id"), "date_reelle_autorisation"),
    "addresses": Collection(("commune_code",)),
}
PROJECTIONS = (2154, 2972, 2975, 4467, 4471, 5490)
"""EPSG codes of the legal projections of France. Their first axis is the easting."""
