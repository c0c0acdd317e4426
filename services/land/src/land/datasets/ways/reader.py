"""BD TOPO of the IGN: the ways and the water that may bound a parcel.

Written from the documentation, https://geoservices.ign.fr/bdtopo, and never tried against the service. Format: the
layers of LAYERS as GeoJSON of the WFS, or as GeoPackage. The columns tell the layer.
"""

from collections.abc import Mapping
from typing import Any, Final

from land.datasets.ways.records import WayKind, WayRecord
from land.sources.base import ReadReport
from land.sources.geometry import ValidGeometry
from land.sources.wfs import LayersAround

ROADS: Final = "roads"
LAYERS: Final = {
    "troncon_de_route": ROADS,
    "troncon_de_voie_ferree": "railways",
    "surface_hydrographique": "waters",
    "troncon_hydrographique": "streams",
}
"""The layers, each with its part of a commune."""
KINDS: Final[Mapping[str, WayKind]] = {
    "Type autoroutier": "motorway", "Bretelle": "motorway", "Route à 2 chaussées": "road", "Route à 1 chaussée": "road",
    "Rond-point": "road", "Route empierrée": "road", "Chemin": "path", "Sentier": "path", "Escalier": "path",
}  # fmt: skip
"""The kinds of roads by `nature`. Ferries bound nothing."""
NO_CARS = "Physiquement impossible"
ON_GROUND = ("0", "Gué ou radier")
NOT_BUILT = ("En projet", "En construction")
ROAD_HALF_M, TRACK_HALF_M, STREAM_HALF_M = 2.5, 2.0, 1.5
"""Our assumptions: half of a road without a width, of a track, and of water that is drawn as a line."""


class Ways(LayersAround):
    PRODUCT = "BDTOPO_V3"
    LAYERS = LAYERS
    AROUND_M = 100.0
    SORT_BY = "cleabs"
    COLUMNS = (
        ("CLEABS",),
        ("POSITION_PAR_RAPPORT_AU_SOL",),
        ("LARGEUR_DE_CHAUSSEE", "NOMBRE_DE_VOIES", "PERSISTANCE"),
    )
    COMMUNE_COLUMN = "INSEE_COMMUNE_GAUCHE"

    def record(
        self, values: Mapping[str, Any], geometry: ValidGeometry, report: ReadReport
    ) -> tuple[str, WayRecord] | None:
        """The part and the record; None for what bounds nothing: a bridge, a tunnel, an axis inside a lake."""
        is_there = values.get("ETAT_DE_L_OBJET") not in NOT_BUILT and values.get("FICTIF") not in (True, 1)
        if str(values["POSITION_PAR_RAPPORT_AU_SOL"]) not in ON_GROUND or not is_there:
            return None
        if "LARGEUR_DE_CHAUSSEE" in values:
            kind = _road_kind(values, report)
            return (
                None if kind is None else (ROADS, WayRecord(kind, _half(values, "LARGEUR_DE_CHAUSSEE"), geometry.wkb))
            )
        if "PERSISTANCE" in values:
            is_line = geometry.kind == "line"
            return "streams" if is_line else "waters", WayRecord("water", STREAM_HALF_M * is_line, geometry.wkb)
        tracks = max(1.0, 2 * _half(values, "NOMBRE_DE_VOIES", default=0.5))
        return "railways", WayRecord("railway", TRACK_HALF_M * tracks, geometry.wkb)


def _road_kind(values: Mapping[str, Any], report: ReadReport) -> WayKind | None:
    kind = KINDS.get(str(values.get("NATURE")))
    if kind is None:
        report.unknown_values["nature"] += values.get("NATURE") != "Bac ou liaison maritime"
    elif values.get("PRIVE") in (True, 1) or values.get("ACCES_VEHICULE_LEGER") == NO_CARS:
        return "path"
    return kind


def _half(values: Mapping[str, Any], column: str, default: float = ROAD_HALF_M) -> float:
    value = values.get(column)
    return value / 2 if isinstance(value, int | float) and value > 0 else default
