"""Puts a land unit together from what the store holds of it. Pure: everything read is handed over in `UnitFacts`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import shapely

from land import datasets, territory
from land.addresses.labels import numbered_address
from land.addresses.model import Address, ParcelMatch
from land.messages import AnswerWarning, Language, warning
from land.parcels import department_of
from land.provenance import Edition, coverage_of, sources_of
from land.records import NearbyAddress, ParcelRecord, PermitRow, SaleRow
from land.sources.base import Licence
from land.units import frontage, geometry, history
from land.units.model import Block, LandBlock, LandUnit, Parcel

MAX_ADDRESSES = 500
ADDRESS_REACH_M = 50.0
"""An address that declares a parcel is looked for this far around it."""
HISTORY_DATASETS = (datasets.DVF, *datasets.SITADEL)
_AREA_DECIMALS = 1
_LENGTH_DECIMALS = 2


@dataclass(frozen=True)
class UnitFacts:
    """Everything that the store knows of a selection of parcels."""

    selected: Sequence[str]
    """Ids in the order that the partner gave them, each once."""
    records: Mapping[str, ParcelRecord]
    """Those of them that exist."""
    around: Sequence[ParcelRecord]
    """Parcels within frontage.SIGHT_M of the unit, the unit's own included."""
    nearby: Sequence[NearbyAddress]
    commune_names: Mapping[str, str]
    sales: Sequence[SaleRow]
    permits: Sequence[PermitRow]
    ambiguous_permit_count: int
    retired_reference_counts: Mapping[str, int]
    editions: Sequence[Edition]
    address: Address | None = None
    matches: Sequence[ParcelMatch] = ()


@dataclass(frozen=True)
class _Ground:
    """The unit's shape, in degrees and in the metres of its territory."""

    degrees: geometry.Area
    metric: geometry.Area
    projection: int


def assemble(
    facts: UnitFacts, blocks: Sequence[Block], licences: Mapping[str, Licence], language: Language
) -> LandUnit:
    """The land unit with its history, always, and the blocks that were asked for."""
    records = [facts.records[parcel_id] for parcel_id in facts.selected if parcel_id in facts.records]
    communes = list(dict.fromkeys(record.commune_code for record in records))
    said = [
        warning("parcel_not_found", language, parcel_id=parcel_id)
        for parcel_id in facts.selected
        if parcel_id not in facts.records
    ]
    said += _outline_warnings(records, language)
    outlines = {record.parcel_id: geometry.from_wkb(record.geometry) for record in records if record.geometry}
    ground = _ground(list(outlines.values()), records[0].commune_code)
    matches = {match.parcel_id: match for match in facts.matches}
    authorizations = history.authorizations(facts.permits)
    said += _history_warnings(facts, communes, language)
    land = None
    if "land" in blocks:
        land, land_warnings = _land_block(facts, records, outlines, ground, language)
        said += land_warnings
    said += [
        warning("block_not_available", language, block)
        for block in blocks
        if block in ("urbanism", "buildings", "real_estate")
    ]
    return LandUnit(
        geometry=geometry.to_geojson(ground.degrees) if ground else b"",
        bbox=geometry.bbox(ground.degrees) if ground else (),
        parcels=tuple(_parcel(record, outlines, matches) for record in records),
        address=facts.address,
        urban_authorizations=tuple(authorizations),
        dvf_sales=tuple(facts.sales),
        land=land,
        coverage=tuple(
            coverage_of(dataset, communes, facts.editions)
            for dataset in (datasets.BAN, datasets.PARCELS, *HISTORY_DATASETS)
        ),
        sources=tuple(sources_of(facts.editions, licences)),
        warnings=tuple(said),
    )


def _ground(outlines: Sequence[geometry.Area], commune_code: str) -> _Ground | None:
    if not outlines:
        return None
    projection = territory.projection_of(commune_code)
    degrees = geometry.union(outlines)
    return _Ground(degrees, territory.to_metres(degrees, projection), projection)


def _outline_warnings(records: Sequence[ParcelRecord], language: Language) -> list[AnswerWarning]:
    said = []
    for record in records:
        if record.geometry is None:
            said.append(warning("geometry_missing", language, parcel_id=record.parcel_id))
        elif record.is_repaired:
            said.append(warning("geometry_repaired", language, parcel_id=record.parcel_id))
    return said


def _history_warnings(facts: UnitFacts, communes: Sequence[str], language: Language) -> list[AnswerWarning]:
    said = history.sale_warnings(facts.sales, facts.selected, language)
    if facts.ambiguous_permit_count:
        said.append(warning("authorization_ambiguous", language, "history", count=facts.ambiguous_permit_count))
    for commune, count in sorted(facts.retired_reference_counts.items()):
        said.append(warning("authorization_retired", language, "history", commune=commune, count=count))
    for dataset in HISTORY_DATASETS:
        if coverage_of(dataset, communes, facts.editions).status != "covered":
            said.append(warning("dataset_not_covered", language, "history", dataset=dataset))
    return said


def _parcel(record: ParcelRecord, outlines: Mapping[str, geometry.Area], matches: Mapping[str, ParcelMatch]) -> Parcel:
    outline = outlines.get(record.parcel_id)
    area = None
    if outline is not None:
        metric = territory.to_metres(outline, territory.projection_of(record.commune_code))
        area = round(metric.area, _AREA_DECIMALS)
    return Parcel(
        parcel_id=record.parcel_id,
        commune_code=record.commune_code,
        prefix=record.prefix,
        section=record.section,
        number=record.number,
        cadastral_area_m2=record.cadastral_area_m2,
        geometric_area_m2=area,
        is_surveyed=record.is_surveyed,
        created_on=record.created_on,
        updated_on=record.updated_on,
        match=matches.get(record.parcel_id),
        geometry=geometry.to_geojson(geometry.polygons_of(outline)) if outline is not None else b"",
    )


def _land_block(
    facts: UnitFacts,
    records: Sequence[ParcelRecord],
    outlines: Mapping[str, geometry.Area],
    ground: _Ground | None,
    language: Language,
) -> tuple[LandBlock, list[AnswerWarning]]:
    communes = {record.commune_code for record in records}
    commune = next(iter(communes)) if len(communes) == 1 else None
    departments = {department_of(code) for code in communes}
    areas = [record.cadastral_area_m2 for record in records]
    surveyed = {record.is_surveyed for record in records}
    measures = geometry.measure(ground.metric) if ground else None
    lines = _frontage(facts, ground) if ground and len(outlines) == len(records) else None
    said: list[AnswerWarning] = []
    if lines is None:
        said.append(warning("frontage_unknown", language, "land"))
    else:
        said.append(warning("frontage_estimated", language, "land", tolerance_m=frontage.TOLERANCE_M))
    addresses = _addresses(facts, outlines)
    if len(addresses) > MAX_ADDRESSES:
        said.append(warning("addresses_truncated", language, "land", limit=MAX_ADDRESSES))
    block = LandBlock(
        commune_code=commune,
        commune_name=facts.commune_names.get(commune) if commune else None,
        department_code=next(iter(departments)) if len(departments) == 1 else None,
        sections=tuple(dict.fromkeys(record.section for record in records)),
        numbers=tuple(dict.fromkeys(record.number for record in records)),
        prefixes=tuple(dict.fromkeys(record.prefix for record in records)),
        cadastral_area_m2=None if None in areas else sum(area for area in areas if area is not None),
        geometric_area_m2=round(measures.area_m2, _AREA_DECIMALS) if measures else None,
        perimeter_m=round(measures.perimeter_m, _LENGTH_DECIMALS) if measures else None,
        centroid=geometry.centroid(ground.metric, ground.projection) if ground else None,
        is_surveyed=None if None in surveyed else surveyed == {True},
        frontage_m=round(lines.length, _LENGTH_DECIMALS) if lines is not None else None,
        frontage=(
            geometry.to_geojson(territory.to_degrees(lines, ground.projection)) if lines is not None and ground else b""
        ),
        addresses=tuple(addresses[:MAX_ADDRESSES]),
        is_contiguous=measures.is_contiguous if measures and len(outlines) == len(records) else None,
    )
    return block, said


def _frontage(facts: UnitFacts, ground: _Ground) -> shapely.MultiLineString | None:
    selected = set(facts.selected)
    others = [
        geometry.from_wkb(record.geometry)
        for record in facts.around
        if record.geometry and record.parcel_id not in selected
    ]
    return frontage.estimate(ground.metric, territory.all_to_metres(others, ground.projection))


def _addresses(facts: UnitFacts, outlines: Mapping[str, geometry.Area]) -> list[Address]:
    """Addresses whose point lies in the unit, or that declare one of its parcels."""
    whole = shapely.union_all(list(outlines.values()))
    shapely.prepare(whole)
    selected = set(facts.selected)
    return [
        numbered_address(near)
        for near in facts.nearby
        if not selected.isdisjoint(near.parcel_ids.split("|"))
        or (near.lon is not None and near.lat is not None and shapely.intersects_xy(whole, near.lon, near.lat))
    ]
