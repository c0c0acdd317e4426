"""GeoPackages are read by GDAL as what they say."""

import json
from pathlib import Path
from typing import Any

import httpx
import pyogrio  # type: ignore[import-untyped]
import pytest
import shapely
from running_edge import Edge

from edge.batches.geometry import blob
from edge.batches.geopackage import GEOPACKAGE

SQUARE = [[2.0, 47.0], [2.1, 47.0], [2.1, 47.1], [2.0, 47.1], [2.0, 47.0]]
HOLE = [[2.02, 47.02], [2.04, 47.02], [2.04, 47.04], [2.02, 47.02]]


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "Point", "coordinates": [2.1, 47.1, 30.0]},
        {"type": "LineString", "coordinates": SQUARE},
        {"type": "Polygon", "coordinates": [SQUARE, HOLE]},
        {"type": "MultiPoint", "coordinates": SQUARE},
        {"type": "MultiLineString", "coordinates": [SQUARE, HOLE]},
        {"type": "MultiPolygon", "coordinates": [[SQUARE, HOLE], [SQUARE]]},
        {
            "type": "GeometryCollection",
            "geometries": [{"type": "Point", "coordinates": [2.1, 47.1]}, {"type": "Polygon", "coordinates": [SQUARE]}],
        },
    ],
)
def test_a_blob_holds_the_geometry(geometry: dict[str, Any]) -> None:
    header_bytes = 40
    decoded = shapely.from_wkb(blob(geometry)[header_bytes:])
    assert decoded == shapely.force_2d(shapely.from_geojson(json.dumps(geometry)))


async def read(edge: Edge, response: httpx.Response, tmp_path: Path) -> tuple[dict[str, Any], Path]:
    assert (response.status_code, response.headers["content-type"]) == (200, GEOPACKAGE)
    file = tmp_path / "units.gpkg"
    file.write_bytes(response.content)
    assert [list(layer) for layer in pyogrio.list_layers(file)] == [["land_units", "Unknown"], ["line_errors", None]]
    return pyogrio.read_info(file, layer="land_units", force_total_bounds=True), file


async def test_many_land_units_are_a_layer_and_a_table_of_errors(edge: Edge, tmp_path: Path) -> None:
    edge.land.unit.geometry = shapely.to_geojson(shapely.Polygon(SQUARE, [HOLE])).encode()
    edge.land.unit.bbox[:] = [2.0, 47.0, 2.1, 47.1]
    edge.land.unit.land.is_contiguous = True
    edge.land.unit.land.cadastral_area_m2 = 512.5
    headers = {"x-api-key": edge.key, "content-type": "application/x-ndjson", "accept": GEOPACKAGE}
    body = b'{"id":"a","parcel_ids":["00001000AB0012"]}\n{"id":2,"parcel_ids":["x"]}\n'
    response = await edge.client.post("/api/v1/land-units/batch", content=body, headers=headers)
    info, file = await read(edge, response, tmp_path)
    assert (info["crs"], info["features"], list(info["total_bounds"])) == ("EPSG:4326", 1, [2.0, 47.0, 2.1, 47.1])
    meta, _, geometries, fields = pyogrio.raw.read(file, layer="land_units")
    row = dict(zip(meta["fields"], (values[0] for values in fields), strict=True))
    assert (row["line"], row["id"], row["parcel_ids"]) == (1, "a", "00001000AB0012")
    assert (row["is_contiguous"], row["cadastral_area_m2"]) == (True, 512.5)
    assert shapely.from_wkb(geometries[0]) == shapely.Polygon(SQUARE, [HOLE])
    meta, _, _, fields = pyogrio.raw.read(file, layer="line_errors")
    row = dict(zip(meta["fields"], (values[0] for values in fields), strict=True))
    assert (row["line"], row["id"], row["error_pointer"]) == (2, "2", "/parcel_ids/0")


async def test_one_land_unit_is_a_geopackage_or_a_table_too(edge: Edge, tmp_path: Path) -> None:
    body = {"parcel_ids": ["00001000AB0012"]}
    response = await edge.post("/api/v1/land-units/geojson", body, headers={"accept": GEOPACKAGE})
    info, _ = await read(edge, response, tmp_path)
    assert info["features"] == 1
    response = await edge.post("/api/v1/land-units/geojson", body, headers={"accept": "text/csv"})
    assert response.text.splitlines()[1].startswith("1,,200,,,,00001000AB0012,")
    response = await edge.post("/api/v1/land-units/geojson", body, headers={"accept": "*/*"})
    assert response.headers["content-type"] == "application/geo+json"
