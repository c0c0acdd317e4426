"""The domain's objects as messages, and requests as the domain's objects.

A field of a message takes the attribute of its name. `_WRITERS` has the messages of which that is not all.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from types import SimpleNamespace
from typing import Any

import orjson
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from contract.enums import enum_names, enum_numbers
from contract.messages.land import feature_collection
from land.addresses.model import Address, AddressQuery, Agreement, Scope
from land.addresses.place_index import Point
from land.answers.provenance import Coverage
from land.datasets.easements.codes import CATEGORIES
from land.datasets.owners.records import GROUPS, PUBLIC_GROUPS, RIGHTS
from land.datasets.planning.codes import information_type, prescription_label
from land.datasets.planning.records import PlanFeatureRecord
from land.datasets.relief.rows import parsed
from land.loading.load_queue import LoadKey, LoadState
from land.unit_answers import WrittenLandUnit
from land.units import geometry
from land.units.assembly import of_selection, with_states
from land.units.easements import Easement
from land.units.land import LandBlock
from land.units.model import Block, LandUnit
from land.units.overlap import Overlap
from land.units.owners import Owner
from land.units.regulation import RegulationRule
from land.units.risks import RisksBlock
from land.units.terrain import Terrain
from landpartner.land.v1 import land_pb2 as pb
from servicekit.languages import language
from servicekit.rpc_messages import M, with_attributes

_STATUSES = enum_names(pb.CoverageStatus.DESCRIPTOR)
_BLOCKS = enum_names(pb.Block.DESCRIPTOR)


def scope_of(value: int) -> Scope:
    return "demo" if value == pb.SCOPE_DEMO else "all"


def blocks_of(values: list[int]) -> list[Block]:
    return [_BLOCKS[value] for value in dict.fromkeys(values) if value in _BLOCKS]


def query_of(message: pb.AddressQuery) -> AddressQuery:
    return AddressQuery(**{name: getattr(message, name) for name in pb.AddressQuery.DESCRIPTOR.fields_by_name})


def point_of(message: pb.Position) -> Point:
    return Point(message.latitude, message.longitude)


def message_of(kind: type[M], item: Any) -> M:
    """The message of an item of the domain."""
    write: Callable[[Any], Any] | None = _WRITERS.get(kind)
    return filled(kind, item) if write is None else write(item)


def filled(kind: type[M], item: object, **values: Any) -> M:
    """A message whose fields have the attributes of the same names, except for those in `values`. Of an item that is
    None, only `values`. A member of an enum may have its name in JSON. Items of the domain become messages, and so do
    dicts of all fields.

    Raises AttributeError if a field has neither, and ValueError if there is no field for one of `values`.
    """
    if item is not None:
        values = with_attributes(kind, item, values)
    for name, convert in _converters(kind.DESCRIPTOR):
        if values.get(name) is not None:
            values[name] = convert(values[name])
    return kind(**values)


@cache
def _converters(descriptor: Any) -> Sequence[tuple[str, Callable[[Any], Any]]]:
    """What converts the values of a message's fields, by their names. Most fields take them as they are."""
    return [(field.name, convert) for field in descriptor.fields if (convert := _converter(field))]


def _converter(field: Any) -> Callable[[Any], Any] | None:
    if field.enum_type is not None:
        numbers = enum_numbers(field.enum_type)
        return lambda value: numbers.get(value, value)
    if field.message_type is None:
        return None
    kind = GetMessageClass(field.message_type)

    def convert(item: Any) -> Message:
        if isinstance(item, Message):
            return item
        return filled(kind, SimpleNamespace(**item)) if isinstance(item, dict) else message_of(kind, item)

    return (lambda items: list(map(convert, items))) if field.is_repeated else convert


def write_land_unit(unit: LandUnit) -> bytes:
    """The serialized message. If several follow each other, they are one message, whose lists have the items of all."""
    return message_of(pb.LandUnit, unit).SerializeToString()


def read_land_unit(written: WrittenLandUnit) -> pb.LandUnit:
    """The message, with what its selection adds."""
    selection = of_selection(written.selected)
    message = pb.LandUnit.FromString(b"".join((write_land_unit(selection), *written.pieces)))
    if states := written.selected.states:
        _state_loads(message, states, written.blocks)
    matches = {match.parcel_id: message_of(pb.ParcelMatch, match) for match in selection.matches}
    for item in message.parcels if matches else ():
        item.match.CopyFrom(matches[item.parcel_id])
    _warn_once_of_datasets(message)
    return message


def write_geojson(request: pb.GetLandUnitRequest, written: WrittenLandUnit) -> bytes:
    """The answer to the request as partners get it."""
    return orjson.dumps(feature_collection(read_land_unit(written), request))


def _state_loads(message: pb.LandUnit, states: Mapping[LoadKey, LoadState], blocks: Sequence[Block]) -> None:
    """Says which loads have failed or last."""
    items = tuple((item.dataset, item.status, item.reason) for item in message.coverage)
    message.ClearField("coverage")
    message.MergeFromString(_stated_loads(items, tuple(states.items()), tuple(blocks), language.get()))


@lru_cache(maxsize=1_000)
def _stated_loads(
    items: Sequence[tuple[str, int, str]], states: Sequence[tuple[LoadKey, LoadState]], blocks: Sequence[Block], _: str
) -> bytes:
    """The coverage with these states of loads, and the warnings of loads in the language of the call."""
    stated_items = [Coverage(dataset, _STATUSES[status], reason or None) for dataset, status, reason in items]
    return write_land_unit(with_states(LandUnit(coverage=stated_items), dict(states), blocks))


def _warn_once_of_datasets(message: pb.LandUnit) -> None:
    """Keeps the warnings of one code for each dataset, those of its load if there are any, and adds its state."""
    states = {item.dataset: item.status for item in message.coverage}
    codes: dict[str, str] = {}
    blocks: dict[str, set[str]] = {}
    for item in sorted(message.warnings, key=lambda item: not item.retry):
        codes.setdefault(item.dataset, item.code)
        blocks.setdefault(item.dataset, set()).add(item.block)
    for index in reversed(range(len(message.warnings))):
        item = message.warnings[index]
        if not item.dataset:
            continue
        if item.code != codes[item.dataset]:
            del message.warnings[index]
            continue
        if len(blocks[item.dataset]) > 1:
            item.ClearField("block")
        if item.dataset in states:
            item.state = states[item.dataset]


def without_outlines(message: pb.LandUnit) -> pb.LandUnit:
    """The message, from which outlines and samples of altitudes are taken."""
    urbanism = message.urbanism
    for item in message.parcels:
        item.ClearField("outline")
    for overlap in (*urbanism.zones, *urbanism.prescriptions, *urbanism.easements, *message.risks.zones):
        overlap.ClearField("geometry")
    if message.HasField("land"):
        message.land.ClearField("neighbours")
    if message.land.HasField("terrain"):
        message.land.terrain.ClearField("samples")
    return message


def land_unit(unit: LandUnit) -> pb.LandUnit:
    """The message with all outlines: those of several parcels, the parts of zones, prescriptions and easements on the
    land unit, and samples of its altitude.
    """
    matches = {match.parcel_id: match for match in unit.matches}
    outlines = {record.parcel_id: record.geometry for record in unit.parcels if len(unit.parcels) > 1}
    parcels = [
        filled(pb.Parcel, record, match=matches.get(record.parcel_id), outline=_geojson(outlines.get(record.parcel_id)))
        for record in unit.parcels
    ]
    return filled(
        pb.LandUnit,
        unit,
        parcel_ids=[record.parcel_id for record in unit.parcels],
        parcels=parcels,
        urban_authorizations=unit.history.authorizations,
        dvf_sales=unit.history.sales,
        lineage=unit.history.lineage,
        former_parcels=unit.history.former,
        is_lineage_known=unit.history.is_lineage_known,
        section_divisions=unit.history.divisions,
        land=_land_block(unit.land, unit) if unit.land else None,
        buildings=_buildings_block(unit),
        urbanism=_urbanism_block(unit),
        risks=_risks_block(unit),
    )


def _geojson(outline: bytes | None) -> bytes:
    return geometry.to_geojson(geometry.from_wkb(outline)) if outline else b""


def _address(address: Address) -> pb.Address:
    """Without an agreement if the address was not compared with a query."""
    shares = {part: None if share is None else round(share, 4) for part, share in vars(address.matched).items()}
    return filled(pb.Address, address, matched=None if address.matched == Agreement() else shares)


def _land_block(block: LandBlock, unit: LandUnit) -> pb.LandBlock:
    only = block.only_parcel
    return filled(
        pb.LandBlock,
        block,
        section=only.section if only else None,
        number=only.number if only else None,
        prefix=only.prefix if only else None,
        nearby_authorizations=unit.nearby_permits,
        commune_rules=unit.commune_rules,
        farmed_land=unit.farmed_land,
    )


def _owner(rights: Owner) -> pb.Owner:
    first = rights[0]
    return filled(
        pb.Owner,
        first,
        group_label=GROUPS.get(first.group_code or ""),
        right_label=RIGHTS[first.right_code],
        is_public=first.group_code in PUBLIC_GROUPS,
        parcel_ids=[right.parcel_id for right in rights],
    )


def _terrain(terrain: Terrain) -> pb.Terrain:
    samples = [
        {"position": {"latitude": latitude, "longitude": longitude}, "altitude_m": altitude}
        for longitude, latitude, altitude in parsed(" ".join(terrain.samples)).tolist()
    ]
    return filled(pb.Terrain, terrain, samples=samples)


def _buildings_block(unit: LandUnit) -> pb.BuildingsBlock | None:
    if not (unit.buildings or unit.joint_ownerships or unit.energy_ratings):
        return None
    return filled(
        pb.BuildingsBlock,
        unit.buildings,
        joint_ownerships=unit.joint_ownerships,
        energy_ratings=unit.energy_ratings,
    )


def _urbanism_block(unit: LandUnit) -> pb.UrbanismBlock | None:
    block = unit.urbanism
    if block is None and not unit.nearby_monuments:
        return None
    easements = block.easements if block else None
    return filled(
        pb.UrbanismBlock,
        block,
        easements=easements.items if easements else (),
        published_easement_categories=easements.published_categories if easements else (),
        nearby_monuments=unit.nearby_monuments,
        regulation=unit.regulation.regulation if unit.regulation else None,
        rules=unit.regulation.rules if unit.regulation else (),
    )


def _rule(rule: RegulationRule) -> pb.RegulationRule:
    row = SimpleNamespace(**{**dict.fromkeys(pb.RegulationRule.DESCRIPTOR.fields_by_name), **rule.row})
    scope = [{"name": name, "value": value} for name, value in (row.scope or {}).items()]
    known = {"id": rule.id, "zone": rule.zone, "url": rule.url, "text": rule.text}
    return filled(pb.RegulationRule, row, scope=scope, is_ambiguous=rule.row.get("ambiguous", False), **known)


def _easement(easement: Easement) -> pb.Easement:
    record = easement.record
    generator = {"name": record.generator_name or "", "type": record.generator_type}
    act = {
        "name": record.act_name or "", "type": record.act_type, "decided_on": record.decided_on, "url": record.act_url
    }  # fmt: skip
    return filled(
        pb.Easement,
        record,
        category_label=CATEGORIES.get(record.category),
        overlap_area_m2=easement.area_m2,
        overlap_ratio=easement.ratio,
        overlap_length_m=easement.length_m,
        generator=generator if record.generator_name or record.generator_type else None,
        act=act if record.act_name or record.act_url else None,
        geometry=easement.geojson(),
    )


def _risks_block(unit: LandUnit) -> pb.RisksBlock | None:
    if not (unit.risks or unit.risk_zones):
        return None
    return filled(pb.RisksBlock, unit.risks, commune=unit.risks, zones=unit.risk_zones)


def _commune_risks(block: RisksBlock) -> pb.CommuneRisks:
    recorded, disasters = block.recorded_risks, block.natural_disasters
    return pb.CommuneRisks(
        recorded_risks=[finding.name for finding in recorded.findings],
        natural_disasters=[
            filled(pb.NaturalDisaster, finding, id=finding.id or "", label=finding.name, began_on=finding.date)
            for finding in disasters.findings
        ],
        natural_disaster_count=None if disasters.status == "unavailable" else disasters.total,
        recorded_risks_status=recorded.status,
        natural_disasters_status=disasters.status,
        retrieved_at=min(filter(None, (recorded.retrieved_at, disasters.retrieved_at)), default=None),
        reason=recorded.reason or disasters.reason,
    )


def _zone(kind: type[M], overlap: Overlap[Any]) -> M:
    """A zone of a plan, or of a risk prevention plan."""
    area_m2, ratio = overlap.area_m2, overlap.ratio
    return filled(kind, overlap.record, overlap_area_m2=area_m2, overlap_ratio=ratio, geometry=overlap.geojson())


def _information(overlap: Overlap[PlanFeatureRecord]) -> pb.PlanningInformation:
    feature = overlap.record
    label, article = information_type(feature.type_code, feature.subtype_code)
    return filled(
        pb.PlanningInformation,
        feature,
        type_label=label,
        legal_reference=article,
        overlap_area_m2=overlap.area_m2,
        overlap_length_m=overlap.length_m,
    )


def _counts(name: str, counts: Mapping[str, int]) -> list[dict[str, Any]]:
    return [{name: value, "count": count} for value, count in counts.items()]


_WRITERS: Mapping[type[Message], Callable[[Any], Message]] = {
    pb.Address: _address,
    pb.CommuneRisks: _commune_risks,
    pb.CommuneRules: lambda rules: filled(
        pb.CommuneRules,
        rules,
        development_tax=rules.tax,
        mountain_law=rules.mountain,
        coast_law=rules.coast,
        plan_in_force=rules.plan.plan if rules.plan else None,
        plan_under_way=rules.plan.plan_under_way if rules.plan else None,
    ),
    pb.ComparableSale: lambda comparable: filled(
        pb.ComparableSale,
        comparable.sale,
        valeur_fonciere=comparable.sale.price_eur,
        surface_reelle_bati=comparable.sale.built_m2,
        surface_terrain=comparable.sale.land_m2,
        price_eur_per_m2=round(comparable.price_eur_per_m2, 2),
        distance_m=round(comparable.distance_m, 1),
        parcel_ids=comparable.sale.parcel_ids.split("|"),
    ),
    pb.DatasetState: lambda state: filled(
        pb.DatasetState,
        state.loads,
        way=state.way,
        refresh_at=state.refresh_at,
        dataset=state.dataset.id,
        publisher=state.dataset.licence.publisher,
        title=state.dataset.licence.dataset,
        licence=state.dataset.licence.licence,
        url=state.dataset.licence.url,
        partition=state.dataset.kind,
    ),
    pb.DvfSale: lambda sale: filled(pb.DvfSale, sale, code_commune=sale.commune_code),
    pb.Easement: _easement,
    pb.EnergyRatings: lambda ratings: filled(
        pb.EnergyRatings,
        ratings,
        energy=_counts("letter", ratings.energy),
        greenhouse_gas=_counts("letter", ratings.greenhouse_gas),
        joined_by=_counts("join", ratings.joined_by),
    ),
    pb.FormerParcel: lambda parcel: filled(
        pb.FormerParcel, parcel, urban_authorizations=parcel.authorizations, dvf_sales=parcel.sales
    ),
    pb.FoundParcel: lambda found: filled(
        pb.FoundParcel,
        found,
        geometry=geometry.to_geojson(geometry.polygons_of(geometry.from_wkb(found.record.geometry))),
        parcel=found.record,
    ),
    pb.JointOwnership: lambda rows: filled(pb.JointOwnership, rows[0], parcel_ids=[row.parcel_id for row in rows]),
    pb.LandUnit: land_unit,
    pb.LoadedCommune: lambda commune: filled(
        pb.LoadedCommune, commune, geometry=geometry.to_geojson(commune.geometry) if commune.geometry else b""
    ),
    pb.LoadedDataset: lambda load: filled(pb.LoadedDataset, load, unit=load.partition.code, part=load.partition.part),
    pb.NearbyAuthorization: lambda near: filled(
        pb.NearbyAuthorization, near, authorization=(near.parcel_id, near.permit)
    ),
    pb.Owner: _owner,
    pb.Parcel: lambda record: filled(pb.Parcel, record, match=None, outline=b""),
    pb.PlanningDocument: lambda record: filled(pb.PlanningDocument, record, id=record.document_id),
    pb.PlanningInformation: _information,
    pb.PlanningPrescription: lambda overlap: filled(
        pb.PlanningPrescription,
        overlap.record,
        type_label=prescription_label(overlap.record.type_code, overlap.record.subtype_code),
        overlap_area_m2=overlap.area_m2,
        overlap_length_m=overlap.length_m,
        geometry=overlap.geojson(),
    ),
    pb.PlanningZone: partial(_zone, pb.PlanningZone),
    pb.RealEstateBlock: lambda block: filled(
        pb.RealEstateBlock, block, comparables_method=str(block.comparables_method)
    ),
    pb.RegulationRule: _rule,
    pb.RiskZone: partial(_zone, pb.RiskZone),
    pb.Terrain: _terrain,
    pb.UrbanAuthorization: lambda placed: filled(
        pb.UrbanAuthorization, placed[1], parcelle_id=placed[0], num_dau=placed[1].number
    ),
    pb.Warning: lambda item: filled(pb.Warning, item, detail=str(item.detail), state=None),
}
"""What writes the messages that need more than the attributes of their names."""
