"""The conformance classes of OGC API Features, by the requirements of OGC 17-069r4 (Part 1) and OGC 18-058r1 (Part 2).

The tests do what the OGC's own suite does, which runs on Java and is in no registry of packages that CI reaches: they
find everything by the links and the description, from the landing page on.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import numpy as np
import pytest
import shapely
from openapi_spec_validator import OpenAPIV30SpecValidator
from pyproj import Transformer
from shapely.geometry import box, shape
from shapely.geometry.base import BaseGeometry

import stacks
from contract.collections import COLLECTIONS

PART_1 = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf"
CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
ITEMS = "/collections/{collection}/items"
BOXES = {
    "the demo": (1.99, 46.99, 2.01, 47.01),
    "Greenwich": (-1.5, 50.0, 1.5, 53.0),
    "the equator": (-80.0, -5.0, -70.0, 5.0),
    "180°": (177.0, 65.0, -177.0, 70.0),
    "the North Pole": (-180.0, 85.0, 180.0, 90.0),
    "the South Pole": (-180.0, -90.0, 180.0, -85.0),
}
PERIODS = (
    "2023-06-01T00:00:00Z",
    "2023-06-01",
    "2023-01-01T00:00:00Z/2024-01-01T00:00:00Z",
    "../2023-01-01",
    "2023-01-01/..",
)


class Site:
    """The service, as a client finds it from the address of its landing page."""

    def __init__(self, root: str, client: httpx.Client) -> None:
        self.client = client
        self.landing_page = self.get(f"{root}/").json()
        [description] = self.links(self.landing_page, "service-desc")
        answered = self.get(description["href"])
        assert answered.headers["content-type"] == description["type"] == "application/vnd.oai.openapi+json;version=3.0"
        self.description = answered.json()
        [server] = self.description["servers"]
        self.root = server["url"]

    def get(self, address: str, query: Mapping[str, str] | None = None, status: int = 200) -> httpx.Response:
        response = self.client.get(address, params=query)
        assert response.status_code == status, f"{response.url}: {response.text[:300]}"
        return response

    def links(self, document: Mapping[str, Any], relation: str) -> list[dict[str, str]]:
        return [link for link in document["links"] if link["rel"] == relation]

    def items_of(self, collection: str) -> str:
        [link] = self.links(self.get(f"{self.root}/collections/{collection}").json(), "items")
        assert link["type"] == "application/geo+json"
        return link["href"]

    def page(self, collection: str, **query: str) -> dict[str, Any]:
        """A page that meets /req/core/fc-response, /fc-links, /fc-rel-type, /fc-timeStamp and /fc-numberReturned."""
        began = datetime.now(UTC)
        response = self.get(self.items_of(collection), query)
        page: dict[str, Any] = response.json()
        assert response.headers["content-type"] == "application/geo+json"
        assert page["type"] == "FeatureCollection"
        assert page["numberReturned"] == len(page["features"])
        assert began - timedelta(seconds=2) <= datetime.fromisoformat(page["timeStamp"]) <= datetime.now(UTC)
        assert self.links(page, "self")
        assert all(link["rel"] and link["type"] for link in page["links"])
        return page


@pytest.fixture(scope="module")
def site(embedded: stacks.Embedded) -> Iterator[Site]:
    key = stacks.create_key(embedded, "ogc conformance", "--mode", "test")["secret"]
    with httpx.Client(headers={"x-api-key": key}, timeout=stacks.PATIENCE_S) as client:
        yield Site(f"{embedded.url}/api/v1/ogc", client)


def crs_of(site: Site) -> list[str]:
    crs: list[str] = site.get(f"{site.root}/collections/parcels").json()["crs"]
    return crs[1:]


def test_core_landing_page_and_conformance(site: Site) -> None:
    """/req/core/root-op, /root-success, /conformance-op and /conformance-success."""
    relations = {link["rel"] for link in site.landing_page["links"]}
    assert {"service-desc", "service-doc", "conformance", "data", "self"} <= relations
    [conformance] = site.links(site.landing_page, "conformance")
    classes = site.get(conformance["href"]).json()["conformsTo"]
    assert {f"{PART_1}/core", f"{PART_1}/geojson", f"{PART_1}/oas30"} <= set(classes)
    assert "http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs" in classes


def test_oas30_definition(site: Site) -> None:
    """/req/core/api-definition-op and -success, /req/oas30/oas-definition-1 and -2, /completeness and /security."""
    OpenAPIV30SpecValidator(site.description).validate()
    assert site.root.startswith("http")
    assert site.description["info"]["contact"]["url"].startswith("http")
    [page] = site.links(site.landing_page, "service-doc")
    assert page["href"].endswith("/api/docs/public")  # the tests in a browser read the page
    assert page["type"] == "text/html"
    for path, operations in site.description["paths"].items():
        operation = operations["get"]
        assert operation["security"] == [{"apiKey": []}], path
        assert {"200", "400", "401", "429", "500"} <= operation["responses"].keys(), path
        if "{" not in path:
            site.get(site.root + path)


def test_core_parameters_are_described(site: Site) -> None:
    """/req/core/fc-limit-definition, /fc-bbox-definition and /fc-time-definition; /req/crs/fc-crs-definition."""
    parameters = {part["name"]: part for part in site.description["paths"][ITEMS]["get"]["parameters"]}
    types = {"limit": "integer", "bbox": "array", "datetime": "string", "crs": "string", "bbox-crs": "string"}
    for name, kind in types.items():
        described = parameters[name]
        assert (described["in"], described["required"], described["style"]) == ("query", False, "form")
        assert (described["explode"], described["schema"]["type"]) == (False, kind)
    assert parameters["bbox"]["schema"]["oneOf"] == [{"minItems": 4, "maxItems": 4}, {"minItems": 6, "maxItems": 6}]
    assert parameters["limit"]["schema"]["minimum"] <= parameters["limit"]["schema"]["default"]


def test_core_collections(site: Site) -> None:
    """/req/core/fc-md-op, /fc-md-success, /fc-md-links, /fc-md-items, /fc-md-extent, /sfc-md-op, /sfc-md-success."""
    [data] = site.links(site.landing_page, "data")
    document = site.get(data["href"]).json()
    assert site.links(document, "self")
    assert [collection["id"] for collection in document["collections"]] == list(COLLECTIONS)
    for collection in document["collections"]:
        assert all(link["rel"] and link["type"] for link in collection["links"])
        assert site.get(f"{site.root}/collections/{collection['id']}").json() == collection
        west, south, east, north = collection["extent"]["spatial"]["bbox"][0]
        for feature in site.page(collection["id"])["features"]:
            assert feature["geometry"] is None or box(west, south, east, north).covers(shape(feature["geometry"]))


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_core_features(site: Site, collection: str) -> None:
    """/req/core/fc-op, /fc-limit-response-1, /fc-bbox-response, /fc-time-response, /f-op, /f-success, /f-links."""
    whole = site.page(collection, limit="1000000")
    [limit] = [part for part in site.description["paths"][ITEMS]["get"]["parameters"] if part["name"] == "limit"]
    assert len(whole["features"]) <= limit["schema"]["maximum"]
    assert len(site.page(collection, limit="1")["features"]) == 1
    for place, bounds in BOXES.items():
        page = site.page(collection, bbox=",".join(map(str, bounds)))
        area = box(*bounds) if bounds[0] < bounds[2] else box(bounds[0], bounds[1], bounds[2] + 360, bounds[3])
        assert all(area.intersects(shape(feature["geometry"])) for feature in page["features"]), place
        assert bool(page["features"]) == (place == "the demo"), place
    west, south, east, north = BOXES["the demo"]
    assert site.page(collection, bbox=f"{west},{south},-10,{east},{north},500")["features"]
    for period in PERIODS:
        page = site.page(collection, datetime=period)
        since, _, until = period.partition("/")
        for feature in page["features"] if (date := COLLECTIONS[collection].date) else ():
            day = feature["properties"][date] or since[:10]
            assert since[:10].replace("..", "") <= day <= (until or since)[:10].replace("..", "9999")
        assert COLLECTIONS[collection].date or page["features"] == site.page(collection)["features"]
    first = whole["features"][0]
    feature = site.get(f"{site.items_of(collection)}/{first['id']}").json()
    assert (feature["id"], feature["geometry"]) == (first["id"], first["geometry"])
    assert site.links(feature, "self")
    assert site.links(feature, "collection")
    assert all(link["rel"] and link["type"] for link in feature["links"])


@pytest.mark.parametrize(
    "query", [{"limit": "unlimited"}, {"unknownQueryParameter": "1"}, {"bbox": "1,2"}, {"crs": "x"}]
)
def test_core_query_that_is_invalid_or_unknown(site: Site, query: dict[str, str]) -> None:
    """/req/core/query-param-invalid and /query-param-unknown; /req/crs/fc-crs-valid-value."""
    for collection in COLLECTIONS:
        site.get(site.items_of(collection), query, 400)
        site.get(site.items_of(collection), {"bbox-crs": "http://www.opengis.net/def/crs/EPSG/0/1"}, 400)


def test_crs_of_collections(site: Site) -> None:
    """/req/crs/crs-uri, /fc-md-crs-list, /fc-md-storageCrs and /fc-md-storageCrs-valid-value."""
    for collection in site.get(f"{site.root}/collections").json()["collections"]:
        assert collection["crs"][0] == collection["storageCrs"] == CRS84
        assert all(crs.startswith("http://www.opengis.net/def/crs/") for crs in collection["crs"])


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_crs_of_features(site: Site, collection: str) -> None:
    """/req/crs/crs-action, /ogc-crs-header, /ogc-crs-header-value, /fc-bbox-crs-action and /geojson."""
    bounds = BOXES["the demo"]
    items = site.items_of(collection)
    in_box = {"bbox": ",".join(map(str, bounds))}
    default = site.get(items, in_box)
    assert default.headers["content-crs"] == f"<{CRS84}>"
    in_degrees = {feature["id"]: feature["geometry"] for feature in default.json()["features"]}
    for crs in crs_of(site):
        code = crs.rpartition("/")[2]
        to_plane = Transformer.from_crs("OGC:CRS84", f"EPSG:{code}", always_xy=True)
        projected = to_plane.transform_bounds(*bounds)
        by_box = site.get(items, {"bbox": ",".join(map(str, projected)), "bbox-crs": crs}).json()["features"]
        response = site.get(items, {**in_box, "crs": crs})
        assert response.headers["content-crs"] == f"<{crs}>"
        assert {feature["id"] for feature in response.json()["features"]} == in_degrees.keys()
        if code != "2154":  # the demo is in mainland France, far from the other projections
            continue
        assert {feature["id"] for feature in by_box} >= in_degrees.keys()
        for feature in response.json()["features"]:
            expected = _projected(shape(in_degrees[feature["id"]]), to_plane)
            assert expected.hausdorff_distance(shape(feature["geometry"])) < 0.1


def _projected(geometry: BaseGeometry, to_plane: Transformer) -> BaseGeometry:
    projected: BaseGeometry = shapely.transform(
        geometry, lambda positions: np.column_stack(to_plane.transform(*positions.T))
    )
    return projected
