"""BD TOPO of the IGN: the ways and the water that may bound a parcel.

Written from the documentation, https://geoservices.ign.fr/bdtopo, and never tried against the service. Format: the
layers of LAYERS as GeoJSON of the WFS, or as GeoPackage. The columns tell the layer.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from land.datasets.partitions import Partition
from land.datasets.planning.layer import PAGE_FEATURES
from land.datasets.ways.records import WayKind, WayRecord
from land.sources.base import ALL, CommuneFilter, FileReader, PartitionRequest, ReadReport, Records
from land.sources.features import Feature, read_complete_features
from land.sources.geometry import ValidGeometry, make_valid

ROADS: Final = "roads"
LAYERS: Final = {
    "troncon_de_route": ROADS,
    "troncon_de_voie_ferree": "railways",
    "surface_hydrographique": "waters",
    "troncon_hydrographique": "streams",
}
"""The layers, each with its part of a commune."""
AROUND_M = 100.0
"""Beyond the commune's parcels."""
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
_COLUMNS = (("CLEABS",), ("POSITION_PAR_RAPPORT_AU_SOL",), ("LARGEUR_DE_CHAUSSEE", "NOMBRE_DE_VOIES", "PERSISTANCE"))


class Ways(FileReader):
    def urls(self, request: PartitionRequest) -> list[str]:
        west, south, east, north = request.box_commune(AROUND_M)
        query = {
            "service": "WFS",
            "version": "2.0.0",
            "request": "GetFeature",
            "outputFormat": "application/json",
            "srsName": "EPSG:4326",
            "sortBy": "cleabs",
            "count": PAGE_FEATURES,
            "startIndex": 0,
            "bbox": f"{south},{west},{north},{east},urn:ogc:def:crs:EPSG::4326",
        }
        return [f"{self._base}?{urlencode({**query, 'typeNames': f'BDTOPO_V3:{layer}'})}" for layer in LAYERS]

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        layer = url.rpartition("BDTOPO_V3%3A")[2]
        return Partition(commune, LAYERS[layer]) if commune is not None and layer in LAYERS else None

    def page_url(self, url: str, report: ReadReport) -> str | None:
        return url.replace("startIndex=0", f"startIndex={report.row_count}")

    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[WayRecord]:
        """The partition is the commune of `selection`. Without one it is that of a road; other layers state none."""
        features = read_complete_features(path, report, [layer.upper() for layer in LAYERS], _COLUMNS)

        def parse(feature: Feature) -> tuple[Partition, WayRecord] | None:
            commune = selection.commune or feature.properties.get("INSEE_COMMUNE_GAUCHE")
            if not commune or feature.geometry is None:
                raise ValueError("neither geometry nor commune may be absent: give the commune with --commune")
            if not selection.includes(commune):
                return None
            way = _way(feature.properties, make_valid(feature.geometry), report)
            return None if way is None else (Partition(commune, way[0]), way[1])

        return report.parse(features, parse)


def _way(values: Mapping[str, Any], geometry: ValidGeometry, report: ReadReport) -> tuple[str, WayRecord] | None:
    """The part and the record; None for what bounds nothing: a bridge, a tunnel, an axis inside a lake."""
    is_there = values.get("ETAT_DE_L_OBJET") not in NOT_BUILT and values.get("FICTIF") not in (True, 1)
    if str(values["POSITION_PAR_RAPPORT_AU_SOL"]) not in ON_GROUND or not is_there:
        return None
    if "LARGEUR_DE_CHAUSSEE" in values:
        kind = _road_kind(values, report)
        return None if kind is None else (ROADS, WayRecord(kind, _half(values, "LARGEUR_DE_CHAUSSEE"), geometry.wkb))
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
