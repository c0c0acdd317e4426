"""Puts a land unit together from what the store holds of it. Pure: everything read is handed over in `UnitFacts`, but
for sales nearby, which are asked for once it is known what kind of land it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import shapely

from land import registry, territory
from land.addresses.labels import numbered_address
from land.addresses.model import Address, ParcelMatch
from land.messages import AnswerWarning, Language, text, warning
from land.parcels import department_of
from land.provenance import Edition, coverage_of, sources_of
from land.records.addresses import NearbyAddress
from land.records.buildings import BuildingRecord
from land.records.parcels import ParcelRecord
from land.records.permits import PermitRecord
from land.records.sales import Sale
from land.store.planning import PlanningFacts
from land.units import frontage, geometry, history, urbanism
from land.units.buildings import MAX_ITEMS, BuildingsBlock, stand_on
from land.units.model import Block, LandBlock, LandUnit, Parcel
from land.units.real_estate import Ground, Market, RealEstateBlock, comparable_warnings, compare
from land.units.succession import RetiredParcel

MAX_ADDRESSES = 500
ADDRESS_REACH_M = 50.0
"""An address that declares a parcel is looked for this far around it."""
HISTORY_DATASETS = (registry.DVF.id, *registry.PERMITS)
BLOCK_DATASETS: Mapping[str, Sequence[str]] = {"buildings": registry.BUILDINGS, "real_estate": registry.BUILDINGS}
"""Datasets of no use to an answer without one of these blocks; what stands on land tells which sales compare."""
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
    territories: Mapping[str, bytes]
    """By commune of the parcels around, its outline as WKB in degrees, where it is loaded."""
    commune_names: Mapping[str, str]
    sales: Sequence[Sale]
    permits: Sequence[tuple[str, PermitRecord]]
    ambiguous_permit_count: int
    retired_reference_counts: Mapping[str, int]
    editions: Sequence[Edition]
    buildings: Sequence[BuildingRecord] | None = None
    """Records within buildings.MATCH_REACH_M of a parcel; None where they are too many to tell."""
    market: Market | None = None
    """None where no block asks for it."""
    planning: PlanningFacts | None = None
    """None where nothing of it was asked for, or where it is too much to tell."""
    retired: Mapping[str, RetiredParcel] = field(default_factory=dict)
    """Those of the selected ids that were parcels once."""
    address: Address | None = None
    matches: Sequence[ParcelMatch] = ()


@dataclass(frozen=True)
class _Ground:
    """The unit's shape, in degrees and in the metres of its territory."""

    degrees: geometry.Area
    metric: geometry.Area
    projection: int


def assemble(facts: UnitFacts, blocks: Sequence[Block], language: Language) -> LandUnit:
    """The land unit with its history, always, and the blocks that were asked for."""
    records = [facts.records[parcel_id] for parcel_id in facts.selected if parcel_id in facts.records]
    communes = list(dict.fromkeys(record.commune_code for record in records))
    said = [_missing(facts, parcel_id, language) for parcel_id in facts.selected if parcel_id not in facts.records]
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
    buildings = None
    if not {"buildings", "real_estate"}.isdisjoint(blocks):
        is_drawn = len(outlines) == len(records)
        buildings, building_warnings = _buildings_block(facts, communes, ground if is_drawn else None, language)
        said += building_warnings if "buildings" in blocks else ()
    market = None
    if "real_estate" in blocks:
        market, market_warnings = _real_estate_block(facts, communes, ground, buildings, language)
        said += market_warnings
    planning = None
    if "urbanism" in blocks:
        planning = urbanism.assess(
            facts.planning,
            ground.degrees if ground else None,
            territory.projection_of(communes[0]),
            communes,
            language,
        )
        if len(outlines) < len(records):
            planning = planning.of_a_part()
        said += planning.warnings
    of_blocks = dict.fromkeys(name for block in blocks for name in BLOCK_DATASETS.get(block, ()))
    idle = {name for names in BLOCK_DATASETS.values() for name in names if name not in of_blocks}
    if "land" not in blocks:
        idle.add(registry.CADASTRE_COMMUNES.id)
    used = [edition for edition in facts.editions if edition.dataset not in idle]
    return LandUnit(
        geometry=geometry.to_geojson(ground.degrees) if ground else b"",
        bbox=geometry.bbox(ground.degrees) if ground else (),
        parcels=tuple(_parcel(record, outlines, matches) for record in records),
        address=facts.address,
        urban_authorizations=tuple(authorizations),
        dvf_sales=tuple(facts.sales),
        land=land,
        buildings=buildings if "buildings" in blocks else None,
        real_estate=market,
        urbanism=planning.block if planning else None,
        coverage=(
            *(
                coverage_of(registry.DATASETS[dataset], communes, facts.editions)
                for dataset in (
                    registry.BAN.id,
                    registry.PARCELS.id,
                    *HISTORY_DATASETS,
                    *of_blocks,
                )
            ),
            *(planning.coverage if planning else ()),
        ),
        sources=tuple(sources_of([*used, *(planning.editions if planning else ())])),
        warnings=tuple(said),
    )


def _ground(outlines: Sequence[geometry.Area], commune_code: str) -> _Ground | None:
    if not outlines:
        return None
    projection = territory.projection_of(commune_code)
    degrees = geometry.union(outlines)
    return _Ground(degrees, territory.to_metres(degrees, projection), projection)


def _missing(facts: UnitFacts, parcel_id: str, language: Language) -> AnswerWarning:
    retired = facts.retired.get(parcel_id)
    if retired is None:
        return warning("parcel_not_found", language, parcel_id=parcel_id)
    if not retired.successors:
        return AnswerWarning("parcel_retired", text("parcel_retired_without_trace", language, parcel_id=parcel_id))
    return warning("parcel_retired", language, parcel_id=parcel_id, successors=", ".join(retired.successors))


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
        if coverage_of(registry.DATASETS[dataset], communes, facts.editions).status != "covered":
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


def _buildings_block(
    facts: UnitFacts, communes: Sequence[str], ground: _Ground | None, language: Language
) -> tuple[BuildingsBlock | None, list[AnswerWarning]]:
    """None, with the reason, where it is not known of every parcel what stands on it: never a false "no building"."""
    said = [
        warning("buildings_not_covered", language, "buildings", commune=commune)
        for commune in communes
        if all(
            coverage_of(registry.DATASETS[name], [commune], facts.editions).status != "covered"
            for name in registry.BUILDINGS
        )
    ]
    if ground is None:
        said.append(warning("buildings_not_placed", language, "buildings"))
    if facts.buildings is None:
        said.append(warning("buildings_too_many", language, "buildings"))
    if ground is None or facts.buildings is None or said:
        return None, said
    block = stand_on(facts.buildings, ground.metric, ground.projection, facts.selected)
    said += [
        warning("building_repaired", language, "buildings", building=item.id)
        for item in block.items
        if item.is_repaired
    ]
    if block.count > MAX_ITEMS:
        said.append(warning("buildings_truncated", language, "buildings", limit=MAX_ITEMS))
    return block, said


def _real_estate_block(
    facts: UnitFacts,
    communes: Sequence[str],
    ground: _Ground | None,
    buildings: BuildingsBlock | None,
    language: Language,
) -> tuple[RealEstateBlock | None, list[AnswerWarning]]:
    """None, with the reason, where no sales nearby are known at all: never a false "no sale"."""
    uncovered = [
        commune for commune in communes if coverage_of(registry.DVF, [commune], facts.editions).status != "covered"
    ]
    said = [warning("real_estate_not_covered", language, "real_estate", commune=commune) for commune in uncovered]
    if ground is None:
        said.append(warning("real_estate_not_placed", language, "real_estate"))
    if ground is None or facts.market is None or len(uncovered) == len(communes):
        return None, said
    place = Ground(ground.degrees, ground.metric, ground.projection, facts.selected)
    block = compare(facts.market, place, facts.sales, buildings, language)
    return block, [*said, *comparable_warnings(block.comparables, language)]


def _frontage(facts: UnitFacts, ground: _Ground) -> shapely.MultiLineString | None:
    selected = set(facts.selected)
    others = [
        geometry.from_wkb(record.geometry)
        for record in facts.around
        if record.geometry and record.parcel_id not in selected
    ]
    return frontage.estimate(
        ground.metric, territory.all_to_metres(others, ground.projection), _known_ground(facts, ground)
    )


def _known_ground(facts: UnitFacts, ground: _Ground) -> geometry.Area | None:
    """The territory of the communes whose parcels are around, near the unit and in metres; None where that of one is
    not loaded.
    """
    if any(record.commune_code not in facts.territories for record in (*facts.records.values(), *facts.around)):
        return None
    near = geometry.widened(ground.degrees, 2 * frontage.SIGHT_M)
    # Clipping takes a tenth of the time of an intersection, and may leave an outline that touches itself.
    clipped = (shapely.clip_by_rect(shapely.from_wkb(wkb), *near) for wkb in facts.territories.values())
    parts = [geometry.polygons_of(shapely.make_valid(part)) for part in clipped]
    return geometry.polygons_of(shapely.union_all(territory.all_to_metres(parts, ground.projection)))


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
