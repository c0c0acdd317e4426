"""Divisions as DXF and GeoPackage: what the files contain, their price, and their replays."""

from pathlib import Path
from typing import Any

import httpx
import pyogrio  # type: ignore[import-untyped]
import pytest
import shapely
from fakes import Refusal
from pyproj import CRS
from running_edge import Edge
from shapely import LineString, Point, Polygon, box
from shapely.geometry.base import BaseGeometry

from edge.batches.geopackage import GEOPACKAGE
from edge.divisions.files import DXF
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.land.v1 import land_pb2

DIVIDE = "/api/v1/assistant/divide-land"
BODY = {"parcel_ids": ["00001000AA0001"]}
LEFT, RIGHT = box(700_000, 6_600_000, 700_020, 6_600_030), box(700_020, 6_600_000, 700_040, 6_600_030)


def geojson(shape: BaseGeometry) -> bytes:
    return shapely.to_geojson(shape).encode()


def lot(identifier: str, shape: Polygon, **values: Any) -> pb.Lot:
    side = pb.LotSide(length_m=30.0, kind="neighbour", geometry=geojson(LineString(shape.exterior.coords[:2])))
    return pb.Lot(id=identifier, geometry=geojson(shape), area_m2=shape.area, sides=[side], **values)


@pytest.fixture(autouse=True)
def drawing(edge: Edge) -> pb.Drawing:
    edge.assistant.prompt.provider = "rules"
    edge.assistant.drawing = pb.Drawing(
        projection=2154,
        projection_name="RGF93 v1 / Lambert-93",
        projection_wkt=CRS.from_epsg(2154).to_wkt("WKT1_GDAL"),
        generated_at="2026-11-20T10:00:00Z",
        place="Exempleville",
        parcels=[pb.DrawnParcel(parcel_id="00001000AA0001", cadastral_area_m2=1200.0)],
        land_unit=geojson(shapely.union(LEFT, RIGHT)),
        frontage=geojson(shapely.MultiLineString([[(700_000, 6_600_000), (700_040, 6_600_000)]])),
        buildings=[geojson(box(700_001, 6_600_001, 700_009, 6_600_009))],
        restrictions=[
            pb.DrawnRestriction(kind="easement", code="AC1", label="Abords", geometry=geojson(LEFT)),
            pb.DrawnRestriction(kind="prescription", code="99", geometry=geojson(Point(700_001, 6_600_001))),
            pb.DrawnRestriction(kind="prescription", code="07", label="Haie"),
        ],
        proposals=[
            pb.Proposal(
                rank=1,
                method="perpendicular_cut",
                metrics=pb.ProposalMetrics(score=0.75, score_terms=[pb.ScoreTerm(name="balance", value=1, weight=0.5)]),
                lots=[
                    lot("A", LEFT, violations=["small_lot", "landlocked"], mean_slope_percent=2.5),
                    lot("B", RIGHT, buildable_envelope=geojson(RIGHT.buffer(-3))),
                ],
                shared_way=pb.SharedWay(geometry=geojson(LEFT), area_m2=600, width_m=5),
            ),
            pb.Proposal(rank=2, method="parallel_cut", lots=[lot("A", LEFT)]),
        ],
        sources=[land_pb2.Source(id="dvf", dataset="DVF", edition="2026-04")],
    )
    drawing: pb.Drawing = edge.assistant.drawing
    return drawing


async def ask(edge: Edge, accept: str, query: str = "", **headers: str) -> httpx.Response:
    response: httpx.Response = await edge.post(DIVIDE + query, BODY, headers={"accept": accept, **headers})
    return response


def rows(file: Path, layer: str) -> list[dict[str, Any]]:
    """The rows of a layer, their shapes as `geom`."""
    meta, _, shapes, fields = pyogrio.raw.read(file, layer=layer)
    columns = dict(zip(meta["fields"], fields, strict=True))
    count = len(next(iter(columns.values()))) if columns else len(shapes)
    attributes = [{name: values[index] for name, values in columns.items()} for index in range(count)]
    return [
        {**row, "geom": None if shapes is None else shapely.from_wkb(shapes[i])} for i, row in enumerate(attributes)
    ]


async def test_a_geopackage_has_all_proposals_in_the_legal_projection(edge: Edge, tmp_path: Path) -> None:
    response = await ask(edge, GEOPACKAGE)
    assert (response.status_code, response.headers["content-type"]) == (200, GEOPACKAGE)
    assert response.headers["content-disposition"] == 'attachment; filename="division-00001000AA0001.gpkg"'
    file = tmp_path / "division.gpkg"
    file.write_bytes(response.content)
    layers = {str(name): kind for name, kind in pyogrio.list_layers(file)}
    assert layers == {
        "land_unit": "MultiPolygon", "parcels": "MultiPolygon", "frontage": "MultiLineString",
        "buildings": "MultiPolygon", "prescriptions": "Unknown", "easements": "Unknown", "lots": "MultiPolygon",
        "sides": "MultiLineString", "envelopes": "MultiPolygon", "shared_ways": "MultiPolygon",
        "proposals": None, "score_terms": None, "checks": None, "sources": None, "about": None,
    }  # fmt: skip
    info = pyogrio.read_info(file, layer="lots", force_total_bounds=True)
    assert (info["crs"], list(info["total_bounds"])) == ("EPSG:2154", [700_000, 6_600_000, 700_040, 6_600_030])
    lots = rows(file, "lots")
    assert [(row["proposal"], row["id"], row["geom"].area) for row in lots] == [
        (1, "A", 600),
        (1, "B", 600),
        (2, "A", 600),
    ]
    assert (lots[0]["violations"], lots[0]["mean_slope_percent"]) == ("small_lot; landlocked", 2.5)
    assert next((row["lot"], row["length_m"], row["geom"].length) for row in rows(file, "sides")) == ("A", 30.0, 30.0)
    assert [row["lot"] for row in rows(file, "envelopes")] == ["B"]
    assert [(row["code"], row["geom"]) for row in rows(file, "prescriptions")] == [
        ("99", Point(700_001, 6_600_001)), ("07", None),
    ]  # fmt: skip
    assert [row["label"] for row in rows(file, "easements")] == ["Abords"]
    assert [row["geom"] for row in rows(file, "parcels")] == [None]
    assert [row["score"] for row in rows(file, "proposals")] == [0.75, 0.0]
    assert [row["name"] for row in rows(file, "score_terms")] == ["balance"]
    assert [row["edition"] for row in rows(file, "sources")] == ["2026-04"]
    assert {"name": "verdict", "value": "conditional", "geom": None} in rows(file, "about")


async def test_a_geopackage_without_an_outline_has_its_tables(edge: Edge, drawing: pb.Drawing, tmp_path: Path) -> None:
    drawing.ClearField("land_unit")
    del drawing.proposals[:]
    file = tmp_path / "division.gpkg"
    file.write_bytes((await ask(edge, GEOPACKAGE)).content)
    assert (len(pyogrio.list_layers(file)), rows(file, "lots")) == (15, [])


async def test_a_dxf_has_the_proposal_that_the_query_names(edge: Edge, drawing: pb.Drawing) -> None:
    for query, rank in (("", 1), ("?proposal=2", 2)):
        response = await ask(edge, DXF, query)
        assert (response.status_code, response.headers["content-type"]) == (200, DXF)
        assert response.headers["content-disposition"] == (
            f'attachment; filename="division-00001000AA0001-proposition-{rank}.dxf"'
        )
        assert response.content == bytes([rank]) + drawing.SerializeToString(deterministic=True)


@pytest.mark.parametrize("query", ["?proposal=3", "?proposal=4", "?proposal=0", "?proposal=x"])
async def test_a_proposal_that_there_is_not_is_a_problem(edge: Edge, query: str) -> None:
    response = await ask(edge, DXF, query)
    assert (response.status_code, response.headers["content-type"]) == (400, "application/problem+json")
    assert response.json()["errors"][0]["pointer"] == "/proposal"


async def test_a_dxf_without_any_proposal_shows_the_land(edge: Edge, drawing: pb.Drawing) -> None:
    del drawing.proposals[:]
    assert (await ask(edge, DXF)).status_code == 200


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "application/*",
        "application/json, application/dxf;q=0.5",
        "application/json, text/event-stream",
        "text/event-stream, application/json",
        "application/json, text/event-stream;q=0.9",
        "application/json;q=0.2, text/event-stream;q=0",
        "*/*, text/event-stream;q=0.5",
        "text/*;q=0.4, application/json;q=0.4",
        f"application/json, text/event-stream, {DXF}, {GEOPACKAGE}, application/problem+json",
        "application/problem+json",
    ],
)
async def test_json_is_the_answer_unless_another_type_weighs_more(edge: Edge, accept: str) -> None:
    response = await ask(edge, accept)
    assert (response.headers["content-type"], next(iter(response.json()))) == ("application/json", "prompt")
    assert not edge.assistant.requests[-1].with_drawing


@pytest.mark.parametrize(
    "accept",
    ["text/event-stream", "text/*", "application/json;q=0.5, text/event-stream", "*/*;q=0.1, text/event-stream"],
)
async def test_events_are_sent_if_they_weigh_more(edge: Edge, accept: str) -> None:
    response = await ask(edge, accept)
    assert response.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize("accept", ["application/pdf", "image/png, text/html", "application/json;q=0"])
async def test_a_type_that_is_not_offered_is_refused_before_any_work(edge: Edge, accept: str) -> None:
    response = await ask(edge, accept)
    assert (response.status_code, response.json()["code"]) == (406, "not_acceptable")
    assert not edge.land.requests
    assert not edge.assistant.requests


async def test_a_file_that_cannot_be_written_is_a_problem(edge: Edge) -> None:
    edge.assistant.file_failure = Refusal("upstream_failed")
    response = await ask(edge, DXF)
    assert (response.status_code, response.json()["code"]) == (502, "upstream_failed")
