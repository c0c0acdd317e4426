"""One page of a collection: rows in order of their key, those in the box, those with a date in the period.

The work of a page is bounded: after MAX_EXAMINED rows it ends, with however many features it has found.
"""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from contract.collections import COLLECTIONS
from land.addresses.model import Scope
from land.answers.provenance import Coverage, Source, Stated, loads_of, sources_of
from land.answers.refusals import invalid
from land.answers.texts import REFUSALS, AnswerWarning, warning
from land.datasets import territory
from land.datasets.addresses import queries as addresses
from land.datasets.addresses.registration import BAN
from land.datasets.buildings import queries as buildings
from land.datasets.buildings.registration import BUILDINGS
from land.datasets.parcels import queries as parcels
from land.datasets.parcels.registration import PARCELS
from land.datasets.partitions import DEMO_DEPARTMENT, is_demo
from land.datasets.permits import queries as permits
from land.datasets.permits.registration import PERMITS
from land.datasets.planning import queries as planning
from land.datasets.planning.registration import GPU_PRESCRIPTIONS, GPU_ZONES
from land.datasets.sales import queries as sales
from land.datasets.sales.registration import DVF_ARCHIVE, SALE_DATASETS
from land.parcel_search.area import Area
from land.parcel_search.geojson import MAX_KM2, size_km2
from land.parcel_search.model import DEFAULT_PAGE
from land.store import loads
from land.store.boxes import Box
from land.store.cached_reads import Reads
from land.store.feature_rows import FeatureRows
from land.store.snapshot import Snapshot
from land.units.geometry import to_geojson

MAX_EXAMINED = 5_000
"""Rows of one page whose geometry or date is compared."""
BATCH = 500
"""Rows that are read together."""
METRIC_DECIMALS = 3
_MAX_DEMO_LOADS = 500


class _Collection(NamedTuple):
    rows: FeatureRows
    datasets: Sequence[str]


_COLLECTIONS: Mapping[str, _Collection] = {
    "parcels": _Collection(parcels.FEATURES, (PARCELS.id,)),
    "buildings": _Collection(buildings.FEATURES, BUILDINGS),
    "zones": _Collection(planning.ZONE_FEATURES, (GPU_ZONES.id,)),
    "prescriptions": _Collection(planning.PRESCRIPTION_FEATURES, (GPU_PRESCRIPTIONS.id,)),
    "sales": _Collection(sales.FEATURES, SALE_DATASETS),
    "permits": _Collection(permits.FEATURES, PERMITS),
    "addresses": _Collection(addresses.FEATURES, (BAN.id,)),
}


@dataclass(frozen=True)
class FeatureSearch:
    collection: str
    shape: BaseGeometry | None = None
    """Only features that intersect it, in degrees."""
    projection: int = 0
    """The EPSG code of the geometries; 0 for degrees."""
    since: str = ""
    until: str = ""
    """Dates, YYYY-MM-DD. Rows without a date are in any period (OGC 17-069r4, /req/core/fc-time-response)."""
    conditions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The values that a queryable member may have."""
    expression: Any = True
    """CQL2 JSON that each row meets."""
    feature_id: str = ""
    """Only this feature."""
    after: str = ""
    """Only features after the one with this id."""
    limit: int = DEFAULT_PAGE

    @property
    def is_wide(self) -> bool:
        """Whether the shape is too large for the index of places: a page of all rows in it would have no bound."""
        return self.shape is not None and size_km2([self.shape.bounds]) > MAX_KM2


class Feature(NamedTuple):
    id: str
    geometry: bytes
    """GeoJSON; empty if the row has no place, or none in the projection."""
    row: Any
    """The columns of the collection."""


@dataclass(frozen=True)
class FeaturePage(Stated):
    features: Sequence[Feature]
    last_id: str
    """The last id that was examined, if features after it may follow; else empty."""


def features_page(reads: Reads, search: FeatureSearch, scope: Scope) -> FeaturePage:
    """Raises InvalidPayload if the page begins after an id that is none of the collection."""
    rows, last_id = _examine(reads, search, scope)
    collection = _COLLECTIONS[search.collection]
    geometries = _projected([geometry for _, geometry in rows], search.projection)
    features = [
        Feature(collection.rows.id_of(row), geometry, row) for (row, _), geometry in zip(rows, geometries, strict=True)
    ]
    coverage, warnings = _coverage(reads, search, scope)
    sources = _sources(reads, collection, features)
    return FeaturePage(features, last_id, coverage=coverage, sources=sources, warnings=warnings)


def _examine(reads: Reads, search: FeatureSearch, scope: Scope) -> tuple[list[tuple[Any, BaseGeometry | None]], str]:
    """The rows of a page with their geometries, and the last id as in FeaturePage."""
    collection = _COLLECTIONS[search.collection].rows
    key = collection.parse_key(search.after) if search.after else None
    if search.after and key is None:
        raise invalid("/cursor", "malformed_cursor", REFUSALS["cursor_of_no_collection"])
    conditions = [collection.of_values[name](list(values)) for name, values in search.conditions.items()]
    if scope == "demo":
        conditions.append(collection.of_values[collection.partition](reads.cached(_demo_partitions, None)))
    if search.feature_id:
        feature_key = collection.parse_key(search.feature_id)
        rows = [] if feature_key is None else collection.at(reads.snapshot, conditions, feature_key)
        return _chosen(rows, search), ""
    box = None if search.shape is None or search.is_wide else Box(*search.shape.bounds)
    found: list[tuple[Any, BaseGeometry | None]] = []
    is_compared = search.shape is not None or bool(search.since or search.until) or search.expression is not True
    count = BATCH if is_compared else search.limit + 1
    for _ in range(MAX_EXAMINED // BATCH):
        rows = collection.after(reads.snapshot, conditions, box, key, count)
        found += _chosen(rows, search)
        if len(found) > search.limit:
            return found[: search.limit], collection.id_of(found[search.limit - 1][0])
        if len(rows) < count:
            return found, ""
        key = tuple(rows[-1][-len(collection.key) :])
    return found, collection.id_of(rows[-1])


def _demo_partitions(snapshot: Snapshot, _: None) -> list[str]:
    page = loads.page(snapshot, [], DEMO_DEPARTMENT, ("", "", ""), _MAX_DEMO_LOADS)
    return sorted({load.partition.code for load in page})


def _chosen(rows: Sequence[Any], search: FeatureSearch) -> list[tuple[Any, BaseGeometry | None]]:
    """The rows in the shape and in the period that meet the expression."""
    if date := COLLECTIONS[search.collection].date if search.since or search.until else "":
        until = search.until or "9999"
        rows = [row for row in rows if not (day := getattr(row, date)) or search.since <= day <= until]
    if search.expression is not True:
        rows = [row for row in rows if is_met(search.expression, row)]
    if not rows:
        return []
    geometries: Any = (
        shapely.orient_polygons(shapely.from_wkb(np.array([row.geometry for row in rows], dtype=object)))
        if hasattr(rows[0], "geometry")
        else [None if row.lon is None or row.lat is None else shapely.Point(row.lon, row.lat) for row in rows]
    )
    pairs = list(zip(rows, geometries, strict=True))
    if search.shape is None:
        return pairs
    shapely.prepare(search.shape)
    inside = shapely.intersects(search.shape, np.array(geometries, dtype=object))
    return [pair for pair, is_inside in zip(pairs, inside.tolist(), strict=True) if is_inside]


def _projected(geometries: Sequence[BaseGeometry | None], projection: int) -> list[bytes]:
    """The geometries as GeoJSON. Empty bytes for a place that the projection cannot show."""
    if projection:
        projected = territory.to_plane(np.array(geometries, dtype=object), projection)
        geometries = shapely.transform(projected, lambda positions: positions.round(METRIC_DECIMALS)).tolist()
    return [
        b"" if geometry is None or not np.isfinite(geometry.bounds).all() else to_geojson(geometry)
        for geometry in geometries
    ]


def _sources(reads: Reads, collection: _Collection, features: Sequence[Feature]) -> Sequence[Source]:
    """The sources of the features, with their editions."""
    codes = tuple(sorted({getattr(feature.row, collection.rows.partition) for feature in features}))
    is_of_communes = collection.rows.partition == "commune_code"
    used = reads.cached(loads_of, codes).all if is_of_communes else reads.cached(loads.of_partitions, codes)
    return sources_of([load for load in used if load.dataset in collection.datasets])


def _coverage(reads: Reads, search: FeatureSearch, scope: Scope) -> tuple[list[Coverage], list[AnswerWarning]]:
    """How far the datasets cover the communes of the box or of the conditions, unless documents have them."""
    communes = tuple(search.conditions.get("commune_code", ()))
    if scope == "demo":
        communes = tuple(filter(is_demo, communes))
    warnings = []
    if search.is_wide:
        warnings.append(warning("area_not_covered"))
    elif search.shape is not None:
        area = Area(search.shape)
        nearby, are_here = area.communes(reads.snapshot)
        if scope == "demo":
            nearby = tuple(filter(is_demo, nearby))
        communes = communes or nearby
        if not (nearby and area.is_covered(reads, nearby, are_here=are_here)):
            warnings.append(warning("area_not_covered"))
    unstated = (GPU_ZONES.id, GPU_PRESCRIPTIONS.id, DVF_ARCHIVE.id)
    datasets = [name for name in _COLLECTIONS[search.collection].datasets if name not in unstated]
    if not communes:
        return [], warnings
    commune_loads = reads.cached(loads_of, communes)
    return [commune_loads.coverage(dataset) for dataset in datasets], warnings


_COMPARISONS = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip


def is_met(expression: Any, row: Any) -> bool | None:
    """None where it is unknown, since the row has no value: as in SQL, neither it nor its opposite is met."""
    match expression:
        case bool():
            return expression
        case {"op": "not", "args": [part]}:
            met = is_met(part, row)
            return None if met is None else not met
        case {"op": "and" | "or" as joined, "args": parts}:
            met_parts = [is_met(part, row) for part in parts]
            decisive = joined == "or"
            return decisive if decisive in met_parts else None if None in met_parts else not decisive
        case {"op": "isNull", "args": [operand]}:
            return _text(operand, row) is None
        case {"op": "in", "args": [operand, values]}:
            text = _text(operand, row)
            return None if text is None else text in values
        case {"op": comparison, "args": [left, right]}:
            first, second = _text(left, row), _text(right, row)
            return None if first is None or second is None else bool(_COMPARISONS[comparison](first, second))
    raise ValueError(expression)


def _text(operand: Any, row: Any) -> str | None:
    text = getattr(row, operand["property"]) if isinstance(operand, dict) else operand
    return None if text is None else str(text)
