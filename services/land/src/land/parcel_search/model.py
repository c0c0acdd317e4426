"""A search for parcels, and a page of its result."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from shapely.geometry.base import BaseGeometry

from land.addresses.model import AddressQuery
from land.answers.provenance import Stated
from land.datasets.parcels.records import ParcelRecord

MAX_PAGE = 200
DEFAULT_PAGE = 50


@dataclass(frozen=True)
class Filters:
    """A parcel passes if it passes each one that is set."""

    min_area_m2: float | None = None
    max_area_m2: float | None = None
    zone_types: frozenset[str] = frozenset()
    sold_since: str = ""
    """A date, YYYY-MM-DD."""
    unbuilt: bool = False
    permit_since: str = ""


@dataclass(frozen=True)
class ParcelSearch:
    shape: BaseGeometry | None = None
    """The shape is in degrees; None if a parcel names the area."""
    parcel_id: str = ""
    """The parcel that names the area."""
    reach_m: float | None = None
    """Parcels at most so far from the shape or from the parcel; None: those that intersect the shape."""
    is_neighbourhood: bool = False
    """Leave out the parcel that names the area."""
    address: AddressQuery | None = None
    """The address whose parcels are the shape."""
    filters: Filters = field(default_factory=Filters)
    after: str = ""
    """Only parcels with a greater id."""
    limit: int = DEFAULT_PAGE


@dataclass(frozen=True)
class FoundParcel:
    record: ParcelRecord
    edition: str
    """The edition of its plan."""


@dataclass(frozen=True)
class ParcelPage(Stated):
    parcels: Sequence[FoundParcel]
    """The parcels are in order of id."""
    last_id: str
    """The last id that was examined, if parcels after it may follow on a further page; else empty."""
