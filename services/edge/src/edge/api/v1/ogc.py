"""OGC API Features: the landing page, what is supported, the collections, and their features page by page."""

import hmac
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

import orjson
from fastapi import Depends, Request
from fastapi.routing import APIRoute
from pydantic import Field, StringConstraints
from starlette.responses import Response

from contract import endpoints
from contract.collections import COLLECTIONS, PROJECTIONS
from contract.dictionary import dictionary
from contract.enums import enum_numbers
from contract.messages.land import MAP_FEATURE, MAP_FEATURES
from contract.messages.schemas import Json, Plain
from edge.access import API, PUBLIC, Access, PathClass
from edge.api.v1.ogc_filter import MAX_FILTER, Filter, read_filter
from edge.api.v1.parcel_requests import Bbox, bounding_box
from edge.api.v1.requests import DEFAULT_PAGE, MAX_CURSOR, MAX_PAGE, QueryParameters
from edge.dependencies import CurrentAdmission, CurrentSettings, Land, ModelQuery
from edge.descriptions.document import describe
from edge.descriptions.forms import in_openapi_3_0
from edge.descriptions.operations import UPSTREAM_CODES, route_options
from edge.descriptions.routes import CACHED, language_of
from edge.problems import Problem
from edge.responses import GEOJSON, answer, json_response
from edge.routing import new_router, with_access
from edge.static_answers import MadeOnce
from edge.upstreams import base_url
from landpartner.land.v1 import land_pb2 as pb
from servicekit.languages import Language

OGC = f"{API}/ogc"
_OPENAPI = "application/vnd.oai.openapi+json;version=3.0"
_JSON, _SCHEMA = "application/json", "application/schema+json"
_CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
_CRS = {_CRS84: 0} | {f"http://www.opengis.net/def/crs/EPSG/0/{code}": code for code in PROJECTIONS}
_CONFORMANCE = [
    *(f"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/{name}" for name in ("core", "geojson", "oas30")),
    "http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs",
    *(
        f"http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/{name}"
        for name in ("queryables", "filter", "features-filter")
    ),
    *(f"http://www.opengis.net/spec/cql2/1.0/conf/{name}" for name in ("cql2-text", "basic-cql2")),
]
_TERRITORIES = [
    [-63.2, -21.4, 55.9, 51.1],
    [-5.2, 41.3, 9.6, 51.1],
    [-63.2, 14.3, -60.7, 18.2],
    [-54.7, 2.1, -51.6, 5.8],
    [55.2, -21.4, 55.9, -20.8],
    [44.9, -13.1, 45.4, -12.5],
    [-56.5, 46.7, -56.1, 47.2],
]
"""All of France, as OGC 17-069r4 wants first, and each of its territories."""
_BBOX: Json = {
    "type": "array",
    "items": {"type": "number"},
    "oneOf": [{"minItems": 4, "maxItems": 4}, {"minItems": 6, "maxItems": 6}],
}
"""The box as OGC 17-069r4 describes it. The other descriptions have it as the text that it is in the address."""
_NUMBERS = enum_numbers(pb.FeatureCollection.DESCRIPTOR)
PAID_FEATURES = 10_000
"""A unit pays for a page and for those that follow by its cursor, up to so many features."""
SAMPLE = 10
"""The first features of a collection, which GDAL reads to see it. They are free, the page after them is not."""
_MAC_BYTES = 12
_DAY = r"\d{4}-\d{2}-\d{2}(T[0-9:.]{1,20}Z)?"
_OBJECT = Plain({"type": "object"})
_OPTIONS: Mapping[str, Any] = {"endpoint": endpoints.OGC}
_ITEM_CODES = ("not_found", *UPSTREAM_CODES)

Crs = Annotated[
    str,
    Field(pattern=rf"^http://www\.opengis\.net/def/crs/(OGC/1\.3/CRS84|EPSG/0/({'|'.join(map(str, PROJECTIONS))}))$"),
]

router = new_router()


class FeatureParameters(QueryParameters):
    crs: Crs = _CRS84


class ItemsParameters(FeatureParameters):
    """What selects the features of a page."""

    bbox: Bbox | None = Field(default=None, examples=["1.9990,47.0003,2.0008,47.0012"])
    bbox_crs: Crs = Field(default=_CRS84, alias="bbox-crs")
    datetime: Annotated[str, StringConstraints(pattern=rf"^({_DAY}|({_DAY}|(\.\.)?)/({_DAY}|(\.\.)?))$")] | None = (
        Field(default=None, examples=["2024-01-01/.."])
    )
    limit: Annotated[int, Field(ge=1)] = DEFAULT_PAGE
    """A greater one than the maximum is the maximum (OGC 17-069r4, /req/core/fc-limit-response-1)."""
    filter: Annotated[str, StringConstraints(max_length=MAX_FILTER)] | None = Field(
        default=None, examples=["commune_code = '00001'"]
    )
    filter_lang: Literal["cql2-text"] = Field(default="cql2-text", alias="filter-lang")
    cursor: Annotated[str, StringConstraints(max_length=MAX_CURSOR)] | None = None

    def message(self, collection: str, after: str) -> pb.ListFeaturesRequest:
        """The request for the features after an id. Raises Problem."""
        since, slash, until = (self.datetime or "").partition("/")
        selected = read_filter(self.filter, collection) if self.filter else Filter([], "")
        request = pb.ListFeaturesRequest(
            collection=_NUMBERS[collection],
            bbox_projection=_CRS[self.bbox_crs],
            projection=_CRS[self.crs],
            since=_day(since),
            until=_day(until if slash else since),
            conditions=selected.conditions,
            filter=selected.rest,
            page_size=min(self.limit, MAX_PAGE),
            page_token=after,
        )
        if self.bbox is not None:
            request.bbox.CopyFrom(bounding_box(self.bbox))
        return request


def _day(instant: str) -> str:
    return instant[:10].replace("..", "")


@router.get(OGC, **route_options("consumer", _OBJECT, **_OPTIONS))
async def ogc_landing_page(request: Request) -> Response:
    base = base_url(request)
    links = [
        _link(f"{base}{OGC}", "self"),
        _link(f"{base}{OGC}/api", "service-desc", _OPENAPI),
        _link(f"{base}/api/docs/public", "service-doc", "text/html"),
        _link(f"{base}{OGC}/conformance", "conformance"),
        _link(f"{base}{OGC}/collections", "data"),
    ]
    texts = dictionary().operations["ogcLandingPage"]
    return json_response({"title": str(texts.summary), "description": str(texts.description), "links": links})


@router.get(f"{OGC}/api", include_in_schema=False, openapi_extra=with_access(PUBLIC))
async def ogc_description(request: Request) -> Response:
    language = language_of(request, "en")
    document, base = await _descriptions(language), base_url(request)
    info = {**document["info"], "contact": {**document["info"]["contact"], "url": f"{base}/api/docs"}}
    addressed = {**document, "info": info, "servers": [{"url": f"{base}{OGC}"}]}
    headers = {"cache-control": CACHED, "content-language": language, "vary": "accept-language"}
    return Response(orjson.dumps(addressed), media_type=_OPENAPI, headers=headers)


def _description(language: Language) -> Json:
    """The routes of this module in OpenAPI 3.0, as OGC 17-069r4 names and describes them."""
    routes = [route for route in router.routes if isinstance(route, APIRoute)]
    document = in_openapi_3_0(describe(routes, language))
    document["paths"] = {path.removeprefix(OGC) or "/": operations for path, operations in document["paths"].items()}
    for operations in document["paths"].values():
        for parameter in operations["get"].get("parameters", ()):
            if parameter["in"] == "query":
                parameter.update(style="form", explode=False)
            if parameter["name"] == "bbox":
                parameter["schema"] = _BBOX
            if parameter["name"] == "limit":
                parameter["schema"]["maximum"] = MAX_PAGE
    return document


_descriptions = MadeOnce(_description)


@router.get(f"{OGC}/conformance", **route_options("consumer", _OBJECT, **_OPTIONS))
async def ogc_conformance() -> Response:
    return json_response({"conformsTo": _CONFORMANCE})


@router.get(f"{OGC}/collections", **route_options("consumer", _OBJECT, **_OPTIONS))
async def ogc_collections(request: Request) -> Response:
    base = base_url(request)
    collections = [_collection(name, base) for name in COLLECTIONS]
    return json_response({"links": [_link(f"{base}{OGC}/collections", "self")], "collections": collections})


for path, handler in (("/", ogc_landing_page), ("/conformance/", ogc_conformance), ("/collections/", ogc_collections)):
    router.add_api_route(  # clients append a slash to an address that they were given
        OGC + path, handler, include_in_schema=False, openapi_extra=with_access(Access(PathClass.KEY, endpoints.OGC))
    )


@router.get(f"{OGC}/collections/{{collection}}", **route_options("consumer", _OBJECT, codes=("not_found",), **_OPTIONS))
async def ogc_collection(request: Request, collection: str) -> Response:
    return json_response(_collection(_checked(collection), base_url(request)))


@router.get(
    f"{OGC}/collections/{{collection}}/queryables",
    **route_options("consumer", _OBJECT, media_type=_SCHEMA, codes=("not_found",), **_OPTIONS),
)
async def ogc_queryables(request: Request, collection: str) -> Response:
    message: Any = pb.MapFeature.DESCRIPTOR.fields_by_name[_checked(collection)].message_type
    texts = dictionary().fields
    properties = {
        name: {"type": "string", "title": name, "description": str(texts[message.name, name].text)}
        for name in COLLECTIONS[collection].queryables
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{_address(request, collection)}/queryables",
        "type": "object",
        "title": collection,
        "properties": properties,
        "additionalProperties": False,
    }
    return json_response(schema, media_type=_SCHEMA)


@router.get(
    f"{OGC}/collections/{{collection}}/items",
    **route_options(
        "consumer",
        MAP_FEATURES,
        endpoint=endpoints.OGC_ITEMS,
        media_type=GEOJSON,
        codes=_ITEM_CODES,
        headers=("Content-Crs",),
    ),
)
async def ogc_items(
    request: Request,
    collection: str,
    parameters: Annotated[ItemsParameters, Depends(ModelQuery(ItemsParameters))],
    land: Land,
    admission: CurrentAdmission,
    settings: CurrentSettings,
) -> Response:
    query = dict(request.query_params)
    given = query.pop("cursor", "")
    signed = partial(_cursor, settings.land_token.get_secret_value(), admission.grant.key_id, collection, query)
    left, after = _read_cursor(given, signed)
    is_sample = not given and query.keys() <= {"limit", "crs"} and parameters.limit <= SAMPLE
    admission.is_free = is_sample or left > 0
    left = (left if admission.is_free else PAID_FEATURES) - min(parameters.limit, MAX_PAGE)
    page = await land(land.stub.ListFeatures, parameters.message(_checked(collection), after))
    items = f"{_address(request, collection)}/items"
    page.links.add(href=f"{items}?{request.url.query}".rstrip("?"), rel="self", type=GEOJSON)
    page.links.add(href=_address(request, collection), rel="collection", type=_JSON)
    if page.next_page_token:
        query["cursor"] = signed(str(max(left, 0)), page.next_page_token)
        page.links.add(href=f"{items}?{urlencode(query)}", rel="next", type=GEOJSON)
    return _with_crs(answer(MAP_FEATURES, page, media_type=GEOJSON), parameters.crs)


def _read_cursor(given: str, signed: Callable[[str, str], str]) -> tuple[int, str]:
    """How many features are paid for, none without the right code, and the id after which the page begins."""
    *paid, after = given.split(".", 2)
    is_signed = len(paid) > 1 and hmac.compare_digest(given.encode(), signed(paid[0], after).encode())
    return int(paid[0]) if is_signed else 0, after


def _cursor(secret: str, key_id: str, collection: str, query: Mapping[str, str], left: str, after: str) -> str:
    """The cursor of the features after an id: how many of them are paid for, and a code, so that it is of this query of
    this key. The secret is one that all replicas have.
    """
    text = orjson.dumps(["ogc", key_id, collection, query, left, after], option=orjson.OPT_SORT_KEYS)
    return f"{left}.{hmac.digest(secret.encode(), text, 'sha256')[:_MAC_BYTES].hex()}.{after}"


@router.get(
    f"{OGC}/collections/{{collection}}/items/{{feature}}",
    **route_options(
        "consumer",
        MAP_FEATURE,
        endpoint=endpoints.OGC_ITEMS,
        media_type=GEOJSON,
        codes=_ITEM_CODES,
        headers=("Content-Crs",),
    ),
)
async def ogc_item(
    request: Request,
    collection: str,
    feature: str,
    parameters: Annotated[FeatureParameters, Depends(ModelQuery(FeatureParameters))],
    land: Land,
) -> Response:
    query = pb.ListFeaturesRequest(
        collection=_NUMBERS[_checked(collection)], projection=_CRS[parameters.crs], feature_id=feature
    )
    page = await land(land.stub.ListFeatures, query)
    if not page.features:
        raise Problem("not_found")
    address = _address(request, collection)
    page.features[0].links.add(href=f"{address}/items/{feature}", rel="self", type=GEOJSON)
    page.features[0].links.add(href=address, rel="collection", type=_JSON)
    return _with_crs(answer(MAP_FEATURE, page.features[0], media_type=GEOJSON), parameters.crs)


def _with_crs(response: Response, crs: str) -> Response:
    response.headers["content-crs"] = f"<{crs}>"
    return response


def _checked(collection: str) -> str:
    """Raises Problem if there is no such collection."""
    if collection not in COLLECTIONS:
        raise Problem("not_found")
    return collection


def _collection(name: str, base: str) -> Json:
    address = f"{base}{OGC}/collections/{name}"
    return {
        "id": name,
        "title": str(dictionary().values["feature_collection", name].text).rstrip("."),
        "itemType": "feature",
        "extent": {"spatial": {"bbox": _TERRITORIES}},
        "crs": list(_CRS),
        "storageCrs": _CRS84,
        "links": [
            _link(address, "self"),
            _link(f"{address}/items", "items", GEOJSON),
            _link(f"{address}/queryables", "http://www.opengis.net/def/rel/ogc/1.0/queryables", _SCHEMA),
        ],
    }


def _link(href: str, rel: str, media_type: str = _JSON) -> Json:
    return {"href": href, "rel": rel, "type": media_type}


def _address(request: Request, collection: str) -> str:
    return f"{base_url(request)}{OGC}/collections/{collection}"
