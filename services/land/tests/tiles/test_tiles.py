"""Tiles of a map: what they draw, for whom, and that both stores draw the same."""

from collections.abc import Iterator
from math import asinh, pi, radians, tan
from typing import Any, NamedTuple

import pytest
import shapely
from land_builders import (
    COMMUNE,
    PARTITION,
    building,
    dvf_row,
    easement,
    load,
    lon_lat,
    on_sqlite,
    parcel,
    prescription,
    risk_zone,
    square,
    territory_of,
    zone,
)
from shapely.geometry import LineString, Point, Polygon, box
from shapely.geometry.base import BaseGeometry
from sqlalchemy import Engine

from land.pipeline import Pipeline
from land.rpc.vector_tile import encode
from land.tiles import drawing
from land.tiles.drawing import LAYERS
from land.tiles.grid import EXTENT, Tile
from landpartner.land.v1 import vector_tile_pb2 as pb
from servicekit.errors import InvalidPayload

ZOOM = 17
_LINE_TO, _CLOSE_PATH = 2, 7


def tile_at(x: float, y: float, zoom: int = ZOOM) -> Tile:
    """The tile of a point in metres from the origin."""
    lon, lat = lon_lat(x, y)
    column, row = (lon + 180) / 360, (1 - asinh(tan(radians(lat))) / pi) / 2
    return Tile(zoom, int(column * 2**zoom), int(row * 2**zoom))


class Answer(NamedTuple):
    version: str
    content: bytes | None


def tile_of(store: Engine, layer: str, tile: Tile | None = None, scope: Any = "all", etag: str = "") -> Any:
    place = tile or tile_at(5, 5)
    answer = Pipeline(store).tile(layer, place, scope, etag)
    return Answer(answer.version, None if answer.drawings is None else encode(place, answer.drawings))


def read(content: bytes) -> dict[str, list[tuple[dict[str, Any], Any]]]:
    """The properties and the geometry in units of the tile of each feature, by layer."""
    layers = pb.Tile.FromString(content).layers
    return {layer.name: [_feature(layer, feature) for feature in layer.features] for layer in layers}


def _feature(layer: pb.Layer, feature: pb.Feature) -> tuple[dict[str, Any], BaseGeometry]:
    tags = list(feature.tags)
    values = [getattr(value, value.WhichOneof("value") or "") for value in layer.values]
    properties = {layer.keys[key]: values[value] for key, value in zip(tags[::2], tags[1::2], strict=True)}
    lines = list(_lines(list(feature.geometry)))
    if feature.type == pb.GEOM_TYPE_POINT:
        return properties, Point(lines[0][0])
    polygons: list[tuple[Any, list[Any]]] = []
    for ring in map(shapely.LinearRing, lines):
        if not ring.is_ccw:  # rows run south: a ring that looks clockwise is not in these coordinates
            polygons[-1][1].append(ring)
        else:
            polygons.append((ring, []))
    return properties, shapely.MultiPolygon([Polygon(outer, holes) for outer, holes in polygons])


def _lines(commands: list[int]) -> Iterator[list[tuple[int, int]]]:
    at, x, y = 0, 0, 0
    line: list[tuple[int, int]] = []
    while at < len(commands):
        name, count = commands[at] & 7, commands[at] >> 3
        at += 1
        if name == _CLOSE_PATH:
            continue
        if name != _LINE_TO and line:
            yield line
            line = []
        for _ in range(count):
            dx, dy = ((number >> 1) ^ -(number & 1) for number in commands[at : at + 2])
            x, y, at = x + dx, y + dy, at + 2
            line.append((x, y))
    yield line


def units_per_metre(tile: Tile) -> float:
    box_ = tile.box(buffer=0)
    return EXTENT / ((box_.north - box_.south) * 111_200)


def test_parcels_have_their_place_shape_and_number(store: Engine) -> None:
    tile = tile_at(5, 5)
    ring = Polygon(square(0, 0).exterior.coords, [box(5, 5, 10, 10).exterior.coords])
    load(store, "cadastre-parcels", COMMUNE, [parcel(7, ring, square(30, 0)), parcel(12, square(0, 20), section="0C")])
    load(store, "cadastre-communes", COMMUNE, [territory_of(COMMUNE, square(-1000, -1000, 2000, 2000))])
    layers = read(tile_of(store, "parcels", tile).content)
    assert [properties for properties, _ in layers["parcels"]] == [
        {"id": f"{COMMUNE}0000C0012", "section": "C", "number": "12"},
        {"id": f"{COMMUNE}000AB0007", "section": "AB", "number": "7"},
    ]
    scale = units_per_metre(tile)
    shape = layers["parcels"][1][1]
    assert [len(part.interiors) for part in shape.geoms] == [1, 0]
    assert shape.area == pytest.approx((400 - 25 + 400) * scale**2, rel=0.02)
    lon, lat = lon_lat(10, 10)
    middle = tile.project(shapely.get_coordinates(Point(lon, lat)))[0]
    assert shape.geoms[0].convex_hull.centroid.distance(Point(middle)) < 2
    [(of_number, point), _] = layers["numbers"]
    assert of_number == {"number": "12"}
    assert layers["parcels"][0][1].contains(point)
    [(of_commune, ground)] = layers["communes"]
    assert of_commune == {"code": COMMUNE}
    assert ground.bounds == (-64, -64, EXTENT + 64, EXTENT + 64)
    assert ground.contains(shape)


def test_a_tile_has_what_crosses_its_border(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(-400, -400, 800, 800)), parcel(2, square(600, 0))])
    [(_, whole)] = read(tile_of(store, "parcels").content)["parcels"]
    assert whole.bounds == (-64, -64, EXTENT + 64, EXTENT + 64)
    assert tile_of(store, "parcels", tile_at(5_000, 0)).content == b""


@on_sqlite
def test_a_number_is_in_one_tile_alone(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(-400, -400, 800, 800))])
    middle = tile_at(0, 0)
    around = [Tile(ZOOM, middle.column + dx, middle.row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    numbers = [read(tile_of(store, "parcels", tile).content).get("numbers", []) for tile in around]
    assert len([number for number in numbers if number]) == 1


@on_sqlite
def test_buildings_are_those_of_one_source(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    load(
        store,
        "bdtopo",
        "18",
        [building("b", square(2, 2), partition="18"), building("c", square(50, 2), partition="18")],
    )
    assert len(read(tile_of(store, "buildings").content)["buildings"]) == 2
    load(store, "cadastre-buildings", COMMUNE, [building("a", square(2, 2), is_light=True)])
    assert [properties for properties, _ in read(tile_of(store, "buildings").content)["buildings"]] == [
        {"is_light": True}
    ]


def test_zones_sales_and_risk_zones_are_drawn(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    load(store, "gpu-zones", PARTITION, [zone("UB", square(-100, -100, 300, 300))])
    load(store, "dvf", COMMUNE, [dvf_row(f"{COMMUNE}000AB0001")], part="2021")
    load(store, "pprn-zones", COMMUNE[:2], [risk_zone("R1", square(-50, -50, 100, 100))])
    [(of_zone, _)] = read(tile_of(store, "zones").content)["zones"]
    assert of_zone == {"label": "UB", "zone_type": "U", "partition": PARTITION}
    [(sold, point)] = read(tile_of(store, "sales").content)["sales"]
    assert sold == {
        "id_mutation": "2021-1", "date_mutation": "2021-05-06", "kind": "house", "price_eur": 250_000,
        "price_eur_per_m2": 2_777.78,
    }  # fmt: skip
    [(of_risk, _)] = read(tile_of(store, "risks").content)["risks"]
    assert of_risk == {
        "plan_id": "18DDT20130005",
        "subject": "natural_risk_plan",
        "code": "R1",
        "regulation": "forbidden",
    }
    assert point.distance(Point(tile_at(5, 5).project(shapely.get_coordinates(Point(lon_lat(10, 10))))[0])) < 1


@on_sqlite
def test_prescriptions_and_easements_are_drawn_lines_as_strips(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    strip = LineString([(-20, 5), (40, 5)])
    load(store, "gpu-prescriptions", PARTITION, [prescription("Recul", strip)])
    load(store, "gpu-sup", "SUP_18_AC1", [easement("Clocher", square(-50, -50, 200, 200))], part="surface")
    drawn = {feature["label"]: (feature["kind"], shape) for feature, shape in _restrictions(store)}
    assert {label: kind for label, (kind, _) in drawn.items()} == {
        "Recul": "prescription",
        "AC1 Clocher": "easement",
    }
    assert 0 < drawn["Recul"][1].area < drawn["AC1 Clocher"][1].area
    assert _restrictions(store, "demo") == []


def _restrictions(store: Engine, scope: str = "all") -> list[tuple[dict[str, Any], Any]]:
    return read(tile_of(store, "restrictions", scope=scope).content).get("restrictions", [])


@on_sqlite
def test_a_known_version_has_no_content_until_a_load_changes_it(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    first = tile_of(store, "parcels")
    assert tile_of(store, "parcels", etag=first.version) == (first.version, None)
    load(store, "cadastre-parcels", COMMUNE, [parcel(2, square(0, 0))])
    second = tile_of(store, "parcels", etag=first.version)
    assert second.version != first.version
    assert second.content


@on_sqlite
def test_test_keys_see_only_the_demo(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    load(store, "gpu-zones", PARTITION, [zone("UB", square(-100, -100, 300, 300))])
    load(store, "cadastre-buildings", COMMUNE, [building("a", square(2, 2))])
    load(store, "dvf", COMMUNE, [dvf_row(f"{COMMUNE}000AB0001")], part="2021")
    load(store, "pprn-zones", COMMUNE[:2], [risk_zone("R1", square(-50, -50, 100, 100))])
    for layer in LAYERS:
        assert tile_of(store, layer, scope="demo").content == b"", layer
    assert tile_of(store, "parcels", scope="demo").version != tile_of(store, "parcels").version


@on_sqlite
def test_a_tile_without_the_demo_is_not_read_for_a_test_key(store: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    monkeypatch.setattr(drawing, "outlines_in_boxes", None)
    assert tile_of(store, "parcels", scope="demo").content == b""


@on_sqlite
@pytest.mark.parametrize(
    ("layer", "tile", "pointer"),
    [
        ("roads", Tile(18, 0, 0), "/layer"),
        ("parcels", Tile(13, 0, 0), "/z"),
        ("zones", Tile(19, 0, 0), "/z"),
        ("parcels", Tile(14, 2**14, 0), "/x"),
    ],
)
def test_a_tile_that_does_not_exist_is_refused(store: Engine, layer: str, tile: Tile, pointer: str) -> None:
    with pytest.raises(InvalidPayload) as refused:
        tile_of(store, layer, tile)
    assert [violation.pointer for violation in refused.value.violations] == [pointer]


@on_sqlite
def test_rings_that_are_too_small_for_the_grid_are_left_out(store: Engine) -> None:
    tile = tile_at(5, 5, 14)
    holed = Polygon(square(0, 0).exterior.coords, [box(5, 5, 5.1, 5.1).exterior.coords])
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0.2, 0.2, 0.1, 0.1)), parcel(2, holed)])
    [(properties, shape)] = read(tile_of(store, "parcels", tile).content)["parcels"]
    assert properties["number"] == "2"
    assert not shape.geoms[0].interiors
