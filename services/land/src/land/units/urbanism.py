"""The urbanism block: what the planning documents say of a land unit, by exact overlap in the territory's metres."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from land import registry, territory
from land.messages import AnswerWarning, Language, warning
from land.partitions import Partition
from land.provenance import Coverage, CoverageStatus, Edition
from land.records.planning import DocumentRecord, PrescriptionRecord, ZoneRecord
from land.sources.gpu_codes import prescription_label
from land.store.planning import PlanningFacts
from land.units.geometry import Area, polygons_of

SLIVER_M2 = 1.0
SLIVER_RATIO = 0.01
"""What covers less of the unit is where outlines of plan and cadastre miss each other, not a zone of the unit."""
SAID_SLIVER_M2 = 10.0
"""A larger overlap that is dropped for its small share is said in a warning."""
COVERED_RATIO = 0.99
"""From this share of its area on, zones cover the unit."""
MAX_SLIVERS_SAID = 20
MAX_ITEMS = 500
"""Zones, and prescriptions, of one answer: the largest, and the first in order."""
LINE_REACH_M = 0.2
"""A line this close to the unit's boundary is taken to run along it."""
LEAST_LINE_M = 1.0
PRESCRIPTION_PARTS: Final = ("surface", "line", "point")
_AREA_DECIMALS = 1
_LENGTH_DECIMALS = 1
_RATIO_DECIMALS = 4


@dataclass(frozen=True)
class PlanningDocument:
    id: str
    document_type: str | None
    approved_on: str | None
    url: str | None


@dataclass(frozen=True)
class PlanningZone:
    label: str
    long_label: str | None
    zone_type: str | None
    sector_type: str | None
    """TYPESECT of a carte communale: 01, 02, 03 or 99."""
    overlap_area_m2: float
    overlap_ratio: float
    regulation_url: str | None
    document_id: str


@dataclass(frozen=True)
class PlanningPrescription:
    label: str
    type_code: str | None
    subtype_code: str | None
    type_label: str | None
    geometry_kind: str
    overlap_area_m2: float | None
    """Of a surface."""
    overlap_length_m: float | None
    """Of a line."""
    regulation_url: str | None
    document_id: str


@dataclass(frozen=True)
class UrbanismBlock:
    documents: tuple[PlanningDocument, ...]
    zones: tuple[PlanningZone, ...]
    prescriptions: tuple[PlanningPrescription, ...]
    is_rnu: bool | None


@dataclass(frozen=True)
class Urbanism:
    """The block, None where no plan is known here, with what must be said beside it."""

    block: UrbanismBlock | None
    coverage: tuple[Coverage, ...]
    editions: tuple[Edition, ...] = ()
    """Those that fed the block."""
    warnings: tuple[AnswerWarning, ...] = ()

    def of_a_part(self) -> "Urbanism":
        """The same, where the plan does not draw all parcels of the unit."""
        coverage = tuple(
            Coverage(each.dataset, "partial", "not_drawn") if each.status == "covered" else each
            for each in self.coverage
        )
        return replace(self, coverage=coverage)


@dataclass
class _Found:
    """Records that meet the unit, and what is said of them."""

    zones: list[tuple[ZoneRecord, PlanningZone]] = field(default_factory=list)
    prescriptions: list[tuple[PrescriptionRecord, PlanningPrescription]] = field(default_factory=list)
    covered_ratio: float = 0.0
    sliver_count: int = 0
    """Those worth a warning."""
    said: list[AnswerWarning] = field(default_factory=list)


def assess(
    facts: PlanningFacts | None, degrees: Area | None, projection: int, communes: Sequence[str], language: Language
) -> Urbanism:
    """What is known of planning on a unit with this outline in degrees, in these communes.

    Without an outline or a plan the block is None: that no rule is known never means that there is none. A commune
    under the national rules (RNU) is covered without any zone, where the Géoportail says so.
    """
    if degrees is None or degrees.is_empty:
        return _unknown("not_covered", "not_drawn", language)
    if facts is None:
        return _unknown("not_covered", "too_many", language)
    found = _Found()
    metric = territory.to_metres(degrees, projection)
    _find_zones(found, facts, degrees, metric, projection, language)
    _find_prescriptions(found, facts, degrees, metric, projection, language)
    statements = {facts.is_rnu.get(commune) for commune in communes}
    is_rnu = statements.pop() if len(statements) == 1 else None
    if not found.zones and not is_rnu:
        asked = {load.partition.code for load in facts.loads if load.dataset == registry.GPU_IN_FORCE.id}
        is_asked = asked.issuperset(communes)
        status: CoverageStatus = "not_published" if is_asked else "not_loaded"
        return _unknown(status, status, language)
    records: list[ZoneRecord | PrescriptionRecord] = [
        *(record for record, _ in found.zones),
        *(record for record, _ in found.prescriptions),
    ]
    block = UrbanismBlock(
        documents=_documents(records, facts.documents),
        zones=tuple(zone for _, zone in found.zones[:MAX_ITEMS]),
        prescriptions=tuple(item for _, item in found.prescriptions[:MAX_ITEMS]),
        is_rnu=is_rnu,
    )
    if max(len(found.zones), len(found.prescriptions)) > MAX_ITEMS:
        found.said.append(warning("planning_truncated", language, "urbanism", limit=MAX_ITEMS))
    zoning, prescriptions = _coverage(found, facts, is_rnu)
    said = [*found.said, *_coverage_warnings(zoning, prescriptions, found.covered_ratio, language)]
    return Urbanism(block, (zoning, prescriptions), _editions(facts, records, communes), tuple(said))


def _editions(
    facts: PlanningFacts, records: Sequence[ZoneRecord | PrescriptionRecord], communes: Sequence[str]
) -> tuple[Edition, ...]:
    """Those that fed the block. Of a document, the parts that have something, or all where none has."""
    units = {record.partition for record in records} | {code for code in communes if facts.is_rnu.get(code) is not None}
    fed = [load for load in facts.loads if load.dataset in registry.PLANNING and load.partition.code in units]
    filled = {(load.dataset, load.partition.code) for load in fed if load.row_count}
    return tuple(
        Edition(load.dataset, load.partition.code, load.edition, load.retrieved_at, load.url)
        for load in fed
        if load.row_count or (load.dataset, load.partition.code) not in filled
    )


def _unknown(status: CoverageStatus, reason: str, language: Language) -> Urbanism:
    names = (registry.GPU_ZONES.id, registry.GPU_PRESCRIPTIONS.id)
    return Urbanism(
        None,
        tuple(Coverage(name, status, reason) for name in names),
        warnings=(warning("zoning_not_covered", language, "urbanism"),),
    )


def is_sliver(area_m2: float, ratio: float) -> bool:
    """Under 1 % of the unit, or under 1 m² unless the unit itself is hardly more."""
    return ratio < SLIVER_RATIO or (area_m2 < SLIVER_M2 and ratio < 1 / 2)


def _find_zones(
    found: _Found, facts: PlanningFacts, degrees: Area, metric: Area, projection: int, language: Language
) -> None:
    """Zones of one document with the same name, type and rule are one zone of the unit, however many parts it has."""
    groups: dict[tuple[object, ...], list[Area]] = {}
    first: dict[tuple[object, ...], ZoneRecord] = {}
    key: tuple[object, ...]
    for record, piece in zip(facts.zones, _pieces(facts.zones, degrees, projection), strict=True):
        key = (record.partition, record.document_id, record.label, record.long_label, record.zone_type,
               record.sector_type, record.regulation_url)  # fmt: skip
        groups.setdefault(key, []).append(piece)
        first.setdefault(key, record)
        if record.is_repaired and not piece.is_empty:
            found.said.append(warning("planning_outline_repaired", language, "urbanism", label=record.label))
    kept: list[BaseGeometry] = []
    for key, pieces in groups.items():
        whole = shapely.union_all(pieces)
        area, ratio = whole.area, whole.area / metric.area
        record = first[key]
        if is_sliver(area, ratio):
            _say_sliver(found, record.label, area, language)
            continue
        kept.append(whole)
        zone = PlanningZone(
            label=record.label,
            long_label=record.long_label,
            zone_type=record.zone_type,
            sector_type=record.sector_type,
            overlap_area_m2=round(area, _AREA_DECIMALS),
            overlap_ratio=round(min(1.0, ratio), _RATIO_DECIMALS),
            regulation_url=record.regulation_url,
            document_id=record.document_id,
        )
        found.zones.append((record, zone))
    found.zones.sort(key=lambda pair: (-pair[1].overlap_area_m2, pair[1].label, pair[1].document_id))
    covered = shapely.union_all(kept).area
    found.covered_ratio = covered / metric.area
    if is_real_overlap(sum(piece.area for piece in kept) - covered, metric.area):
        found.said.append(warning("zones_overlap", language, "urbanism"))


def is_real_overlap(area_m2: float, unit_area_m2: float) -> bool:
    """Whether zones lie over each other by more than their outlines' imprecision."""
    return not is_sliver(area_m2, area_m2 / unit_area_m2)


def _find_prescriptions(
    found: _Found, facts: PlanningFacts, degrees: Area, metric: Area, projection: int, language: Language
) -> None:
    surfaces = [record for record in facts.prescriptions if record.geometry_kind == "surface"]
    for record, piece in zip(surfaces, _pieces(surfaces, degrees, projection), strict=True):
        if is_sliver(piece.area, piece.area / metric.area):
            _say_sliver(found, record.label, piece.area, language)
        else:
            found.prescriptions.append((record, _prescription(record, area_m2=piece.area)))
    lines = [record for record in facts.prescriptions if record.geometry_kind == "line"]
    reach = metric.buffer(LINE_REACH_M)
    for record, line in zip(lines, _metric(lines, projection), strict=True):
        length = shapely.intersection(line, reach).length
        if length >= LEAST_LINE_M:
            found.prescriptions.append((record, _prescription(record, length_m=length)))
    points = [record for record in facts.prescriptions if record.geometry_kind == "point"]
    for record, point in zip(points, _metric(points, projection), strict=True):
        if shapely.intersects(metric, point):
            found.prescriptions.append((record, _prescription(record)))
    found.prescriptions.sort(key=lambda pair: _order(pair[1]))


def _order(item: PlanningPrescription) -> tuple[str, str, str, int, float]:
    """By type, name and kind, larger ones first."""
    kind = PRESCRIPTION_PARTS.index(item.geometry_kind)
    return (
        item.type_code or "~",
        item.subtype_code or "",
        item.label,
        kind,
        -(item.overlap_area_m2 or item.overlap_length_m or 0),
    )


def _prescription(
    record: PrescriptionRecord, area_m2: float | None = None, length_m: float | None = None
) -> PlanningPrescription:
    return PlanningPrescription(
        label=record.label,
        type_code=record.type_code,
        subtype_code=record.subtype_code,
        type_label=prescription_label(record.type_code, record.subtype_code),
        geometry_kind=record.geometry_kind,
        overlap_area_m2=None if area_m2 is None else round(area_m2, _AREA_DECIMALS),
        overlap_length_m=None if length_m is None else round(length_m, _LENGTH_DECIMALS),
        regulation_url=record.regulation_url,
        document_id=record.document_id,
    )


def _pieces(records: Sequence[ZoneRecord] | Sequence[PrescriptionRecord], degrees: Area, projection: int) -> list[Area]:
    """The part of each surface on the unit, in metres. Cut in degrees, so that large zones are not projected whole:
    their straight lines are short enough for that (sources.features).
    """
    if not records:
        return []
    outlines = shapely.from_wkb(np.array([record.geometry for record in records], dtype=object))
    cut = [polygons_of(piece) for piece in shapely.intersection(outlines, degrees)]
    return territory.all_to_metres(cut, projection)


def _metric(records: Sequence[PrescriptionRecord], projection: int) -> list[BaseGeometry]:
    return territory.all_to_metres([shapely.from_wkb(record.geometry) for record in records], projection)


def _say_sliver(found: _Found, label: str, area_m2: float, language: Language) -> None:
    found.sliver_count += area_m2 >= SAID_SLIVER_M2
    if area_m2 >= SAID_SLIVER_M2 and found.sliver_count <= MAX_SLIVERS_SAID:
        found.said.append(warning("planning_sliver", language, "urbanism", label=label, area_m2=f"{area_m2:.0f}"))


def _documents(
    records: Sequence[ZoneRecord | PrescriptionRecord], told: Sequence[DocumentRecord]
) -> tuple[PlanningDocument, ...]:
    """The documents of these records: what the publisher says of each, else what its zones say."""
    # One producer writes PLUI, the other PLUi.
    known = {(document.partition, document.document_id.upper()): document for document in told}
    documents: dict[str, PlanningDocument] = {}
    for record in records:
        document = known.get((record.partition, record.document_id.upper()))
        documents.setdefault(
            record.document_id,
            PlanningDocument(
                record.document_id,
                (document.document_type if document else None) or record.document_type,
                (document.approved_on if document else None) or record.approved_on,
                document.url if document else None,
            ),
        )
    return tuple(documents[key] for key in sorted(documents))


def _coverage(found: _Found, facts: PlanningFacts, is_rnu: bool | None) -> tuple[Coverage, Coverage]:
    if not found.zones:
        assert is_rnu  # noqa: S101 (else nothing is known)
        return Coverage(registry.GPU_ZONES.id, "covered", None), Coverage(
            registry.GPU_PRESCRIPTIONS.id, "covered", None
        )
    is_whole = found.covered_ratio >= COVERED_RATIO
    zoning = Coverage(registry.GPU_ZONES.id, "covered" if is_whole else "partial", None if is_whole else "not_loaded")
    wanted = [
        (registry.GPU_PRESCRIPTIONS.id, Partition(partition, part))
        for partition in sorted({record.partition for record, _ in found.zones})
        for part in PRESCRIPTION_PARTS
    ]
    present = {(load.dataset, load.partition) for load in facts.loads}
    loaded = [key for key in wanted if key in present]
    if is_whole and len(loaded) == len(wanted):
        return zoning, Coverage(registry.GPU_PRESCRIPTIONS.id, "covered", None)
    return zoning, Coverage(registry.GPU_PRESCRIPTIONS.id, "partial" if loaded else "not_loaded", "not_loaded")


def _coverage_warnings(
    zoning: Coverage, prescriptions: Coverage, ratio: float, language: Language
) -> list[AnswerWarning]:
    said = []
    if zoning.status == "partial":
        said.append(warning("zoning_partial", language, "urbanism", percent=f"{100 * ratio:.0f}"))
    if prescriptions.status != "covered":
        code = "prescriptions_partial" if prescriptions.status == "partial" else "prescriptions_not_covered"
        said.append(warning(code, language, "urbanism"))
    return said
