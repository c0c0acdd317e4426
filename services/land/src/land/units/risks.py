"""The block `risks`: what Géorisques answered about the parcels and the communes of a land unit.

It reads stored answers only. `datasets/risks/lookups.py` asks for those that are missing, before the block is read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson
import shapely
from shapely.geometry.base import BaseGeometry

from contract.dictionary import read_texts
from land.answers.provenance import Coverage, CoverageStatus
from land.answers.texts import join, warning
from land.datasets import territory
from land.datasets.grouping import grouped
from land.datasets.partitions import Partition
from land.datasets.risks import queries as risks
from land.datasets.risks.questions import NEAR_M, QUESTIONS, Question, places_of
from land.datasets.risks.records import Finding, RiskAnswer
from land.datasets.risks.registration import GEORISQUES
from land.store.cached_reads import Reads
from land.store.loads import Load
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site
from servicekit.languages import Text

MAX_FINDINGS = 20
MAX_OF_COMMUNE = 50
SUBJECTS = (
    "clay", "cavity", "landslide", "polluted_soil", "soil_information_sector", "classified_installation", "radon",
    "seismic", "flood_territory", "brush_clearing", "natural_risk_plan", "technological_risk_plan", "mining_risk_plan",
)  # fmt: skip
_RECORDED, _DISASTERS = "recorded_risks", "natural_disasters"
REASONS = (
    "source_unavailable", "token_refused", "loading", "busy", "too_many_parcels", "not_drawn", "not_loaded",
)  # fmt: skip
"""An answer states the first one that applies."""
_WORST_FIRST = ("flood_territory",)
"""Subjects whose lower code is the more frequent risk."""
_DATASET = GEORISQUES.id

_GROUPS: Mapping[str, Sequence[Sequence[Question]]] = {
    subject: [
        [question for question in QUESTIONS.values() if (question.subject, question.ask) == (subject, ask)]
        for ask in dict.fromkeys(question.ask for question in QUESTIONS.values() if question.subject == subject)
    ]
    for subject in (*SUBJECTS, _RECORDED, _DISASTERS)
}
"""The questions of each grain by subject, the finer grain first."""
_NAMES = {
    **{subject: Text(**texts["name"]) for subject, texts in read_texts("risks")["value"]["risk_subject"].items()},
    _RECORDED: Text("risques recensés", "recorded risks"),
    _DISASTERS: Text("catastrophes naturelles", "natural disasters"),
}

Answers = Mapping[tuple[str, str], RiskAnswer]
"""Answers by place and question."""


class _Chosen(NamedTuple):
    """What answers a subject."""

    question: Question
    """The first one of its grain."""
    keys: Sequence[tuple[str, str]]
    """The places and names of all questions of this grain."""
    answers: Sequence[RiskAnswer]


@dataclass(frozen=True)
class Risk:
    subject: str
    status: str
    level: str | None
    label: str | None
    grain: str
    source: str
    retrieved_at: str | None
    findings: Sequence[Finding]
    reason: str | None
    is_outdated: bool = False
    """Whether the publisher did not renew the answer in time."""
    total: int = 0


@dataclass(frozen=True)
class RisksBlock:
    items: Sequence[Risk]
    recorded_risks: Risk
    natural_disasters: Risk


def compute(reads: Reads, site: Site, _: Parts) -> Part[RisksBlock | None]:
    """The block is None if the store has no answer at all."""
    parcel_ids = [record.parcel_id for record in site.parcels]
    answers = risks.answers_about(reads.snapshot, places_of(parcel_ids))
    answers_by_question = {(answer.place, answer.question): answer for answer in answers}
    items = [_risk(site, _chosen(site, subject, parcel_ids, answers_by_question)) for subject in _GROUPS]
    reasons = {item.reason for item in items if item.reason}
    reason = next((item_reason for item_reason in REASONS if item_reason in reasons), None)
    if not answers_by_question:
        statuses: Mapping[str | None, CoverageStatus] = {"loading": "loading", "not_loaded": "not_loaded"}
        coverage = Coverage(_DATASET, statuses.get(reason, "partial"), reason)
        return Part(None, [warning("risks_not_covered", "risks")], [coverage])
    unknown = [_NAMES[item.subject] for item in items if item.reason and not item.is_outdated]
    outdated = [_NAMES[item.subject] for item in items if item.is_outdated]
    warnings = [
        warning(code, "risks", subjects=join(subjects, ", "))
        for code, subjects in (("risks_partial", unknown), ("risks_outdated", outdated))
        if subjects
    ]
    coverage = Coverage(_DATASET, "partial" if reason else "covered", reason)
    return Part(RisksBlock(items[:-2], *items[-2:]), warnings, [coverage], _loads(answers))


RECIPE = Recipe("risks", (), compute)


def _risk(site: Site, chosen: _Chosen) -> Risk:
    question, keys, used = chosen
    findings = _near(site, chosen)
    reasons = {site.lookups.get(key) for key in keys}
    is_whole = len(used) == len(keys)
    if not is_whole and not any(reasons):
        reasons.add("not_loaded")
    reason = next((answer_reason for answer_reason in REASONS if answer_reason in reasons), None)
    statuses = {answer.status for answer in used}
    if question.grain == "site" and not findings:
        statuses.discard("present")
    status = "unavailable"
    if "present" in statuses:
        status = "present"
    elif is_whole:
        status = "not_covered" if "not_covered" in statuses else "none"
    pick = min if question.subject in _WORST_FIRST else max
    levels = [(answer.level, answer.label) for answer in used if answer.level]
    level, label = pick(levels, key=lambda level_and_label: level_and_label[0]) if levels else (None, None)
    return Risk(
        question.subject,
        status,
        level,
        label,
        question.grain,
        _DATASET,
        min((answer.retrieved_at for answer in used), default=None),
        findings[: MAX_OF_COMMUNE if question.is_of_commune else MAX_FINDINGS],
        reason,
        is_outdated=is_whole and reason is not None,
        total=sum(answer.total for answer in used),
    )


def _chosen(site: Site, subject: str, parcel_ids: Sequence[str], answers: Answers) -> _Chosen:
    """The grain of a subject with the most complete answers. Of equal ones, that which was asked for this request, then
    the finer one.
    """
    choices = []
    for group in _GROUPS[subject]:
        keys = [(place, question.name) for question in group for place in question.places(parcel_ids)]
        choices.append(_Chosen(group[0], keys, [answers[key] for key in keys if key in answers]))
    return max(
        choices,
        key=lambda choice: (len(choice.answers) / len(choice.keys), any(key in site.lookups for key in choice.keys)),
    )


def _findings(answers: Iterable[RiskAnswer]) -> list[Finding]:
    """The findings of all answers, each once."""
    merged: dict[object, Finding] = {}
    for answer in answers:
        for values in orjson.loads(answer.findings) if answer.total else ():
            finding = Finding(**values)
            finding = finding._replace(zones=tuple(finding.zones), zone_labels=tuple(finding.zone_labels))
            key = (finding.id, finding.name, finding.status, finding.date)
            earlier = merged.get(key)
            merged[key] = finding if earlier is None else _with_zones(earlier, finding)
    return list(merged.values())


def _near(site: Site, chosen: _Chosen) -> Sequence[Finding]:
    """The sites near the land unit, nearest first, with their distances; or all findings of another grain."""
    findings = _findings(chosen.answers)
    if chosen.question.grain != "site":
        return findings
    distances = _distances(site, findings)
    sites = [finding._replace(distance_m=distance) for finding, distance in zip(findings, distances, strict=True)]
    near = (item for item in sites if item.distance_m is None or item.distance_m <= NEAR_M)
    return sorted(near, key=lambda item: (item.distance_m is None, item.distance_m or 0.0, item.id or ""))


def _with_zones(finding: Finding, same: Finding) -> Finding:
    """The finding with the zones of both: a plan may have other zones on another parcel."""
    labels = dict(zip(finding.zones + same.zones, finding.zone_labels + same.zone_labels, strict=False))
    return finding._replace(zones=tuple(labels), zone_labels=tuple(labels.values()))


def _distances(site: Site, findings: Sequence[Finding]) -> list[float | None]:
    """Distances in metres from the land unit; None without a place."""
    geometries = [finding.geometry for finding in findings if finding.geometry is not None]
    if site.shape is None or not geometries:
        return [None] * len(findings)
    degrees = shapely.from_geojson([orjson.dumps(geojson) for geojson in geometries])
    metric: list[BaseGeometry] = territory.all_to_metres(degrees, site.shape.projection)
    distances = iter(shapely.distance(metric, site.shape.metric).round(1).tolist())
    return [None if finding.geometry is None else next(distances) for finding in findings]


def _loads(answers: Sequence[RiskAnswer]) -> list[Load]:
    """A load for each commune, with the day of its oldest answer as edition: the publisher has no editions."""
    days = grouped((answer.commune_code, answer.retrieved_at) for answer in answers)
    return [
        Load(_DATASET, Partition(commune), min(instants)[:10], "", max(instants), max(instants), 0, 0, "")
        for commune, instants in days.items()
    ]
