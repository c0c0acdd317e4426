"""Requests for features as searches, and pages of features as messages."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import shapely
from google.protobuf.message import Message
from shapely.geometry.base import BaseGeometry

from contract.collections import COLLECTIONS
from contract.enums import enum_names
from land.answers.refusals import invalid
from land.answers.texts import REFUSALS
from land.datasets import territory
from land.datasets.addresses.records import ban_id
from land.datasets.addresses.street_queries import split
from land.datasets.planning.codes import prescription_label
from land.features.pages import FeaturePage, FeatureSearch
from land.parcel_search import geojson
from land.parcel_search.model import DEFAULT_PAGE, MAX_PAGE
from land.rpc.messages import filled
from landpartner.land.v1 import land_pb2 as pb
from servicekit.clock import utc_now

_HALF_TURN = 180.0
_NAMES = enum_names(pb.FeatureCollection.DESCRIPTOR)
_PROPERTIES: Mapping[str, tuple[type[Message], Callable[[Any], Mapping[str, Any]]]] = {
    "parcels": (pb.MappedParcel, lambda row: {}),
    "buildings": (pb.MappedBuilding, lambda row: {"rnb_ids": split(row.rnb_ids)}),
    "zones": (pb.MappedZone, lambda row: {}),
    "prescriptions": (
        pb.MappedPrescription,
        lambda row: {"type_label": prescription_label(row.type_code, row.subtype_code)},
    ),
    "sales": (
        pb.MappedSale,
        lambda row: {
            "valeur_fonciere": row.price_eur,
            "surface_reelle_bati": row.built_m2,
            "surface_terrain": row.land_m2,
            "price_eur_per_m2": round(row.price_eur / row.area_m2, 2),
            "parcel_ids": split(row.parcel_ids),
        },
    ),
    "permits": (pb.MappedPermit, lambda row: {"num_dau": row.number}),
    "addresses": (
        pb.MappedAddress,
        lambda row: {
            "ban_id": ban_id(row.street_id, row.number, row.suffix, row.ban_id),
            "parcel_ids": split(row.parcel_ids),
        },
    ),
}
"""The message of each collection, and its fields that are no columns."""


def search_of(request: pb.ListFeaturesRequest) -> FeatureSearch:
    """Raises InvalidPayload."""
    name = _NAMES[request.collection]
    collection = COLLECTIONS[name]
    if any(condition.member not in collection.queryables for condition in request.conditions):
        raise invalid("/filter", "unknown_value", REFUSALS["unknown_member"])
    conditions: dict[str, list[str]] = {}
    for condition in request.conditions:  # several conditions of one member all apply
        others = conditions.get(condition.member, condition.values)
        conditions[condition.member] = [value for value in condition.values if value in others]
    return FeatureSearch(
        name,
        shape=_shape(request) if request.HasField("bbox") else None,
        projection=request.projection,
        since=request.since,
        until=request.until,
        conditions=conditions,
        expression=json.loads(request.filter) if request.filter else True,
        feature_id=request.feature_id,
        after=request.page_token,
        limit=min(request.page_size or DEFAULT_PAGE, MAX_PAGE),
    )


def _shape(request: pb.ListFeaturesRequest) -> BaseGeometry:
    """The box in degrees: two where it crosses 180°. Raises InvalidPayload."""
    west, south, east, north = request.bbox.west, request.bbox.south, request.bbox.east, request.bbox.north
    if request.bbox_projection:
        shape = territory.from_plane(shapely.box(west, south, east, north), request.bbox_projection)
        geojson.box_of_any_size(*shape.bounds)
        return shape
    if -_HALF_TURN < east < west < _HALF_TURN:
        halves = [(west, south, _HALF_TURN, north), (-_HALF_TURN, south, east, north)]
        return shapely.union_all([geojson.box_of_any_size(*half) for half in halves])
    return geojson.box_of_any_size(west, south, east, north)


def response(search: FeatureSearch, page: FeaturePage) -> pb.ListFeaturesResponse:
    message, values_of = _PROPERTIES[search.collection]
    features = []
    for feature in page.features:
        properties: Any = {search.collection: filled(message, feature.row, **values_of(feature.row))}
        features.append(pb.MapFeature(id=feature.id, geometry=feature.geometry, **properties))
    return filled(
        pb.ListFeaturesResponse,
        page,
        features=features,
        next_page_token=page.last_id,
        number_returned=len(page.features),
        time_stamp=utc_now(),
        links=(),
    )
