"""The domain's objects as messages, and requests as the domain's objects."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import orjson

from contract.enums import enum_names, enum_numbers
from contract.messages.land import feature_collection
from land.addresses.model import Address, AddressQuery, Agreement, ParcelMatch, Resolution, Scope
from land.addresses.place_index import Point
from land.addresses.reverse import ReversedAddress
from land.answers.provenance import Coverage, Source, Stated
from land.answers.warnings import AnswerWarning
from land.datasets.easements.codes import CATEGORIES
from land.datasets.owners.records import GROUPS, PUBLIC_GROUPS, RIGHTS
from land.datasets.parcels.records import ParcelRecord
from land.datasets.permits.records import PermitRecord
from land.datasets.planning.codes import information_type, prescription_label
from land.datasets.planning.records import PlanFeatureRecord
from land.datasets.relief.rows import parsed
from land.datasets.sales.records import Sale
from land.loading.load_queue import LoadKey, LoadState
from land.loading.loaded_data import DatasetState, LoadedCommune
from land.parcel_search.sale_statistics import SaleStatistics
from land.store.loads import Load
from land.unit_answers import WrittenLandUnit
from land.units import geometry
from land.units.assembly import of_selection, with_states
from land.units.commune_rules import CommuneRules
from land.units.easements import Easement
from land.units.energy_ratings import EnergyRatings
from land.units.history import FormerParcel
from land.units.land import LandBlock
from land.units.model import Block, LandUnit
from land.units.nearby_permits import NearbyPermits
from land.units.overlap import Overlap
from land.units.owners import Owner
from land.units.real_estate import Comparable, RealEstateBlock
from land.units.regulation import RegulationRule
from land.units.risks import PlacedFinding, RisksBlock
from land.units.terrain import Terrain
from land.units.urbanism import UrbanismBlock
from landpartner.land.v1 import land_pb2 as pb
from servicekit.languages import language
from servicekit.rpc_messages import M, filled

_ADDRESS_TYPES = enum_numbers(pb.AddressType.DESCRIPTOR)
_MATCH_KINDS = enum_numbers(pb.ParcelMatchKind.DESCRIPTOR)
_COVERAGE = enum_numbers(pb.CoverageStatus.DESCRIPTOR)
_STATUSES = enum_names(pb.CoverageStatus.DESCRIPTOR)
_BLOCKS = enum_names(pb.Block.DESCRIPTOR)


def scope_of(value: int) -> Scope:
    return "demo" if value == pb.SCOPE_DEMO else "all"


def blocks_of(values: list[int]) -> list[Block]:
    return [_BLOCKS[value] for value in dict.fromkeys(values) if value in _BLOCKS]


def query_of(message: pb.AddressQuery) -> AddressQuery:
    return AddressQuery(**{name: getattr(message, name) for name in pb.AddressQuery.DESCRIPTOR.fields_by_name})


def resolution(resolution: Resolution) -> pb.ResolveAddressResponse:
    return filled(
        pb.ResolveAddressResponse,
        resolution,
        address=address(resolution.address),
        parcels=map(parcel_match, resolution.parcels),
        alternatives=map(address, resolution.alternatives),
        **stated(resolution),
    )


def point_of(message: pb.Position) -> Point:
    return Point(message.latitude, message.longitude)


def reversed_address(nearest: ReversedAddress) -> pb.ReverseAddressResponse:
    return filled(
        pb.ReverseAddressResponse,
        nearest,
        address=address(nearest.address),
        parcels=map(parcel_match, nearest.parcels),
        **stated(nearest),
    )


def address(item: Address) -> pb.Address:
    return filled(pb.Address, item, type=_ADDRESS_TYPES[item.type], matched=_agreement(item.matched))


def _agreement(matched: Agreement) -> pb.AddressAgreement | None:
    """None if the address was not compared with a query."""
    if matched == Agreement():
        return None
    rounded = {part: None if share is None else round(share, 4) for part, share in vars(matched).items()}
    return filled(pb.AddressAgreement, matched, **rounded)


def parcel_match(match: ParcelMatch) -> pb.ParcelMatch:
    return filled(pb.ParcelMatch, match, kind=_MATCH_KINDS[match.kind])


def source(source: Source) -> pb.Source:
    return filled(pb.Source, source)


def warning(item: AnswerWarning) -> pb.Warning:
    return pb.Warning(code=item.code, detail=str(item.detail), block=item.block, dataset=item.dataset, retry=item.retry)


def sale_statistics(item: SaleStatistics) -> pb.GetSaleStatisticsResponse:
    groups = [filled(pb.SaleGroup, group) for group in item.groups]
    return filled(pb.GetSaleStatisticsResponse, item, groups=groups, **stated(item))


def coverage(item: Coverage) -> pb.DatasetCoverage:
    return filled(pb.DatasetCoverage, item, status=_COVERAGE[item.status])


def stated(answer: Stated) -> dict[str, Any]:
    """What answers state of their facts, as far as there is some."""
    writers: dict[str, Any] = {"coverage": coverage, "sources": source, "warnings": warning}
    return {name: map(write, getattr(answer, name)) for name, write in writers.items() if getattr(answer, name)}


def land_unit(unit: LandUnit) -> pb.LandUnit:
    """The message with all outlines: those of several parcels, the parts of zones, prescriptions and easements on the
    land unit, and samples of its altitude.
    """
    matches = {match.parcel_id: match for match in unit.matches}
    has_several = len(unit.parcels) > 1
    return filled(
        pb.LandUnit,
        unit,
        parcel_ids=[record.parcel_id for record in unit.parcels],
        address=address(unit.address) if unit.address else None,
        parcels=[parcel(record, matches.get(record.parcel_id), with_outline=has_several) for record in unit.parcels],
        urban_authorizations=[_authorization(parcel_id, permit) for parcel_id, permit in unit.history.authorizations],
        dvf_sales=map(_sale, unit.history.sales),
        lineage=[filled(pb.ParcelLineage, change) for change in unit.history.lineage],
        former_parcels=map(_former_parcel, unit.history.former),
        is_lineage_known=unit.history.is_lineage_known,
        section_divisions=[filled(pb.SectionDivisions, divisions) for divisions in unit.history.divisions],
        land=_land_block(unit.land, unit) if unit.land else None,
        buildings=_buildings_block(unit),
        real_estate=_real_estate_block(unit.real_estate) if unit.real_estate else None,
        urbanism=_urbanism_block(unit),
        risks=_risks_block(unit),
        **stated(unit),
    )


def write_land_unit(unit: LandUnit) -> bytes:
    """The serialized message. If several follow each other, they are one message, whose lists have the items of all."""
    return land_unit(unit).SerializeToString()


def read_land_unit(written: WrittenLandUnit) -> pb.LandUnit:
    """The message, with what its selection adds."""
    selection = of_selection(written.selected)
    message = pb.LandUnit.FromString(b"".join((write_land_unit(selection), *written.pieces)))
    if states := written.selected.states:
        _state_loads(message, states, written.blocks)
    matches = {match.parcel_id: parcel_match(match) for match in selection.matches}
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
    unit = with_states(LandUnit(coverage=stated_items), dict(states), blocks)
    return write_land_unit(unit)


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
    for item in message.parcels:
        item.ClearField("outline")
    urbanism = message.urbanism
    for overlap in (*urbanism.zones, *urbanism.prescriptions, *urbanism.easements, *message.risks.zones):
        overlap.ClearField("geometry")
    if message.HasField("land"):
        message.land.ClearField("neighbours")
    if message.land.HasField("terrain"):
        message.land.terrain.ClearField("samples")
    return message


def parcel(record: ParcelRecord, match: ParcelMatch | None = None, *, with_outline: bool = False) -> pb.Parcel:
    return filled(
        pb.Parcel,
        record,
        match=parcel_match(match) if match else None,
        outline=geometry.to_geojson(geometry.from_wkb(record.geometry)) if with_outline and record.geometry else b"",
    )


def _authorization(parcel_id: str, permit: PermitRecord) -> pb.UrbanAuthorization:
    return filled(pb.UrbanAuthorization, permit, parcelle_id=parcel_id, num_dau=permit.number)


def _sale(sale: Sale) -> pb.DvfSale:
    return filled(pb.DvfSale, sale, code_commune=sale.commune_code)


def _former_parcel(parcel: FormerParcel) -> pb.FormerParcel:
    return pb.FormerParcel(
        parcel_id=parcel.parcel_id,
        urban_authorizations=[_authorization(parcel_id, permit) for parcel_id, permit in parcel.authorizations],
        dvf_sales=map(_sale, parcel.sales),
    )


def _land_block(block: LandBlock, unit: LandUnit) -> pb.LandBlock:
    only = block.only_parcel
    return filled(
        pb.LandBlock,
        block,
        bounds=[filled(pb.Bound, bound) for bound in block.bounds],
        addresses=map(address, block.addresses),
        neighbours=[
            filled(pb.Neighbour, neighbour, owners=map(_owner, neighbour.owners)) for neighbour in block.neighbours
        ],
        section=only.section if only else None,
        number=only.number if only else None,
        prefix=only.prefix if only else None,
        owners=map(_owner, block.owners),
        terrain=_terrain(block.terrain) if block.terrain else None,
        nearby_authorizations=_nearby_permits(unit.nearby_permits) if unit.nearby_permits else None,
        commune_rules=map(_commune_rules, unit.commune_rules),
        farmed_land=[filled(pb.FarmedLand, farmed) for farmed in unit.farmed_land],
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


def _commune_rules(rules: CommuneRules) -> pb.CommuneRules:
    return pb.CommuneRules(
        commune_code=rules.commune_code,
        development_tax=filled(pb.DevelopmentTax, rules.tax) if rules.tax else None,
        mountain_law=rules.mountain,
        coast_law=rules.coast,
        plan_in_force=rules.plan.plan if rules.plan else None,
        plan_under_way=rules.plan.plan_under_way if rules.plan else None,
    )


def _nearby_permits(nearby: NearbyPermits) -> pb.NearbyAuthorizations:
    items = [
        filled(pb.NearbyAuthorization, item, authorization=_authorization(item.parcel_id, item.permit))
        for item in nearby.items
    ]
    return filled(pb.NearbyAuthorizations, nearby, items=items)


def _terrain(terrain: Terrain) -> pb.Terrain:
    return filled(
        pb.Terrain,
        terrain,
        samples=[
            pb.AltitudeSample(position=pb.Position(latitude=latitude, longitude=longitude), altitude_m=altitude)
            for longitude, latitude, altitude in parsed(" ".join(terrain.samples)).tolist()
        ],
    )


def _buildings_block(unit: LandUnit) -> pb.BuildingsBlock | None:
    block = unit.buildings
    if not (block or unit.joint_ownerships or unit.energy_ratings):
        return None
    return pb.BuildingsBlock(
        count=block.count if block else None,
        footprint_area_m2=block.footprint_area_m2 if block else None,
        ground_coverage_ratio=block.ground_coverage_ratio if block else None,
        items=[filled(pb.Building, building) for building in block.items] if block else (),
        joint_ownerships=[
            filled(pb.JointOwnership, rows[0], parcel_ids=[row.parcel_id for row in rows])
            for rows in unit.joint_ownerships
        ],
        energy_ratings=_energy_ratings(unit.energy_ratings) if unit.energy_ratings else None,
    )


def _energy_ratings(ratings: EnergyRatings) -> pb.EnergyRatings:
    return filled(
        pb.EnergyRatings,
        ratings,
        energy=[pb.RatingCount(letter=letter, count=count) for letter, count in ratings.energy.items()],
        greenhouse_gas=[pb.RatingCount(letter=letter, count=count) for letter, count in ratings.greenhouse_gas.items()],
        joined_by=[pb.JoinCount(join=join, count=count) for join, count in ratings.joined_by.items()],
    )


def _urbanism_block(unit: LandUnit) -> pb.UrbanismBlock | None:
    block = unit.urbanism or (UrbanismBlock((), (), (), (), None, None) if unit.nearby_monuments else None)
    if block is None:
        return None
    return pb.UrbanismBlock(
        documents=[filled(pb.PlanningDocument, record, id=record.document_id) for record in block.documents],
        zones=[_zone(pb.PlanningZone, overlap) for overlap in block.zones],
        prescriptions=map(_prescription, block.prescriptions),
        is_rnu=block.is_rnu,
        informations=map(_information, block.informations),
        easements=map(_easement, block.easements.items) if block.easements else (),
        published_easement_categories=block.easements.published_categories if block.easements else (),
        nearby_monuments=[filled(pb.NearbyMonument, monument) for monument in unit.nearby_monuments],
        regulation=filled(pb.Regulation, unit.regulation.regulation) if unit.regulation else None,
        rules=map(_rule, unit.regulation.rules) if unit.regulation else (),
    )


def _rule(rule: RegulationRule) -> pb.RegulationRule:
    row = SimpleNamespace(**{**dict.fromkeys(pb.RegulationRule.DESCRIPTOR.fields_by_name), **rule.row})
    scope = [pb.RuleScope(name=name, value=value) for name, value in (row.scope or {}).items()]
    known = {"id": rule.id, "zone": rule.zone, "url": rule.url, "text": rule.text}
    return filled(pb.RegulationRule, row, scope=scope, is_ambiguous=rule.row.get("ambiguous", False), **known)


def _zone(message: type[M], overlap: Overlap[Any]) -> M:
    """A zone of a plan, or of a risk prevention plan."""
    area_m2, ratio = overlap.area_m2, overlap.ratio
    return filled(message, overlap.record, overlap_area_m2=area_m2, overlap_ratio=ratio, geometry=overlap.geojson())


def _prescription(overlap: Overlap[PlanFeatureRecord]) -> pb.PlanningPrescription:
    feature = overlap.record
    return filled(
        pb.PlanningPrescription,
        feature,
        type_label=prescription_label(feature.type_code, feature.subtype_code),
        overlap_area_m2=overlap.area_m2,
        overlap_length_m=overlap.length_m,
        geometry=overlap.geojson(),
    )


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


def _easement(easement: Easement) -> pb.Easement:
    record = easement.record
    generator = act = None
    if record.generator_name or record.generator_type:
        generator = pb.EasementGenerator(name=record.generator_name or "", type=record.generator_type)
    if record.act_name or record.act_url:
        act = pb.EasementAct(
            name=record.act_name or "", type=record.act_type, decided_on=record.decided_on, url=record.act_url
        )
    return filled(
        pb.Easement,
        record,
        category_label=CATEGORIES.get(record.category),
        overlap_area_m2=easement.area_m2,
        overlap_ratio=easement.ratio,
        overlap_length_m=easement.length_m,
        generator=generator,
        act=act,
        geometry=easement.geojson(),
    )


def _real_estate_block(block: RealEstateBlock) -> pb.RealEstateBlock:
    comparables = map(_comparable, block.comparables)
    return filled(pb.RealEstateBlock, block, comparables=comparables, comparables_method=str(block.comparables_method))


def _comparable(comparable: Comparable) -> pb.ComparableSale:
    sale = comparable.sale
    return filled(
        pb.ComparableSale,
        sale,
        valeur_fonciere=sale.price_eur,
        surface_reelle_bati=sale.built_m2,
        surface_terrain=sale.land_m2,
        price_eur_per_m2=round(comparable.price_eur_per_m2, 2),
        distance_m=round(comparable.distance_m, 1),
        parcel_ids=sale.parcel_ids.split("|"),
    )


def _risks_block(unit: LandUnit) -> pb.RisksBlock | None:
    if not (unit.risks or unit.risk_zones):
        return None
    return pb.RisksBlock(
        items=[filled(pb.Risk, risk, findings=map(_finding, risk.findings)) for risk in unit.risks.items]
        if unit.risks
        else (),
        commune=_commune_risks(unit.risks) if unit.risks else None,
        zones=[_zone(pb.RiskZone, overlap) for overlap in unit.risk_zones],
    )


def _commune_risks(block: RisksBlock) -> pb.CommuneRisks:
    recorded, disasters = block.recorded_risks, block.natural_disasters
    dates = [risk.retrieved_at for risk in (recorded, disasters) if risk.retrieved_at]
    return pb.CommuneRisks(
        recorded_risks=[risk_finding.finding.name for risk_finding in recorded.findings],
        natural_disasters=[
            filled(pb.NaturalDisaster, finding, id=finding.id or "", label=finding.name, began_on=finding.date)
            for finding in (placed.finding for placed in disasters.findings)
        ],
        natural_disaster_count=None if disasters.status == "unavailable" else disasters.total,
        recorded_risks_status=recorded.status,
        natural_disasters_status=disasters.status,
        retrieved_at=min(dates, default=None),
        reason=recorded.reason or disasters.reason,
    )


def _finding(placed_finding: PlacedFinding) -> pb.RiskFinding:
    return filled(pb.RiskFinding, placed_finding.finding, distance_m=placed_finding.distance_m)


def loaded_dataset(load: Load) -> pb.LoadedDataset:
    return filled(pb.LoadedDataset, load, unit=load.partition.code, part=load.partition.part)


def loaded_commune(commune: LoadedCommune) -> pb.LoadedCommune:
    geojson = b"" if commune.geometry is None else geometry.to_geojson(commune.geometry)
    return filled(pb.LoadedCommune, commune, geometry=geojson)


def dataset_state(state: DatasetState) -> pb.DatasetState:
    licence = state.dataset.licence
    return filled(
        pb.DatasetState,
        state,
        dataset=state.dataset.id,
        publisher=licence.publisher,
        title=licence.dataset,
        licence=licence.licence,
        url=licence.url,
        partition=state.dataset.kind,
    )
