"""The answers of the rules for hundreds of real parcels contain only texts and numbers of the study."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.assessment.result import Status
from assistant.assessment.rules import RULES
from assistant.division.wording import declared, gaps, layout_summary, lot_summaries
from assistant.models.base import Brief
from assistant.models.lines import tell
from assistant.models.rules import passages
from assistant.questions.replies import PARCEL_CHANGE
from assistant.text import read_table, split_sentences
from landpartner.land.v1 import land_pb2
from servicekit.languages import Language, Text

ZONES: tuple[list[str], ...] = (["U"], ["AUc"], ["N"], ["U", "A"], [], ["AUs"], ["RNU"])
_ARTICLE = re.compile(r"\b[LR]\d[\d-]*")


def with_facts(unit: land_pb2.LandUnit, number: int) -> land_pb2.LandUnit:
    """The parcel with planning, buildings and sales that depend on `number`, since the samples have none."""
    types = ZONES[number % len(ZONES)]
    if types:
        unit.urbanism.is_rnu = types == ["RNU"]
        for zone_type in types if types != ["RNU"] else []:
            unit.urbanism.zones.add(label=f"{zone_type}b", zone_type=zone_type, overlap_ratio=1 / len(types))
    zoning = land_pb2.COVERAGE_STATUS_PARTIAL if number % 11 == 3 else land_pb2.COVERAGE_STATUS_COVERED
    unit.coverage.add(dataset="gpu-zones", status=zoning)
    if types and number % 5:
        unit.coverage.add(dataset="gpu-prescriptions", status=land_pb2.COVERAGE_STATUS_COVERED)
        if number % 5 == 2 and types != ["RNU"]:
            code = ("01", "05", "07", "08", "39")[number // 5 % 5]
            area_m2 = unit.land.geometric_area_m2 * (0.95 if number % 2 else 0.25)
            unit.urbanism.prescriptions.add(type_code=code, geometry_kind="surface", overlap_area_m2=area_m2)
    unit.coverage.add(
        dataset="bdtopo",
        status=land_pb2.COVERAGE_STATUS_NOT_COVERED if number % 7 == 0 else land_pb2.COVERAGE_STATUS_COVERED,
        reason="not_loaded" if number % 7 == 0 else None,
    )
    if number % 3:
        unit.buildings.count = number % 3
        unit.buildings.footprint_area_m2 = 90.0
        unit.buildings.ground_coverage_ratio = min(1.0, 90.0 / max(unit.land.geometric_area_m2, 90.0))
    if number % 2:
        unit.coverage.add(dataset="dvf", status=land_pb2.COVERAGE_STATUS_COVERED)
    if number % 4 == 1:
        sale = unit.dvf_sales.add(id_mutation="m", date_mutation="2021-05-17", valeur_fonciere=187_250.0 + number)
        sale.lot_count = number % 3
    if number % 2:
        unit.real_estate.period_from, unit.real_estate.period_to = "2019-01-01", "2023-12-29"
    if number % 6 == 1:
        unit.real_estate.median_price_eur_per_m2, unit.real_estate.kind = 4_321.5, "flat"
        unit.real_estate.sale_count, unit.real_estate.radius_m = 37, 300.0
    return unit


def known_texts(brief: Brief) -> list[str]:
    """All texts that an answer may contain, longest first."""
    language, assessment = brief.language, brief.assessment
    headings = [Text(*pair) for pair in read_table("models/texts.toml")["heading"].values()]
    texts = [
        *(Text(*pair) for check in assessment.checks for pair in _sentence_pairs(check.detail)),
        *(check.point for check in assessment.checks),
        *(text for p in brief.division.proposals for text in (layout_summary(p), *gaps(p), *lot_summaries(p))),
        *(text for p in brief.division.proposals if brief.site for text in declared(p, brief.site.declared_m2)),
        *brief.division.limitations,
        *(assumption.detail for assumption in brief.assumptions),
        *(change.summary for change in brief.changes),
        *headings,
        PARCEL_CHANGE,
        *(statement.text for statement in brief.replies.costs),
        assessment.summary,
        assessment.disclaimer,
        *brief.heard,
    ]
    return sorted((text.read(language).strip().removesuffix(".") for text in texts), key=len, reverse=True)


def _sentence_pairs(detail: Text) -> Iterator[tuple[str, str]]:
    return zip(split_sentences(detail.fr), split_sentences(detail.en), strict=False)


@pytest.mark.samples
@pytest.mark.parametrize(("commune", "step", "language"), [("91216", 16, "fr"), ("75118", 27, "en")])
def test_every_sentence_number_and_reference_is_from_the_study(
    sample_data: Path,
    read_parcels: Callable[[Path, int], Iterator[land_pb2.LandUnit]],
    make_brief: Callable[..., Brief],
    find_strange_numbers: Callable[[str, land_pb2.LandUnit, Brief], list[str]],
    commune: str,
    step: int,
    language: Language,
) -> None:
    listed = {rule.code: set(_ARTICLE.findall(" ".join(rule.legal_refs))) for rule in RULES}
    path = sample_data / "cadastre" / f"cadastre-{commune}-parcelles.json.gz"
    statuses: set[tuple[str, Status]] = set()
    count = 0
    for number, plain in enumerate(read_parcels(path, step)):
        unit = with_facts(plain, number)
        brief = make_brief(unit, language, f"diviser en {2 + number % 3} lots")
        parts = list(passages(brief))
        text = "".join(part.text for part in parts)
        assert find_strange_numbers(text, unit, brief) == [], unit.parcel_ids
        cost_refs = " ".join(ref for statement in brief.replies.costs for ref in statement.legal_refs)
        listed["taxes"] = set(_ARTICLE.findall(cost_refs))
        for part in parts:
            allowed = {article for code in part.grounded_on for article in listed[code]}
            assert set(_ARTICLE.findall(part.text)) <= allowed, part
        for heading in (tell("heading.clear"), tell("heading.other")):
            points = text.partition(f"### {heading.read(language)}\n\n")[2].split("\n")[0]
            text = text.replace(points, "") if points else text
        for known_text in known_texts(brief):
            text = text.replace(known_text, "")
        text = re.sub(
            r"(?:Lots|Reste à connaître|Chaque point|Ensuite|Not known yet|Every point|Next)\b[^\n]*", "", text
        )
        text = re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", text)
        assert re.sub(r"[\s*#.\-]|\d\.", "", text) == "", text
        statuses |= {(check.code, check.status) for check in brief.assessment.checks}
        count += 1
    assert count > 250
    assert len(statuses) > 25
