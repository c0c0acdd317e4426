"""Buildings."""

from typing import NamedTuple


class BuildingRecord(NamedTuple):
    """One building as one source has it: an outline of the cadastre, a bâtiment of BD TOPO, a building of the RNB."""

    dataset: str
    """The id of the dataset."""
    partition: str
    """The commune for the cadastre; for BD TOPO and the RNB, the département of the published file."""
    building_id: str
    """The publisher's. The cadastre has none: one is made from the outline."""
    geometry: bytes
    """A valid Polygon or MultiPolygon; a Point if the source has no outline."""
    is_repaired: bool
    rnb_ids: str = ""
    """The ids in the national register, joined by `|`; empty without one."""
    is_light: bool | None = None
    """Construction légère: no foundations, or open on a side."""
    height_m: float | None = None
    storeys: int | None = None
    """The ground floor included."""
    usage: str | None = None
    """The publisher's words, in French."""
    dwelling_count: int | None = None
    construction_year: int | None = None
    plots: str = ""
    """`parcel:ratio` joined by `|`: the share of the building on each parcel, if the source has it."""
