"""The domain's objects as messages, and requests as the domain's objects."""

from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from google.protobuf.message import Message

from land.addresses.model import Address, AddressQuery, Agreement, ParcelMatch, Resolution, Scope
from land.addresses.place_index import Point
from land.addresses.reverse import ReversedAddress
from land.answer_warnings import AnswerWarning
from land.easement_codes import CATEGORIES
from land.facts.altitudes import parsed
from land.provenance import Coverage, Source
from land.records.parcels import ParcelRecord
from land.sources.gpu_codes import information_type, prescription_label
from land.store.loads import Load
from land.units import geometry
from land.units.buildings import BuildingsBlock
from land.units.easements import Easement
from land.units.energy_ratings import EnergyRatings
from land.units.land import LandBlock
from land.units.model import Block, LandUnit
from land.units.overlap import PlanFeatureOverlap
from land.units.real_estate import Comparable, RealEstateBlock
from land.units.risks import Risk, RisksBlock
from land.units.terrain import Terrain
from land.units.urbanism import UrbanismBlock
from landpartner.land.v1 import land_pb2 as pb

M = TypeVar("M", bound=Message)
_ADDRESS_TYPES = {
    "housenumber": pb.ADDRESS_TYPE_HOUSENUMBER,
    "street": pb.ADDRESS_TYPE_STREET,
    "locality": pb.ADDRESS_TYPE_LOCALITY,
    "municipality": pb.ADDRESS_TYPE_MUNICIPALITY,
}
_MATCH_KINDS = {
    "declared": pb.PARCEL_MATCH_KIND_DECLARED,
    "containing": pb.PARCEL_MATCH_KIND_CONTAINING,
    "nearest": pb.PARCEL_MATCH_KIND_NEAREST,
}
_COVERAGE = {
    "covered": pb.COVERAGE_STATUS_COVERED,
    "not_covered": pb.COVERAGE_STATUS_NOT_COVERED,
    "partial": pb.COVERAGE_STATUS_PARTIAL,
    "loading": pb.COVERAGE_STATUS_LOADING,
    "not_published": pb.COVERAGE_STATUS_NOT_PUBLISHED,
    "not_loaded": pb.COVERAGE_STATUS_NOT_LOADED,
}
_BLOCKS: dict[int, Block] = {
    pb.BLOCK_LAND: "land",
    pb.BLOCK_URBANISM: "urbanism",
    pb.BLOCK_BUILDINGS: "buildings",
    pb.BLOCK_REAL_ESTATE: "real_estate",
    pb.BLOCK_RISKS: "risks",
}


def scope_of(value: int) -> Scope:
    return "demo" if value == pb.SCOPE_DEMO else "all"


def blocks_of(values: list[int]) -> list[Block]:
    return [_BLOCKS[value] for value in dict.fromkeys(values) if value in _BLOCKS]


def query_of(message: pb.AddressQuery) -> AddressQuery:
    return AddressQuery(
        label=message.label,
        street=message.street,
        number=message.number,
        postcode=message.postcode,
        city=message.city,
        city_code=message.city_code,
    )


def resolution(found: Resolution) -> pb.ResolveAddressResponse:
    return pb.ResolveAddressResponse(
        address=address(found.address),
        parcels=[parcel_match(match) for match in found.parcels],
        alternatives=[address(alternative) for alternative in found.alternatives],
        sources=[source(item) for item in found.sources],
        warnings=[warning(item) for item in found.warnings],
    )


def point_of(message: pb.Position) -> Point:
    return Point(message.latitude, message.longitude)


def reversed_address(found: ReversedAddress) -> pb.ReverseAddressResponse:
    return pb.ReverseAddressResponse(
        address=address(found.address),
        distance_m=found.distance_m,
        parcels=[parcel_match(match) for match in found.parcels],
        sources=[source(item) for item in found.sources],
        warnings=[warning(item) for item in found.warnings],
    )


def address(item: Address) -> pb.Address:
    return pb.Address(
        id=item.id,
        label=item.label,
        number=item.number,
        street=item.street,
        postcode=item.postcode,
        city=item.city,
        district=item.district,
        city_code=item.city_code,
        latitude=item.latitude,
        longitude=item.longitude,
        type=_ADDRESS_TYPES[item.type],
        score=item.score,
        matched=_agreement(item.matched),
    )


def _agreement(matched: Agreement) -> pb.AddressAgreement | None:
    """None if the address was not compared with a query."""
    shares = {part: round(share, 4) for part, share in vars(matched).items() if share is not None}
    return pb.AddressAgreement(**shares) if shares else None


def parcel_match(match: ParcelMatch) -> pb.ParcelMatch:
    return pb.ParcelMatch(parcel_id=match.parcel_id, kind=_MATCH_KINDS[match.kind], distance_m=match.distance_m)


def source(item: Source) -> pb.Source:
    return pb.Source(**vars(item))


def warning(item: AnswerWarning) -> pb.Warning:
    return pb.Warning(code=item.code, detail=str(item.detail), block=item.block)


def coverage(item: Coverage) -> pb.DatasetCoverage:
    return pb.DatasetCoverage(dataset=item.dataset, status=_COVERAGE[item.status], reason=item.reason)


def land_unit(unit: LandUnit, *, with_outlines: bool = False) -> pb.LandUnit:
    """`with_outlines` adds the outlines of several parcels, the parts of prescriptions and easements on the land unit,
    and samples of its altitude.
    """
    has_parcels = with_outlines and len(unit.parcels) > 1
    return pb.LandUnit(
        geometry=unit.geometry,
        bbox=unit.bbox,
        parcel_ids=[parcel.parcel_id for parcel in unit.parcels],
        address=address(unit.address) if unit.address else None,
        parcels=[parcel(each, unit.matches.get(each.parcel_id), with_outline=has_parcels) for each in unit.parcels],
        urban_authorizations=[
            _like(pb.UrbanAuthorization, permit, parcelle_id=parcel_id, num_dau=permit.number)
            for parcel_id, permit in unit.history.authorizations
        ],
        dvf_sales=[_like(pb.DvfSale, sale, code_commune=sale.commune_code) for sale in unit.history.sales],
        land=_land_block(unit.land, unit.parcels, with_outlines) if unit.land else None,
        buildings=_buildings_block(unit.buildings, unit) if unit.buildings else None,
        real_estate=_real_estate_block(unit.real_estate) if unit.real_estate else None,
        urbanism=_urbanism_block(unit.urbanism, with_outlines) if unit.urbanism else None,
        risks=_risks_block(unit.risks) if unit.risks else None,
        coverage=[coverage(item) for item in unit.coverage],
        sources=[source(item) for item in unit.sources],
        warnings=[warning(item) for item in unit.warnings],
    )


def _like(message: type[M], facts: object, **others: object) -> M:
    """A message with the facts whose names are names of its fields, and with the others."""
    types: tuple[Any, Any] = message, type(facts)  # mypy does not see that types are hashable
    names, values_of = _shared(*types)
    return message(**dict(zip(names, values_of(facts), strict=True)) | others)


@cache
def _shared(message: Any, facts: Any) -> tuple[Sequence[str], Callable[[object], Sequence[object]]]:
    """The names that a message type and a class of facts both have, and a function for their values."""
    fields = getattr(facts, "_fields", None) or facts.__dataclass_fields__
    names = [name for name in fields if name in message.DESCRIPTOR.fields_by_name]
    return names, attrgetter(*names)


def parcel(record: ParcelRecord, match: ParcelMatch | None = None, *, with_outline: bool = False) -> pb.Parcel:
    outline = geometry.to_geojson(geometry.from_wkb(record.geometry)) if with_outline and record.geometry else b""
    found = parcel_match(match) if match else None
    return _like(pb.Parcel, record, match=found, outline=outline)


def _land_block(block: LandBlock, parcels: Sequence[ParcelRecord], with_samples: bool) -> pb.LandBlock:
    only = parcels[0] if len(parcels) == 1 else None
    return _like(
        pb.LandBlock,
        block,
        addresses=[address(item) for item in block.addresses],
        owners=[_like(pb.Owner, item) for item in block.owners],
        section=only and only.section,
        number=only and only.number,
        prefix=only and only.prefix,
        terrain=_terrain(block.terrain, with_samples) if block.terrain else None,
    )


def _terrain(terrain: Terrain, with_samples: bool) -> pb.Terrain:
    samples = parsed(" ".join(terrain.samples)).tolist() if with_samples else ()
    return _like(
        pb.Terrain,
        terrain,
        samples=[
            pb.AltitudeSample(position=pb.Position(latitude=latitude, longitude=longitude), altitude_m=altitude)
            for longitude, latitude, altitude in samples
        ],
    )


def _buildings_block(block: BuildingsBlock, unit: LandUnit) -> pb.BuildingsBlock:
    return _like(
        pb.BuildingsBlock,
        block,
        items=[_like(pb.Building, item) for item in block.items],
        joint_ownerships=[_like(pb.JointOwnership, item) for item in unit.joint_ownerships],
        energy_ratings=_energy_ratings(unit.energy_ratings) if unit.energy_ratings else None,
    )


def _energy_ratings(ratings: EnergyRatings) -> pb.EnergyRatings:
    return _like(
        pb.EnergyRatings,
        ratings,
        energy=[pb.RatingCount(letter=letter, count=count) for letter, count in ratings.energy.items()],
        greenhouse_gas=[pb.RatingCount(letter=letter, count=count) for letter, count in ratings.greenhouse_gas.items()],
        joined_by=[pb.JoinCount(join=join, count=count) for join, count in ratings.joined_by.items()],
    )


def _urbanism_block(block: UrbanismBlock, with_outlines: bool) -> pb.UrbanismBlock:
    return pb.UrbanismBlock(
        documents=[_like(pb.PlanningDocument, each, id=each.document_id) for each in block.documents],
        zones=[
            _like(pb.PlanningZone, each.zone, overlap_area_m2=each.area_m2, overlap_ratio=each.ratio)
            for each in block.zones
        ],
        prescriptions=[_prescription(each, with_outlines) for each in block.prescriptions],
        informations=[_information(each) for each in block.informations],
        is_rnu=block.is_rnu,
        easements=[_easement(each, with_outlines) for each in block.easements.items] if block.easements else (),
        published_easement_categories=block.easements.published_categories if block.easements else (),
    )


def _prescription(overlap: PlanFeatureOverlap, with_outline: bool) -> pb.PlanningPrescription:
    feature = overlap.feature
    return _like(
        pb.PlanningPrescription,
        feature,
        type_label=prescription_label(feature.type_code, feature.subtype_code),
        overlap_area_m2=overlap.area_m2,
        overlap_length_m=overlap.length_m,
        geometry=overlap.piece.geojson() if with_outline else b"",
    )


def _information(overlap: PlanFeatureOverlap) -> pb.PlanningInformation:
    feature = overlap.feature
    official = information_type(feature.type_code, feature.subtype_code)
    return _like(
        pb.PlanningInformation,
        feature,
        type_label=official and official.label,
        legal_reference=official and official.legal_reference,
        overlap_area_m2=overlap.area_m2,
        overlap_length_m=overlap.length_m,
    )


def _easement(easement: Easement, with_outline: bool) -> pb.Easement:
    facts = easement.facts
    has_generator, has_act = facts.generator_name or facts.generator_type, facts.act_name or facts.act_url
    return _like(
        pb.Easement,
        facts._replace(geometry=easement.piece.geojson() if with_outline else b""),
        category_label=CATEGORIES.get(facts.category),
        overlap_area_m2=easement.area_m2,
        overlap_ratio=easement.ratio,
        overlap_length_m=easement.length_m,
        generator=pb.EasementGenerator(name=facts.generator_name or "", type=facts.generator_type)
        if has_generator
        else None,
        act=_like(pb.EasementAct, facts, name=facts.act_name or "", type=facts.act_type, url=facts.act_url)
        if has_act
        else None,
    )


def _real_estate_block(block: RealEstateBlock) -> pb.RealEstateBlock:
    return _like(
        pb.RealEstateBlock,
        block,
        comparables_method=str(block.comparables_method),
        comparables=[_comparable(item) for item in block.comparables],
    )


def _comparable(item: Comparable) -> pb.ComparableSale:
    sale = item.sale
    return _like(
        pb.ComparableSale,
        sale,
        valeur_fonciere=sale.price_eur,
        surface_reelle_bati=sale.built_m2,
        surface_terrain=sale.land_m2,
        price_eur_per_m2=round(item.price_eur_per_m2, 2),
        distance_m=round(item.distance_m, 1),
        parcel_ids=sale.parcel_ids.split("|"),
    )


def _risks_block(block: RisksBlock) -> pb.RisksBlock:
    recorded, disasters = block.recorded_risks, block.natural_disasters
    dates = [each.retrieved_at for each in (recorded, disasters) if each.retrieved_at]
    commune = pb.CommuneRisks(
        recorded_risks=[each.finding.name for each in recorded.findings],
        natural_disasters=[
            _like(pb.NaturalDisaster, each, label=each.name, began_on=each.date)
            for each in (placed.finding for placed in disasters.findings)
        ],
        natural_disaster_count=None if disasters.status == "unavailable" else disasters.total,
        recorded_risks_status=recorded.status,
        natural_disasters_status=disasters.status,
        retrieved_at=min(dates, default=None),
        reason=recorded.reason or disasters.reason,
    )
    return pb.RisksBlock(items=map(_risk, block.items), commune=commune)


def _risk(item: Risk) -> pb.Risk:
    findings = [_like(pb.RiskFinding, each.finding, distance_m=each.distance_m) for each in item.findings]
    return _like(pb.Risk, item, findings=findings)


def loaded_dataset(load: Load) -> pb.LoadedDataset:
    return _like(pb.LoadedDataset, load, unit=load.partition.code, part=load.partition.part)
