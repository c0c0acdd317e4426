"""Roads, paths, railways and water of BD TOPO: the reader, and what a land unit says of its boundary."""

import json
from typing import Any

import pytest
import shapely
from land_builders import COMMUNE, land_unit, load, lon_lat, parcel, square, territory_of
from published_files import BOX
from shapely import LineString
from shapely.geometry import box
from shapely.geometry.base import BaseGeometry
from sqlalchemy import Engine
from written_files import Writer

from land.datasets.partitions import Partition
from land.datasets.ways.reader import LAYERS, Ways
from land.datasets.ways.records import WayKind, WayRecord
from land.errors import WrongHeader
from land.sources.base import CommuneFilter, PartitionRequest, ReadReport

READER = Ways("https://mirror.example/wfs")
ROAD = {
    "cleabs": "TRONROUT1", "nature": "Route à 1 chaussée", "position_par_rapport_au_sol": "0", "fictif": False,
    "etat_de_l_objet": "En service", "largeur_de_chaussee": 5.0, "prive": False, "acces_vehicule_leger": "Libre",
}  # fmt: skip
RAILWAY = {"cleabs": "TRONFERR1", "position_par_rapport_au_sol": "0", "nombre_de_voies": 2}
WATER = {"cleabs": "SURFHYDR1", "position_par_rapport_au_sol": "0", "persistance": "Permanent"}
LINE = {"type": "LineString", "coordinates": [[2.4, 47.08, 130.0], [2.401, 47.08, 130.0]]}
SURFACE = {"type": "Polygon", "coordinates": [[[2.4, 47.0], [2.5, 47.0], [2.5, 47.1], [2.4, 47.0]]]}
LOT = f"{COMMUNE}000AB0001"


def read(write: Writer, properties: dict[str, Any], geometry: Any = LINE) -> list[tuple[Partition, WayRecord]]:
    feature = {"type": "Feature", "geometry": geometry, "properties": properties}
    path = write("ways.json", json.dumps({"type": "FeatureCollection", "features": [feature]}))
    return list(READER.read(path, ReadReport("ways.json"), CommuneFilter(COMMUNE)))


@pytest.mark.parametrize(
    ("properties", "geometry", "part", "kind", "half_width_m"),
    [
        (ROAD, LINE, "roads", "road", 2.5),
        (ROAD | {"largeur_de_chaussee": None}, LINE, "roads", "road", 2.5),
        (ROAD | {"nature": "Sentier"}, LINE, "roads", "path", 2.5),
        (ROAD | {"prive": True, "largeur_de_chaussee": 3.0}, LINE, "roads", "path", 1.5),
        (ROAD | {"nature": "Type autoroutier", "largeur_de_chaussee": 14.0}, LINE, "roads", "motorway", 7.0),
        (RAILWAY, LINE, "railways", "railway", 4.0),
        (WATER, SURFACE, "waters", "water", 0.0),
        (WATER | {"fictif": False}, LINE, "streams", "water", 1.5),
    ],
)
def test_a_feature_is_read_as_its_columns_say(
    write: Writer, properties: dict[str, Any], geometry: Any, part: str, kind: WayKind, half_width_m: float
) -> None:
    [(partition, record)] = read(write, properties, geometry)
    assert (partition, record.kind, record.half_width_m) == (Partition(COMMUNE, part), kind, half_width_m)


@pytest.mark.parametrize(
    "change",
    [
        {"position_par_rapport_au_sol": "1"}, {"fictif": True}, {"etat_de_l_objet": "En projet"},
        {"nature": "Bac ou liaison maritime"},
    ],
)  # fmt: skip
def test_a_bridge_a_fictive_line_a_project_and_a_ferry_bound_nothing(write: Writer, change: dict[str, Any]) -> None:
    assert read(write, ROAD | change) == []


def test_a_file_without_the_level_is_refused_by_the_name_of_the_column(write: Writer) -> None:
    with pytest.raises(WrongHeader, match="POSITION_PAR_RAPPORT_AU_SOL"):
        read(write, {"cleabs": "TRONROUT1", "largeur_de_chaussee": 5.0})


def test_each_layer_is_asked_for_around_the_commune_with_latitude_first() -> None:
    urls = READER.urls(PartitionRequest(COMMUNE, COMMUNE, lambda: (0, 0), lambda _: b"", lambda _: BOX))
    assert [READER.asked_partition(url, COMMUNE) for url in urls] == [Partition(COMMUNE, p) for p in LAYERS.values()]
    assert all("bbox=47.08%2C2.301%2C47.081%2C2.34%2Curn%3A" in url for url in urls)
    assert "startIndex=5000" in str(READER.page_url(urls[0], ReadReport("", row_count=5_000)))


@pytest.fixture
def river_lot(store: Engine) -> Engine:
    """A lot of 20 m by 20 m with a parcel to its west: no parcel touches its other sides."""
    outlines = [
        square(0, 0),
        square(-20, 0),
        square(-60, -60, 160, 40),
        square(60, 0, 40, 60),
        square(-60, 50, 160, 20),
    ]
    load(store, "cadastre-parcels", COMMUNE, [parcel(number, outline) for number, outline in enumerate(outlines, 1)])
    load(store, "cadastre-communes", COMMUNE, [territory_of(COMMUNE, box(-300, -300, 300, 300))])
    return store


def way(kind: WayKind, half_width_m: float, shape: BaseGeometry) -> WayRecord:
    return WayRecord(kind, half_width_m, shapely.to_wkb(shapely.transform(shape, lon_lat_of)))


def lon_lat_of(points: Any) -> Any:
    return [lon_lat(*point) for point in points]


def bounds_of(store: Engine) -> dict[str, float]:
    land = land_unit(store, LOT).land
    assert land is not None
    return {bound.kind: bound.length_m for bound in land.bounds}


def test_only_the_side_on_a_road_is_frontage(river_lot: Engine) -> None:
    assert land_unit(river_lot, LOT).land.frontage_m == pytest.approx(60, abs=0.1)  # type: ignore[union-attr]
    assert bounds_of(river_lot) == {}, "nothing is said before the roads are loaded"
    load(river_lot, "bdtopo-ways", COMMUNE, [way("water", 0, box(25, -20, 55, 60))], part="waters")
    assert bounds_of(river_lot) == {}
    road, hidden = LineString([(-60, -10), (100, -10)]), LineString([(-60, -62), (100, -62)])
    load(river_lot, "bdtopo-ways", COMMUNE, [way("road", 3, road), way("path", 1, hidden)], part="roads")
    assert bounds_of(river_lot) == pytest.approx({"road": 20, "water": 20, "open_ground": 20}, abs=0.1)
    assert land_unit(river_lot, LOT).land.frontage_m == pytest.approx(20, abs=0.1)  # type: ignore[union-attr]


def test_a_road_behind_a_parcel_or_far_away_bounds_nothing(river_lot: Engine) -> None:
    behind, far = LineString([(-30, -60), (-30, 60)]), LineString([(-60, -19), (100, -19)])
    load(river_lot, "bdtopo-ways", COMMUNE, [way("road", 3, behind), way("road", 3, far)], part="roads")
    assert bounds_of(river_lot) == pytest.approx({"open_ground": 60}, abs=0.1)
