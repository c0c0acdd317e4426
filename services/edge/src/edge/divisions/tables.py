"""The layers and tables of a division's GeoPackage, in the legal projection of the territory.

The fields of the drawing's messages that are texts, numbers, booleans or lists of texts are columns of the same name.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import orjson
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from contract.messages.schemas import Json
from contract.messages.values import Field
from edge.batches.geometry import as_multi
from edge.batches.geopackage import GeoPackage, Projection, Table
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.land.v1 import land_pb2

_KINDS = {
    FieldDescriptor.CPPTYPE_STRING: "TEXT",
    FieldDescriptor.CPPTYPE_DOUBLE: "REAL",
    FieldDescriptor.CPPTYPE_INT32: "INTEGER",
    FieldDescriptor.CPPTYPE_BOOL: "BOOLEAN",
}
_POLYGONS, _LINES, _ANY = "MULTIPOLYGON", "MULTILINESTRING", "GEOMETRY"
_SEPARATOR = "; "


class _Columns(NamedTuple):
    declared: Sequence[tuple[str, str]]
    read: Callable[[Any], list[object]]


def _columns(message: type[Message], omitted: Collection[str] = ()) -> _Columns:
    fields = [field for field in message.DESCRIPTOR.fields if field.cpp_type in _KINDS and field.name not in omitted]
    fields = [field for field in fields if field.type != FieldDescriptor.TYPE_BYTES]

    def read(row: Any) -> list[object]:
        return [_value(row, field) for field in fields]

    return _Columns([(field.name, "TEXT" if field.is_repeated else _KINDS[field.cpp_type]) for field in fields], read)


def _value(message: Any, field: Field) -> object:
    value = getattr(message, field.name)
    if field.is_repeated:
        return _SEPARATOR.join(value)
    return None if field.has_presence and not message.HasField(field.name) else value


_LOT, _SIDE, _WAY = _columns(pb.Lot), _columns(pb.LotSide), _columns(pb.SharedWay)
_PROPOSAL, _METRICS, _TERM = _columns(pb.Proposal), _columns(pb.ProposalMetrics), _columns(pb.ScoreTerm)
_PARCEL, _RESTRICTION = _columns(pb.DrawnParcel), _columns(pb.DrawnRestriction, ("kind",))
_SOURCE = _columns(land_pb2.Source)
_RANK, _LOT_ID = ("proposal", "INTEGER"), ("lot", "TEXT")
_CHECK_TEXTS = ("code", "status", "detail", "value", "threshold", "unit", "legal_refs", "settled_by")
_ABOUT = ("verdict", "confidence", "procedure", "summary", "disclaimer", "rules_version")
_TABLES = (
    Table("land_unit", [("place", "TEXT")], _POLYGONS),
    Table("parcels", _PARCEL.declared, _POLYGONS),
    Table("frontage", [], _LINES),
    Table("buildings", [], _POLYGONS),
    Table("prescriptions", _RESTRICTION.declared, _ANY),
    Table("easements", _RESTRICTION.declared, _ANY),
    Table("lots", [_RANK, *_LOT.declared], _POLYGONS),
    Table("sides", [_RANK, _LOT_ID, *_SIDE.declared], _LINES),
    Table("envelopes", [_RANK, _LOT_ID], _POLYGONS),
    Table("shared_ways", [_RANK, *_WAY.declared], _POLYGONS),
    Table("proposals", [*_PROPOSAL.declared, *_METRICS.declared]),
    Table("score_terms", [_RANK, *_TERM.declared]),
    Table("checks", [(name, "TEXT") for name in _CHECK_TEXTS]),
    Table("sources", _SOURCE.declared),
    Table("about", [("name", "TEXT"), ("value", "TEXT")]),
)
_RESTRICTIONS = {"prescription": "prescriptions", "easement": "easements"}


def division_geopackage(drawing: pb.Drawing, assessment: Json) -> bytes:
    """The file. The same drawing and assessment give the same bytes."""
    projection = Projection(drawing.projection, drawing.projection_name, drawing.projection_wkt)
    file = GeoPackage(_TABLES, projection, drawing.generated_at)
    try:
        for table, values, geometry in _rows(drawing, assessment):
            file.add(table, values, _geometry(geometry, is_any=table in _RESTRICTIONS.values()))
        return file.content()
    finally:
        file.close()


_Row = tuple[str, Sequence[object], bytes]


def _rows(drawing: pb.Drawing, assessment: Json) -> Iterator[_Row]:
    if drawing.land_unit:
        yield "land_unit", [drawing.place], drawing.land_unit
    for parcel in drawing.parcels:
        yield "parcels", _PARCEL.read(parcel), parcel.geometry
    if drawing.frontage:
        yield "frontage", [], drawing.frontage
    for building in drawing.buildings:
        yield "buildings", [], building
    for restriction in drawing.restrictions:
        if restriction.kind in _RESTRICTIONS:
            yield _RESTRICTIONS[restriction.kind], _RESTRICTION.read(restriction), restriction.geometry
    for proposal in drawing.proposals:
        yield from _proposal(proposal)
    for check in assessment["checks"]:
        yield "checks", [_text(check.get(name)) for name in _CHECK_TEXTS], b""
    for source in drawing.sources:
        yield "sources", _SOURCE.read(source), b""
    for name in _ABOUT:
        value = assessment[name]
        yield "about", [name, _text(value["label"] if isinstance(value, dict) else value)], b""
    yield "about", ["generated_at", drawing.generated_at], b""


def _proposal(proposal: pb.Proposal) -> Iterator[_Row]:
    rank = proposal.rank
    yield "proposals", [*_PROPOSAL.read(proposal), *_METRICS.read(proposal.metrics)], b""
    for term in proposal.metrics.score_terms:
        yield "score_terms", [rank, *_TERM.read(term)], b""
    if proposal.HasField("shared_way"):
        yield "shared_ways", [rank, *_WAY.read(proposal.shared_way)], proposal.shared_way.geometry
    for lot in proposal.lots:
        yield "lots", [rank, *_LOT.read(lot)], lot.geometry
        if lot.buildable_envelope:
            yield "envelopes", [rank, lot.id], lot.buildable_envelope
        for side in lot.sides:
            yield "sides", [rank, lot.id, *_SIDE.read(side)], side.geometry


def _geometry(content: bytes, *, is_any: bool) -> Json | None:
    if not content:
        return None
    geojson: Json = orjson.loads(content)
    return geojson if is_any else as_multi(geojson)


def _text(value: object) -> str | None:
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case [*items]:
            return _SEPARATOR.join(map(str, items))
        case _:
            return str(value)
