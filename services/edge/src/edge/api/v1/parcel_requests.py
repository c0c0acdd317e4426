"""The queries of GET /parcels and GET /statistics/sales, and the body of POST /parcels/search, as requests to land.

Land checks the geometry, the sizes and the dates.
"""

from datetime import date
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from edge.api.v1.requests import (
    DEFAULT_PAGE,
    MAX_PAGE,
    Body,
    CommuneCode,
    Cursor,
    OptionalAddress,
    ParcelId,
    QueryParameters,
)
from edge.body import fault
from edge.forms import BBOX, DATE, POSITIONS, SECTION, absent_if_empty
from edge.problems import Problem
from landpartner.land.v1 import land_pb2 as pb
from servicekit.errors import Violation
from servicekit.languages import Text

MAX_SEARCH_VALUES = 4_200
"""Members and items of a search: a geometry of 1,000 positions with an altitude, and the rest."""
SaleKind = Annotated[Literal["house", "flat", "commercial", "building_land", "land"], Field(title="SaleKind")]
ZoneType = Annotated[Literal["U", "AUc", "AUs", "A", "N", "Ah", "Nh", "Nd"], Field(title="ZoneType")]
_MAX_AREA_M2 = 1e9
_MAX_DISTANCE_M = 1_000
_MAX_POLYGON = 4_000
"""Characters of a polygon in an address: about a hundred positions."""

Longitude = Annotated[float, Field(ge=-180, le=180)]
Latitude = Annotated[float, Field(ge=-90, le=90)]
Area = Annotated[float, Field(ge=0, le=_MAX_AREA_M2)]


def _is_date(text: str) -> str:
    date.fromisoformat(text)
    return text


Date = Annotated[str, StringConstraints(pattern=DATE), AfterValidator(_is_date), Field(examples=["2024-01-01"])]
Bbox = Annotated[str, Field(pattern=BBOX)]
Positions = Annotated[str, Field(max_length=_MAX_POLYGON, pattern=POSITIONS)]


def bounding_box(text: Bbox) -> pb.BoundingBox:
    """The box of four numbers, or of six with two heights, which do not count."""
    numbers = [float(number) for number in text.split(",")]
    half = len(numbers) // 2
    return pb.BoundingBox(west=numbers[0], south=numbers[1], east=numbers[half], north=numbers[half + 1])


class ParcelsParameters(QueryParameters):
    """A point or a bounding box."""

    lat: Latitude | None = None
    lon: Longitude | None = None
    bbox: Bbox | None = Field(default=None, examples=["1.9990,47.0003,2.0008,47.0012"])
    limit: int = Field(default=DEFAULT_PAGE, ge=1, le=MAX_PAGE)
    cursor: Cursor | None = None

    def message(self) -> pb.SearchParcelsRequest:
        """Raises Problem unless there is either a point or a box."""
        place = _place(self.lon, self.lat, "")
        require_one({"/lat": place, "/bbox": self.bbox})
        request = pb.SearchParcelsRequest(place=place, page_size=self.limit, page_token=self.cursor or "")
        if self.bbox is not None:
            request.bbox.CopyFrom(bounding_box(self.bbox))
        return request


class SaleStatisticsParameters(QueryParameters):
    """A commune, a section or a polygon."""

    commune_code: CommuneCode | None = Field(default=None, examples=["00001"])
    section: Annotated[str, Field(pattern=SECTION)] | None = Field(default=None, examples=["00001000AA"])
    polygon: Positions | None = Field(default=None, examples=["1.999,47.0003,2.0008,47.0003,2.0008,47.0012"])
    kind: SaleKind | None = None
    year: int | None = Field(default=None, ge=2014, le=2100)

    def message(self) -> pb.GetSaleStatisticsRequest:
        """Raises Problem unless there is exactly one area."""
        require_one({"/commune_code": self.commune_code, "/section": self.section, "/polygon": self.polygon})
        polygon = None
        if self.polygon is not None:
            numbers = list(map(float, self.polygon.split(",")))
            ring = [list(position) for position in zip(numbers[::2], numbers[1::2], strict=True)]
            closed = ring if ring[0] == ring[-1] else [*ring, ring[0]]
            polygon = orjson.dumps({"type": "Polygon", "coordinates": [closed]})
        return pb.GetSaleStatisticsRequest(
            commune_code=self.commune_code,  # type: ignore[arg-type] # of the three, protobuf takes None as absent
            section=self.section,  # type: ignore[arg-type]
            polygon=polygon,  # type: ignore[arg-type]
            kind=self.kind or "",
            year=self.year,
        )


class SearchGeometry(BaseModel):
    """A GeoJSON geometry. Its further members, such as `bbox`, are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    type: Annotated[Literal["Polygon", "MultiPolygon"], Field(title="SearchGeometryType")]
    coordinates: list[Any]


class SearchAround(Body):
    """A point, a parcel or an address, and a distance."""

    lat: Latitude | None = None
    lon: Longitude | None = None
    parcel_id: Annotated[ParcelId | None, BeforeValidator(absent_if_empty)] = None
    address: OptionalAddress = None
    distance_m: float = Field(ge=0, le=_MAX_DISTANCE_M)

    def message(self) -> pb.Surroundings:
        place = _place(self.lon, self.lat, "/around")
        require_one({"/around/lat": place, "/around/parcel_id": self.parcel_id, "/around/address": self.address})
        if self.address is not None:
            return pb.Surroundings(address=self.address.message(), distance_m=self.distance_m)
        if self.parcel_id is not None:
            return pb.Surroundings(parcel_id=self.parcel_id, distance_m=self.distance_m)
        return pb.Surroundings(place=place, distance_m=self.distance_m)


class SearchFilters(Body):
    """A parcel passes if it passes each."""

    min_area_m2: Area | None = None
    max_area_m2: Area | None = None
    zone_types: Annotated[Annotated[list[ZoneType], Field(max_length=8)] | None, BeforeValidator(absent_if_empty)] = (
        None
    )
    sold_since: Annotated[Date | None, BeforeValidator(absent_if_empty)] = None
    unbuilt: bool | None = None
    permit_since: Annotated[Date | None, BeforeValidator(absent_if_empty)] = None


class ParcelSearchBody(Body):
    """One area, the filters, and the page."""

    geometry: Annotated[SearchGeometry | None, BeforeValidator(absent_if_empty)] = None
    around: Annotated[SearchAround | None, BeforeValidator(absent_if_empty)] = None
    neighbours_of: Annotated[ParcelId | None, BeforeValidator(absent_if_empty)] = None
    filters: Annotated[SearchFilters | None, BeforeValidator(absent_if_empty)] = None
    limit: int = Field(default=DEFAULT_PAGE, ge=1, le=MAX_PAGE)
    cursor: Annotated[Cursor | None, BeforeValidator(absent_if_empty)] = None

    def message(self) -> pb.SearchParcelsRequest:
        """Raises Problem unless there is exactly one area."""
        require_one({"/geometry": self.geometry, "/around": self.around, "/neighbours_of": self.neighbours_of})
        filters = self.filters.model_dump(exclude_none=True) if self.filters else {}
        request = pb.SearchParcelsRequest(
            filters=pb.ParcelFilters(**filters), page_size=self.limit, page_token=self.cursor or ""
        )
        if self.geometry is not None:
            request.geometry = orjson.dumps(self.geometry.model_dump())
        elif self.around is not None:
            request.around.CopyFrom(self.around.message())
        else:
            request.neighbours_of = self.neighbours_of or ""
        return request


def _place(lon: float | None, lat: float | None, at: str) -> pb.Position | None:
    """None if there is neither. Raises Problem if one is missing."""
    if lon is not None and lat is not None:
        return pb.Position(longitude=lon, latitude=lat)
    if lon is None and lat is None:
        return None
    missing = "lon" if lon is None else "lat"
    raise Problem("invalid_payload", violations=[fault(f"{at}/{missing}", "required")])


def require_one(areas: dict[str, object]) -> None:
    """Raises Problem, with a pointer to each, unless exactly one is set."""
    pointers = [pointer for pointer, value in areas.items() if value is not None]
    if len(pointers) == 1:
        return
    names = ", ".join(pointer.rpartition("/")[2] for pointer in areas)
    detail = Text(f"Indiquez une seule de ces zones : {names}.", f"Give exactly one of these areas: {names}.")
    violations = [Violation(pointer, "contradictory", str(detail)) for pointer in pointers]
    violations = violations or [Violation(pointer, "required", str(detail)) for pointer in areas]
    raise Problem("invalid_payload", detail, violations)
