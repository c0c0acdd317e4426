"""Buildings."""

from typing import NamedTuple


class BuildingRecord(NamedTuple):
    """One building as one source has it: an outline of the cadastre, a bâtiment of BD TOPO, a building of the RNB."""

    dataset: str
    """The id of the dataset that has it."""
    unit_code: str
    """A commune for the cadastre; the département that its publisher files it under for BD TOPO and the RNB."""
    building_id: str
    """The publisher's; of the cadastre, which has none, one made from the outline."""
    rnb_ids: str
    """Ids of the national register that it is known by, joined by `|`; empty without one."""
    is_light: bool | None
    """Construction légère: no foundations, or open on a side."""
    height_m: float | None
    storeys: int | None
    """The ground floor included."""
    usage: str | None
    """The publisher's words, in French."""
    dwelling_count: int | None
    construction_year: int | None
    plots: str
    """`parcel:ratio` joined by `|`: the share of the building on each parcel, where the source says it."""
    geometry: bytes
    """A valid Polygon or MultiPolygon; a Point where the source has no outline."""
    is_repaired: bool
