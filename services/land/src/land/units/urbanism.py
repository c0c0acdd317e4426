"""The block `urbanism`: what planning documents say about a land unit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from land.answers.provenance import Coverage, CoverageStatus
from land.answers.texts import AnswerWarning, truncated, warning
from land.datasets.grouping import grouped
from land.datasets.partitions import Partition
from land.datasets.planning import queries as planning
from land.datasets.planning.queries import PlanningFacts
from land.datasets.planning.records import DocumentRecord, PlanFeatureRecord, ZoneRecord
from land.datasets.planning.registration import GPU_IN_FORCE, GPU_INFORMATIONS, GPU_PRESCRIPTIONS, GPU_ZONES, PLANNING
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.units.easements import Easements
from land.units.overlap import (
    GEOMETRY_KINDS,
    Overlap,
    Sliver,
    Zoning,
    features_of,
    zoning_of,
)
from land.units.recipe import Part, Parts, Recipe
from land.units.site import LINE_REACH_M, Site

STATED_SLIVER_M2 = 10.0
"""A warning names a larger overlap that is left out as a sliver."""
MAX_SLIVERS_STATED = 20
COVERED_RATIO = 0.99
"""Zones with at least this share of the land unit cover it."""
MAX_ITEMS = 500
"""Zones, prescriptions, and informations, of one answer: the first in order."""
_ZONES = GPU_ZONES.id
_FEATURES = {"prescriptions": GPU_PRESCRIPTIONS.id, "informations": GPU_INFORMATIONS.id}
"""The dataset of each list of features."""


@dataclass(frozen=True)
class UrbanismBlock:
    documents: tuple[DocumentRecord, ...]
    zones: tuple[Overlap[ZoneRecord], ...]
    prescriptions: tuple[Overlap[PlanFeatureRecord], ...]
    informations: tuple[Overlap[PlanFeatureRecord], ...]
    easements: Easements | None
    """None if it is unknown which public easements the land has."""
    is_rnu: bool | None
    """Whether the national rules (RNU) apply; None if unknown, or if the communes differ."""


def compute(reads: Reads, site: Site, parts: Parts) -> Part[UrbanismBlock | None]:
    """The planning documents and the public easements. The block is None if neither are known: unknown rules never mean
    that there are none.
    """
    planned, easements = _planning(reads, site), parts["easements"]
    block = planned.block
    if easements.block is not None:
        block = replace(block or UrbanismBlock((), (), (), (), None, None), easements=easements.block)
    return Part(
        block,
        [*planned.warnings, *easements.warnings],
        [*planned.coverage, *easements.coverage],
        [*planned.loads, *easements.loads],
    )


def _planning(reads: Reads, site: Site) -> Part[UrbanismBlock | None]:
    """The block, still without easements. It is None without an outline or a document. A commune under the national
    rules (RNU) is covered without any zone, if the Géoportail says so.
    """
    if site.shape is None or site.shape.degrees.is_empty:
        return _unknown(site, "not_covered", "not_drawn")
    facts = planning.facts_in(reads, site.boxes(LINE_REACH_M), site.communes)
    if facts is None:
        return _unknown(site, "not_covered", "too_many")
    zoning = zoning_of(facts.zones, site.shape)
    prescriptions, slivers = features_of(facts.prescriptions, site.shape)
    informations, information_slivers = features_of(facts.informations, site.shape)
    statements = {facts.is_rnu.get(commune) for commune in site.communes}
    is_rnu = statements.pop() if len(statements) == 1 else None
    if not zoning.zones and not is_rnu:
        in_force = [load for load in facts.loads if load.dataset == GPU_IN_FORCE.id]
        without_plan = {load.partition.code for load in in_force if not load.row_count}
        status: CoverageStatus = "not_published" if without_plan.issuperset(site.communes) else "not_loaded"
        if not prescriptions and not informations:
            return _unknown(site, status, status)
    records: list[ZoneRecord | PlanFeatureRecord] = [
        *(overlap.record for overlap in zoning.zones),
        *(overlap.record for overlap in (*prescriptions, *informations)),
    ]
    block = UrbanismBlock(
        documents=tuple(_documents(records, facts.documents)),
        zones=tuple(zoning.zones[:MAX_ITEMS]),
        prescriptions=tuple(prescriptions[:MAX_ITEMS]),
        informations=tuple(informations[:MAX_ITEMS]),
        easements=None,
        is_rnu=is_rnu,
    )
    warnings = _warnings(site, zoning, [*slivers, *information_slivers])
    most = max(len(zoning.zones), len(prescriptions), len(informations))
    warnings += truncated("planning_truncated", "urbanism", most, MAX_ITEMS)
    coverage = _coverage(zoning, facts, bool(is_rnu))
    warnings += _coverage_warnings(site, coverage, zoning.covered_ratio)
    if not site.is_drawn:
        coverage = [Coverage(c.dataset, "partial", "not_drawn") if c.status == "covered" else c for c in coverage]
    return Part(block, warnings, coverage, _used_loads(site, facts, records))


RECIPE = Recipe("urbanism", (), compute)


def _unknown(site: Site, status: CoverageStatus, reason: str) -> Part[UrbanismBlock | None]:
    coverage = [Coverage(name, status, reason) for name in (_ZONES, *_FEATURES.values())]
    return Part(None, [warning("zoning_not_covered", "urbanism")], coverage)


def _used_loads(site: Site, facts: PlanningFacts, records: Sequence[ZoneRecord | PlanFeatureRecord]) -> list[Load]:
    """The loads that the block used. Of a document, the parts that have rows; all parts if none has."""
    codes = {record.partition for record in records}
    codes |= {code for code in site.communes if facts.is_rnu.get(code) is not None}
    used = [load for load in facts.loads if load.dataset in PLANNING and load.partition.code in codes]
    filled = {(load.dataset, load.partition.code) for load in used if load.row_count}
    return [load for load in used if load.row_count or (load.dataset, load.partition.code) not in filled]


def _documents(
    records: Sequence[ZoneRecord | PlanFeatureRecord], known_documents: Sequence[DocumentRecord]
) -> list[DocumentRecord]:
    """The documents of these records. What the publisher does not say of a document is taken from its zones."""
    # One producer writes PLUI, the other PLUi.
    by_id = {(document.partition, document.document_id.upper()): document for document in known_documents}
    documents_by_id: dict[str, DocumentRecord] = {}
    for record in records:
        document = by_id.get((record.partition, record.document_id.upper()))
        documents_by_id.setdefault(
            record.document_id,
            DocumentRecord(
                record.partition,
                record.document_id,
                (document.document_type if document else None) or record.document_type,
                (document.approved_on if document else None) or record.approved_on,
                document.url if document else None,
            ),
        )
    return [documents_by_id[key] for key in sorted(documents_by_id)]


def _coverage(zoning: Zoning, facts: PlanningFacts, is_rnu: bool) -> list[Coverage]:
    if not zoning.zones and not is_rnu:
        return [
            Coverage(_ZONES, "not_loaded", "not_loaded"),
            *(Coverage(name, "partial", "not_loaded") for name in _FEATURES.values()),
        ]
    if not zoning.zones:
        return [Coverage(name, "covered", None) for name in (_ZONES, *_FEATURES.values())]
    is_whole = zoning.covered_ratio >= COVERED_RATIO
    partitions = {
        Partition(partition, part)
        for partition in {overlap.record.partition for overlap in zoning.zones}
        for part in GEOMETRY_KINDS
    }
    coverage_list = [Coverage(_ZONES, "covered", None) if is_whole else Coverage(_ZONES, "partial", "not_loaded")]
    for dataset in _FEATURES.values():
        loaded = partitions & {load.partition for load in facts.loads if load.dataset == dataset}
        if is_whole and loaded == partitions:
            coverage_list.append(Coverage(dataset, "covered", None))
        else:
            coverage_list.append(Coverage(dataset, "partial" if loaded else "not_loaded", "not_loaded"))
    return coverage_list


def _warnings(site: Site, zoning: Zoning, slivers: Sequence[Sliver]) -> list[AnswerWarning]:
    """`slivers` are those of prescriptions and informations."""
    warnings = [warning("planning_outline_repaired", "urbanism", label=label) for label in zoning.repaired]
    of_zones = _sliver_warnings(site, zoning.slivers)[:MAX_SLIVERS_STATED]
    warnings += of_zones
    if zoning.has_overlap:
        warnings.append(warning("zones_overlap", "urbanism"))
    ids = {overlap.record.document_id for overlap in zoning.zones}
    for documents in grouped((document_id.rpartition("_")[0], document_id) for document_id in ids).values():
        if len(documents) > 1:
            warnings.append(warning("plans_several", "urbanism", documents=", ".join(sorted(documents))))
    return warnings + _sliver_warnings(site, slivers)[: MAX_SLIVERS_STATED - len(of_zones)]


def _sliver_warnings(site: Site, slivers: Sequence[Sliver]) -> list[AnswerWarning]:
    return [
        warning("planning_sliver", "urbanism", label=label, area_m2=round(area_m2))
        for label, area_m2 in slivers
        if area_m2 >= STATED_SLIVER_M2
    ]


def _coverage_warnings(site: Site, coverage: Sequence[Coverage], covered_ratio: float) -> list[AnswerWarning]:
    zones, *features = coverage
    warnings = []
    if zones.status == "not_loaded":
        warnings.append(warning("zoning_not_covered", "urbanism"))
    elif zones.status == "partial":
        warnings.append(warning("zoning_partial", "urbanism", percent=round(100 * covered_ratio)))
    for name, of_name in zip(_FEATURES, features, strict=True):
        if of_name.status != "covered":
            warnings.append(
                warning(f"{name}_{'partial' if of_name.status == 'partial' else 'not_covered'}", "urbanism")
            )
    return warnings
