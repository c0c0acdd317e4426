"""The JSON of land's answers."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from google.protobuf.message import Message

from contract.collections import PERMIT_FACT, SALE_FACT
from contract.dictionary import dictionary
from contract.enums import BLOCKS, enum_names
from contract.messages.schemas import REF, Components, Composed, Describe, Json, ListOf, array, nullable
from contract.messages.shape import Group, Layout, Shapes
from landpartner.land.v1 import land_pb2 as pb
from landpartner.webhooks.v1 import webhooks_pb2

_HISTORY = Group(
    "History",
    {
        "urban_authorizations": "urban_authorizations",
        "dvf_sales": "dvf_sales",
        "lineage": "lineage",
        "former": "former_parcels",
        "is_lineage_known": "is_lineage_known",
        "section_divisions": "section_divisions",
    },
)
_PROPERTIES = Group(
    "LandUnitProperties",
    {
        "parcel_ids": "parcel_ids",
        "address": "address",
        "parcels": "parcels",
        "history": _HISTORY,
        **{name: name for name in BLOCKS},
        "coverage": "coverage",
        "sources": "sources",
        "warnings": "warnings",
    },
)
_PARCEL_FACTS = (
    "parcel_id", "commune_code", "prefix", "section", "number", "cadastral_area_m2", "geometric_area_m2", "is_surveyed",
    "created_on", "updated_on",
)  # fmt: skip
_TEXT: Json = {"type": "string"}
_FACTS: Mapping[str, Mapping[type[Message], Sequence[str]]] = {
    "sale": {pb.DvfSale: SALE_FACT},
    "permit": {pb.UrbanAuthorization: PERMIT_FACT},
    "plan": {
        pb.PlanningZone: ("label", "long_label", "zone_type", "sector_type", "document_id"),
        pb.PlanningDocument: ("document_type", "approved_on", "url"),
        pb.UrbanismBlock: ("is_rnu",),
    },
    "easement": {pb.Easement: ("category", "name", "type")},
    "prescription": {pb.PlanningPrescription: ("label", "type_code", "subtype_code")},
    "risk": {pb.Risk: ("status", "level", "label")},
    "lineage": {
        pb.ParcelLineage: ("mothers", "daughters", "kind", "date", "last_edition", "nature", "document"),
    },
}  # fmt: skip
"""The members of the facts of events by kind, which objects of other answers have too."""
_OWN_MEMBERS: Mapping[str, Mapping[str, Json]] = {
    "permit": {"series": _TEXT, "number": _TEXT},
    "plan": {"document": _TEXT},
    "easement": {"easement_id": _TEXT},
    "risk": {
        "question": _TEXT,
        "total": {"type": "integer"},
        "findings": array({"type": "object", "additionalProperties": True}),
    },
}
"""The members that only facts have."""


def _describe_fact(kind: str, components: Components) -> Json:
    """The fact of an event before or after a load. No member is required: an older event may lack some."""
    texts, language = dictionary(), components.language
    members = {
        name: components.schemas[SHAPES[message].describe(components)["$ref"].removeprefix(REF)]["properties"][name]
        for message, names in _FACTS[kind].items()
        for name in names
    } | {
        name: {**schema, "description": texts.description["fact", name].read(language)}
        for name, schema in _OWN_MEMBERS.get(kind, {}).items()
    }
    description = texts.values["event_kind", kind].text.read(language)
    return nullable(components.add_part(f"{kind.capitalize()}Fact", description, members))


def _event_members(kind: str) -> tuple[str, Mapping[str, Describe]]:
    return f"{kind.capitalize()}Event", dict.fromkeys(("before", "after"), partial(_describe_fact, kind))


LAYOUTS = {
    pb.ResolveAddressResponse: Layout(
        name="ResolveResponse", members={"address": "address", "parcel_ids": "parcels.parcel_id", "parcels": "parcels"}
    ),
    pb.SuggestAddressesResponse: Layout(name="SuggestResponse"),
    pb.ReverseAddressResponse: Layout(
        name="ReverseResponse",
        members={
            "address": "address",
            "distance_m": "distance_m",
            "parcel_ids": "parcels.parcel_id",
            "parcels": "parcels",
        },
    ),
    pb.Address: Layout(nullable=("matched",), null_if_empty=("id", "label", "score")),
    pb.ParcelMatch: Layout(members={"match": "kind"}),
    pb.Parcel: Layout(
        members={"match": "match.kind", "distance_m": "match.distance_m"}, nullable=("match",), omitted=("outline",)
    ),
    pb.DvfSale: Layout(omitted=("parcel_count",)),
    pb.LandUnit: Layout(
        name="LandUnitFeature",
        constants={"type": "Feature"},
        members={"properties": _PROPERTIES},
        optional=("bbox", *BLOCKS),
        nullable=("address", *BLOCKS),
        keyed={"coverage": "dataset"},
        variants={"coverage": Layout(omitted=("reason",))},
    ),
    pb.LandBlock: Layout(
        members={
            "commune": Group("Commune", {"code": "commune_code", "name": "commune_name"}, null_without="commune_code"),
            "department": "department_code",
        },
        nullable=("terrain", "nearby_authorizations"),
        omitted=("neighbours",),
        null_if_empty=("centroid",),
    ),
    pb.CommuneRules: Layout(nullable=("development_tax",)),
    pb.Terrain: Layout(omitted=("samples",)),
    pb.BuildingsBlock: Layout(nullable=("energy_ratings",)),
    pb.RisksBlock: Layout(nullable=("commune",)),
    pb.RiskZone: Layout(omitted=("geometry",)),
    pb.UrbanismBlock: Layout(nullable=("regulation",)),
    pb.RegulationRule: Layout(keyed={"scope": "name"}),
    pb.PlanningZone: Layout(omitted=("geometry",)),
    pb.PlanningPrescription: Layout(omitted=("geometry",)),
    pb.Easement: Layout(omitted=("geometry",), nullable=("generator", "act")),
    pb.RealEstateBlock: Layout(
        members={
            "period": Group("Period", {"from": "period_from", "to": "period_to"}),
            "summary": Group(
                "SalesSummary", {name: name for name in ("sale_count", "last_sale_on", "median_price_eur_per_m2")}
            ),
        },
        null_if_empty=("comparables_method",),
    ),
    pb.FoundParcel: Layout(
        name="ParcelFeature",
        constants={"type": "Feature"},
        members={
            "id": "parcel.parcel_id",
            "properties": Group(
                "ParcelProperties", {**{name: f"parcel.{name}" for name in _PARCEL_FACTS}, "edition": "edition"}
            ),
        },
    ),
    pb.SearchParcelsResponse: Layout(
        name="ParcelCollection",
        constants={"type": "FeatureCollection"},
        members={"features": "parcels", "next_cursor": "next_page_token"},
        null_if_empty=("next_page_token",),
        keyed={"coverage": "dataset"},
        variants={"coverage": Layout(omitted=("reason",))},
    ),
    pb.GetSaleStatisticsResponse: Layout(
        name="SaleStatistics",
        members={
            "commune_codes": "commune_codes",
            "period": Group("Period", {"from": "period_from", "to": "period_to"}),
            "groups": "groups",
        },
        keyed={"coverage": "dataset"},
        variants={"coverage": Layout(omitted=("reason",))},
    ),
    pb.MapFeature: Layout(constants={"type": "Feature"}, optional=("links",)),
    pb.ListFeaturesResponse: Layout(
        name="MapFeatureCollection",
        constants={"type": "FeatureCollection"},
        members={"numberReturned": "number_returned", "timeStamp": "time_stamp"},
        omitted=("next_page_token",),
        keyed={"coverage": "dataset"},
        variants={"coverage": Layout(omitted=("reason",))},
    ),
    pb.Warning: Layout(optional=("block", "dataset", "state", "retry")),
    pb.ListCommunesResponse: Layout(
        name="CommunesResponse", members={"next_cursor": "next_page_token"}, null_if_empty=("next_page_token",)
    ),
    pb.LoadedCommune: Layout(null_if_empty=("geometry",)),
    pb.GetCoverageResponse: Layout(
        name="CoverageResponse", members={"next_cursor": "next_page_token"}, null_if_empty=("next_page_token",)
    ),
    pb.ListWatchesResponse: Layout(
        name="WatchesResponse", members={"next_cursor": "next_page_token"}, null_if_empty=("next_page_token",)
    ),
    webhooks_pb2.CreateWebhookResponse: Layout(name="CreatedWebhook"),
    webhooks_pb2.ListWebhooksResponse: Layout(name="WebhooksResponse"),
    pb.Event: Layout(
        name="LandEvent", nullable=("before", "after"), kinds={kind: _event_members(kind) for kind in _FACTS}
    ),
    pb.ListEventsResponse: Layout(name="EventsResponse", null_if_empty=("next_after",)),
}
SHAPES = Shapes(LAYOUTS)
_FEATURE = SHAPES[pb.LandUnit]
_BLOCK_NAMES = enum_names(pb.Block.DESCRIPTOR)
RESOLUTION = SHAPES[pb.ResolveAddressResponse]
SUGGESTIONS = SHAPES[pb.SuggestAddressesResponse]
REVERSE = SHAPES[pb.ReverseAddressResponse]
PARCELS = SHAPES[pb.SearchParcelsResponse]
SALE_STATISTICS = SHAPES[pb.GetSaleStatisticsResponse]
MAP_FEATURE = SHAPES[pb.MapFeature]
MAP_FEATURES = SHAPES[pb.ListFeaturesResponse]
COVERAGE = SHAPES[pb.GetCoverageResponse]
COMMUNES = SHAPES[pb.ListCommunesResponse]
WATCH = SHAPES[pb.Watch]
WATCHES = SHAPES[pb.ListWatchesResponse]
EVENT = SHAPES[pb.Event]
WEBHOOKS = SHAPES[webhooks_pb2.ListWebhooksResponse]
CREATED_WEBHOOK = SHAPES[webhooks_pb2.CreateWebhookResponse]
EVENTS = SHAPES[pb.ListEventsResponse]
DATASET_STATE = SHAPES[pb.DatasetState]
FEATURE_COLLECTION = Composed(
    "FeatureCollection",
    {
        "type": {"type": "string", "const": "FeatureCollection"},
        "features": ListOf(_FEATURE),
        "bbox": array({"type": "number"}),
    },
    optional=("bbox",),
)


def feature_collection(unit: pb.LandUnit, request: pb.GetLandUnitRequest) -> Json:
    """One Feature, the union of the parcels. A requested block that the land unit does not have is null.

    The address is the one that land found, or else an echo of the request.
    """
    feature = _FEATURE.write(unit)
    properties = feature["properties"]
    for number in request.blocks:
        properties.setdefault(_BLOCK_NAMES[number], None)
    if properties["address"] is None and request.HasField("address"):
        parts: Any = {field.name: value for field, value in request.address.ListFields()}
        properties["address"] = SHAPES[pb.Address].write(pb.Address(**parts))
    collection: Json = {"type": "FeatureCollection", "features": [feature]}
    if "bbox" in feature:
        collection["bbox"] = feature["bbox"]
    return collection
