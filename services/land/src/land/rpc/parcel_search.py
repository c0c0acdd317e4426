"""Requests for a page of parcels as searches, and pages as messages."""

import hashlib
import re

import shapely
from shapely.geometry.base import BaseGeometry

from land.answers.refusals import invalid
from land.answers.texts import REFUSALS
from land.datasets.parcels import ids as parcels
from land.parcel_search import geojson
from land.parcel_search.model import DEFAULT_PAGE, MAX_PAGE, Filters, ParcelPage, ParcelSearch
from land.parcel_search.sale_statistics import SaleQuestion
from land.rpc import messages
from landpartner.land.v1 import land_pb2 as pb
from servicekit.errors import expect

_TOKEN = re.compile(r"([0-9a-f]{16})([0-9A-Z]{14})")


def search_of(request: pb.SearchParcelsRequest) -> ParcelSearch:
    """Raises InvalidPayload."""
    return ParcelSearch(
        *_area_of(request),
        filters=Filters(
            min_area_m2=request.filters.min_area_m2 if request.filters.HasField("min_area_m2") else None,
            max_area_m2=request.filters.max_area_m2 if request.filters.HasField("max_area_m2") else None,
            zone_types=frozenset(request.filters.zone_types),
            sold_since=request.filters.sold_since,
            unbuilt=request.filters.unbuilt,
            permit_since=request.filters.permit_since,
        ),
        address=messages.query_of(request.around.address) if request.around.HasField("address") else None,
        after=_after(request),
        limit=min(request.page_size or DEFAULT_PAGE, MAX_PAGE),
    )


def sale_question(request: pb.GetSaleStatisticsRequest) -> SaleQuestion:
    """Raises InvalidPayload."""
    return SaleQuestion(
        commune_code=request.commune_code or request.section[:5],
        section=request.section,
        shape=geojson.polygons(request.polygon, "/polygon") if request.polygon else None,
        kind=request.kind,
        year=request.year if request.HasField("year") else None,
    )


def _area_of(request: pb.SearchParcelsRequest) -> tuple[BaseGeometry | None, str, float | None, bool]:
    """The shape, the parcel that names the area, the reach, and whether it is a neighbourhood."""
    match request.WhichOneof("area"):
        case "place":
            return _point(request.place), "", None, False
        case "bbox":
            box = request.bbox
            return geojson.box(box.west, box.south, box.east, box.north), "", None, False
        case "geometry":
            return geojson.polygons(request.geometry), "", None, False
        case "around" if request.around.HasField("place"):
            return _point(request.around.place), "", request.around.distance_m, False
        case "around" if request.around.HasField("address"):
            return None, "", request.around.distance_m, False
        case "around":
            return None, _parcel_id(request.around.parcel_id, "/around/parcel_id"), request.around.distance_m, False
        case "neighbours_of":
            return None, _parcel_id(request.neighbours_of, "/neighbours_of"), None, True
        case _:
            raise invalid("", "required", REFUSALS["no_area"])


def _point(place: pb.Position) -> shapely.Point:
    return shapely.Point(place.longitude, place.latitude)


def _parcel_id(text: str, pointer: str) -> str:
    return str(expect(parcels.parse(text), invalid(pointer, "malformed_parcel_id", REFUSALS["malformed_parcel_id"])))


def _after(request: pb.SearchParcelsRequest) -> str:
    """The id after which the page begins. Raises InvalidPayload if the token is of another search."""
    if not request.page_token:
        return ""
    token = _TOKEN.fullmatch(request.page_token)
    if token is None or token[1] != _digest(request) or parcels.parse(token[2]) is None:
        raise invalid("/cursor", "malformed_cursor", REFUSALS["cursor_of_no_search"])
    return token[2]


def _digest(request: pb.SearchParcelsRequest) -> str:
    """Returns a digest that all pages of a search share."""
    search = pb.SearchParcelsRequest()
    search.CopyFrom(request)
    for name in ("page_size", "page_token"):
        search.ClearField(name)
    return hashlib.blake2b(search.SerializeToString(deterministic=True), digest_size=8).hexdigest()


def response(request: pb.SearchParcelsRequest, page: ParcelPage) -> pb.SearchParcelsResponse:
    return messages.filled(
        pb.SearchParcelsResponse,
        page,
        next_page_token=f"{_digest(request)}{page.last_id}" if page.last_id else "",
    )
