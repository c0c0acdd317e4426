"""The collections of OGC API Features: what a filter can name in each, and the date that `datetime` selects. And the
members of the facts of events that are columns of a file.

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
SALE_FACT = (
    "date_mutation", "nature_mutation", "valeur_fonciere", "type_local", "lot_count", "surface_reelle_bati",
    "surface_terrain", "nombre_pieces_principales", "adresse_numero", "adresse_suffixe", "adresse_nom_voie",
    "code_postal", "nom_commune",
)  # fmt: skip
"""The members of a sale in an event. The id of the mutation is missing: the publisher gives it anew in each edition."""
PERMIT_FACT = (
    "type_dau", "etat_dau", "date_reelle_autorisation", "date_reelle_doc", "date_reelle_daact",
    "nature_projet_declaree", "nature_projet_completee", "destination_principale", "superficie_terrain",
)  # fmt: skip
"""The members of a permit in an event, besides its series and number."""
