"""Converts land's messages to the JSON of the contract (§2.3, and DESIGN §4 for what it leaves open).

Geometry is already GeoJSON and is copied unchanged. An unknown fact is null, never omitted.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from google.protobuf.message import Message

from landpartner.land.v1 import land_pb2

JsonObject = dict[str, Any]

_ADDRESS_TYPES = {
    land_pb2.ADDRESS_TYPE_HOUSENUMBER: "housenumber",
    land_pb2.ADDRESS_TYPE_STREET: "street",
    land_pb2.ADDRESS_TYPE_LOCALITY: "locality",
    land_pb2.ADDRESS_TYPE_MUNICIPALITY: "municipality",
}
_MATCHES = {
    land_pb2.PARCEL_MATCH_KIND_DECLARED: "declared",
    land_pb2.PARCEL_MATCH_KIND_CONTAINING: "containing",
    land_pb2.PARCEL_MATCH_KIND_NEAREST: "nearest",
}
_COVERAGE = {
    land_pb2.COVERAGE_STATUS_COVERED: "covered",
    land_pb2.COVERAGE_STATUS_NOT_COVERED: "not_covered",
    land_pb2.COVERAGE_STATUS_PARTIAL: "partial",
    land_pb2.COVERAGE_STATUS_LOADING: "loading",
    land_pb2.COVERAGE_STATUS_NOT_PUBLISHED: "not_published",
    land_pb2.COVERAGE_STATUS_NOT_LOADED: "not_loaded",
}


def _names(message: type[Message], *, excluded: Sequence[str] = ()) -> tuple[tuple[str, bool], ...]:
    """The fields of a message that are JSON members of the same name, and whether each may be absent."""
    return tuple((field.name, field.has_presence) for field in message.DESCRIPTOR.fields if field.name not in excluded)


_ADDRESS = _names(land_pb2.Address, excluded=("type", "matched"))
_AGREEMENT = _names(land_pb2.AddressAgreement)
_PARCEL = _names(land_pb2.Parcel, excluded=("match", "geometry"))
_AUTHORIZATION = _names(land_pb2.UrbanAuthorization)
_SALE = _names(land_pb2.DvfSale, excluded=("parcel_count",))
_LAND = _names(
    land_pb2.LandBlock,
    excluded=("commune_code", "commune_name", "department_code", "sections", "numbers", "prefixes", "centroid",
              "frontage", "addresses"),
)  # fmt: skip
_DOCUMENT = _names(land_pb2.PlanningDocument)
_ZONE = _names(land_pb2.PlanningZone)
_PRESCRIPTION = _names(land_pb2.PlanningPrescription)
_BUILDING = _names(land_pb2.Building, excluded=("rnb_ids", "geometry"))
_COMPARABLE = _names(land_pb2.ComparableSale, excluded=("parcel_ids",))
_SOURCE = _names(land_pb2.Source)
_LOADED = _names(land_pb2.LoadedDataset)


def _members(message: Message, names: Iterable[tuple[str, bool]]) -> JsonObject:
    return {
        name: None if optional and not message.HasField(name) else getattr(message, name) for name, optional in names
    }


def resolution(response: land_pb2.ResolveAddressResponse) -> JsonObject:
    """The answer of /addresses/resolve."""
    return {
        "address": address_json(response.address),
        "parcel_ids": [parcel.parcel_id for parcel in response.parcels],
        "parcels": [_match(parcel) for parcel in response.parcels],
        "alternatives": [address_json(address) for address in response.alternatives],
        "sources": sources_json(response.sources),
        "warnings": warnings_json(response.warnings),
    }


def feature_collection(
    unit: land_pb2.LandUnit, blocks: Sequence[str], requested_address: Mapping[str, str | None] | None
) -> JsonObject:
    """The answer of /land-units/geojson: one Feature, the union of the parcels, with the requested blocks."""
    properties: JsonObject = {
        "parcel_ids": list(unit.parcel_ids),
        "address": address_json(unit.address) if unit.HasField("address") else _echo(requested_address),
        "parcels": [_parcel(parcel) for parcel in unit.parcels],
        "history": {
            "urban_authorizations": [_members(item, _AUTHORIZATION) for item in unit.urban_authorizations],
            "dvf_sales": [_members(sale, _SALE) for sale in unit.dvf_sales],
        },
    }
    for name in blocks:
        properties[name] = _BLOCKS[name](unit) if unit.HasField(name) else None  # type: ignore[arg-type]
    properties["coverage"] = {item.dataset: _COVERAGE.get(item.status, "not_covered") for item in unit.coverage}
    properties["sources"] = sources_json(unit.sources)
    properties["warnings"] = warnings_json(unit.warnings)
    feature: JsonObject = {"type": "Feature", "geometry": geometry(unit.geometry), "properties": properties}
    collection: JsonObject = {"type": "FeatureCollection", "features": [feature]}
    if unit.bbox:
        collection["bbox"] = feature["bbox"] = list(unit.bbox)
    return collection


def coverage_json(response: land_pb2.GetCoverageResponse) -> JsonObject:
    return {
        "datasets": [_members(dataset, _LOADED) for dataset in response.datasets],
        "next_cursor": response.next_page_token or None,
        "sources": sources_json(response.sources),
    }


def geometry(geojson: bytes) -> orjson.Fragment | None:
    return orjson.Fragment(geojson) if geojson else None


def address_json(address: land_pb2.Address) -> JsonObject:
    return {
        **_members(address, _ADDRESS),
        "type": _ADDRESS_TYPES.get(address.type),
        "matched": _agreement(address.matched),
    }


def _agreement(matched: land_pb2.AddressAgreement) -> JsonObject | None:
    """None if the address was not compared with a query."""
    return _members(matched, _AGREEMENT) if matched.ListFields() else None


def sources_json(sources: Iterable[land_pb2.Source]) -> list[JsonObject]:
    return [_members(source, _SOURCE) for source in sources]


def warnings_json(warnings: Iterable[land_pb2.Warning]) -> list[JsonObject]:
    return [
        {"code": w.code, "detail": w.detail, **({"block": w.block} if w.HasField("block") else {})} for w in warnings
    ]


def _echo(requested: Mapping[str, str | None] | None) -> JsonObject | None:
    if requested is None:
        return None
    empty = {name: None for name, _ in _ADDRESS}
    return {**empty, **requested, "type": None, "matched": None}


def _match(match: land_pb2.ParcelMatch) -> JsonObject:
    return {
        "parcel_id": match.parcel_id,
        "match": _MATCHES.get(match.kind),
        "distance_m": match.distance_m if match.HasField("distance_m") else None,
    }


def _parcel(parcel: land_pb2.Parcel) -> JsonObject:
    found = _match(parcel.match) if parcel.HasField("match") else {"match": None, "distance_m": None}
    return {**_members(parcel, _PARCEL), "match": found["match"], "distance_m": found["distance_m"]}


def _land(unit: land_pb2.LandUnit) -> JsonObject:
    block = unit.land
    commune = None
    if block.HasField("commune_code"):
        commune = {
            "code": block.commune_code,
            "name": block.commune_name if block.HasField("commune_name") else None,
        }
    is_single = len(unit.parcels) == 1
    return {
        "commune": commune,
        "department": block.department_code if block.HasField("department_code") else None,
        "section": _only(block.sections, is_single),
        "number": _only(block.numbers, is_single),
        "prefix": _only(block.prefixes, is_single),
        "sections": list(block.sections),
        "numbers": list(block.numbers),
        "prefixes": list(block.prefixes),
        **_members(block, _LAND),
        "centroid": list(block.centroid) or None,
        "frontage": geometry(block.frontage),
        "addresses": [address_json(address) for address in block.addresses],
    }


def _only(values: Sequence[str], is_single: bool) -> str | None:
    return values[0] if is_single and values else None


def _urbanism(unit: land_pb2.LandUnit) -> JsonObject:
    block = unit.urbanism
    return {
        "documents": [_members(document, _DOCUMENT) for document in block.documents],
        "zones": [_members(zone, _ZONE) for zone in block.zones],
        "prescriptions": [_members(prescription, _PRESCRIPTION) for prescription in block.prescriptions],
        "is_rnu": block.is_rnu if block.HasField("is_rnu") else None,
    }


def _buildings(unit: land_pb2.LandUnit) -> JsonObject:
    block = unit.buildings
    return {
        "count": block.count,
        "footprint_area_m2": block.footprint_area_m2 if block.HasField("footprint_area_m2") else None,
        "ground_coverage_ratio": block.ground_coverage_ratio if block.HasField("ground_coverage_ratio") else None,
        "items": [
            {**_members(item, _BUILDING), "rnb_ids": list(item.rnb_ids), "geometry": geometry(item.geometry)}
            for item in block.items
        ],
    }


def _median(block: land_pb2.RealEstateBlock) -> float | None:
    return block.median_price_eur_per_m2 if block.HasField("median_price_eur_per_m2") else None


def _real_estate(unit: land_pb2.LandUnit) -> JsonObject:
    block = unit.real_estate
    return {
        "period": {
            "from": block.period_from if block.HasField("period_from") else None,
            "to": block.period_to if block.HasField("period_to") else None,
        },
        "summary": {
            "sale_count": block.sale_count,
            "last_sale_on": block.last_sale_on if block.HasField("last_sale_on") else None,
            "median_price_eur_per_m2": _median(block),
        },
        "comparables": [
            {**_members(sale, _COMPARABLE), "parcel_ids": list(sale.parcel_ids)} for sale in block.comparables
        ],
        "comparables_method": block.comparables_method or None,
        "kind": block.kind if block.HasField("kind") else None,
        "kind_basis": block.kind_basis if block.HasField("kind_basis") else None,
        "radius_m": block.radius_m if block.HasField("radius_m") else None,
    }


_BLOCKS = {"land": _land, "urbanism": _urbanism, "buildings": _buildings, "real_estate": _real_estate}
