"""Briefs from land units, and the numbers that an answer may contain."""

import re
from collections.abc import Callable

import pytest

from assistant.assessment.facts import LEAST_HOUSE_M
from assistant.assessment.result import Status
from assistant.division.access import width_of
from assistant.models.base import Brief
from assistant.models.frame import MOST_POINTS
from assistant.rpc.messages import quick_assessment
from landpartner.land.v1 import land_pb2
from servicekit.languages import in_language


def known_numbers(unit: land_pb2.LandUnit, brief: Brief) -> set[float]:
    """The numbers of the land unit and the assessment, with percentages and averages per lot."""
    with in_language(brief.language):
        message = quick_assessment(brief, 2154)
    checks = message.checks
    unnamed = sum(check.status is Status.UNKNOWN for check in brief.assessment.checks) - MOST_POINTS
    numbers = {1.0, float(len(unit.parcel_ids)), float(unnamed), float(len(checks))}
    numbers |= {check.number_value for check in checks if check.HasField("number_value")}
    numbers |= {check.number_value * 100 for check in checks if check.unit == "ratio"}
    numbers |= {check.threshold for check in checks if check.HasField("threshold")}
    numbers |= {check.number_value / brief.division.lot_count for check in checks if check.code == "unit_area"}
    numbers |= {assumption.value for assumption in message.assumptions}
    numbers |= {zone.overlap_ratio * 100 for zone in unit.urbanism.zones}
    numbers |= {float(part) for sale in unit.dvf_sales for part in sale.date_mutation.split("-")}
    numbers |= {sale.valeur_fonciere for sale in unit.dvf_sales}
    market = unit.real_estate
    numbers |= {market.median_price_eur_per_m2, market.radius_m, float(market.sale_count)}
    numbers |= {float(part) for day in (market.period_from, market.period_to) for part in day.split("-") if part}
    areas = [item.overlap_area_m2 for item in unit.urbanism.prescriptions]
    numbers |= {100 * area / unit.land.geometric_area_m2 for area in areas}
    numbers |= {unit.land.cadastral_area_m2, unit.land.geometric_area_m2}
    numbers |= {float(proposal.rank) for proposal in message.proposals}
    layout = brief.division.layout()
    counts = layout.lot_without_house_count, layout.small_house_count, layout.building_plot_count
    numbers |= {LEAST_HOUSE_M, *map(float, counts)}
    drawn_m2 = sum(item.value for item in message.assumptions if item.name == "drawn_area_m2")
    numbers.add(abs(drawn_m2 - unit.land.cadastral_area_m2))  # a difference has a remark
    ways = [proposal.shared_way for proposal in brief.division.proposals if proposal.shared_way]
    numbers |= {figure for way in ways for figure in (way.length_m, way.turning_radius_m or 0.0, way.shape.area)}
    for proposal in message.proposals:
        for lot, drawn_lot in zip(proposal.lots, brief.division.proposals[proposal.rank - 1].lots, strict=True):
            numbers |= {lot.area_m2, lot.frontage_m, lot.buildable_area_m2, drawn_lot.strip_m2}
            numbers.add(lot.area_m2 - drawn_lot.strip_m2)
            numbers |= {lot.largest_house_width_m, lot.largest_house_depth_m}
            numbers |= {round(drawn_lot.building_gap_m, 1), round(drawn_lot.reach_m or 0.0, 1)}
            if (ground := drawn_lot.right_of_way) is not None:
                numbers |= {ground.area, round(width_of(ground), 1)}
    for change in brief.changes:
        numbers |= {change.area_m2, float(len(change.proposal.lots))}
        for drawn_lot in change.proposal.lots:  # its sentence has the lots and their shortcomings
            numbers |= {drawn_lot.area_m2, *(drawn_lot.largest_house_m or ())}
            numbers |= {round(drawn_lot.building_gap_m, 1), round(drawn_lot.reach_m or 0.0, 1)}
    widest_m = brief.division.widest_m
    numbers |= {round(widest_m, 1), round(max(0.0, widest_m - 2 * brief.division.assumptions.setback_m), 1)}
    return numbers


def strange_numbers(text: str, unit: land_pb2.LandUnit, brief: Brief) -> list[str]:
    """The numbers in a text that are not in the land unit, the assessment or a legal reference."""
    numbers = known_numbers(unit, brief)
    references = " ".join(ref for check in brief.assessment.checks for ref in check.legal_refs)
    strange = []
    for word in re.findall(r"(?<![\w-])\d(?:[\d.,\u202f]*\d)?(?![\w-])", text):
        plain = word.replace("\u202f", "")
        value = float(plain.replace(",", ".") if brief.language == "fr" else plain.replace(",", ""))
        margin = 0.051 if "," in word and brief.language == "fr" else 0.551
        if word not in references and not any(abs(value - number) <= margin for number in numbers):
            strange.append(word)
    return strange


@pytest.fixture
def find_strange_numbers() -> Callable[[str, land_pb2.LandUnit, Brief], list[str]]:
    return strange_numbers
