"""Reads figures that prescriptions of a plan state in their labels: setbacks, footprint and height.

A figure is used only if the label has exactly one, with its unit, and does not say the opposite, such as a maximum
setback. Labels are free text of publishers, so nothing else of them is used.
"""

import re
from collections.abc import Iterable

from assistant.division.proposal import StatedRules
from landpartner.land.v1.land_pb2 import PlanningPrescription

_SETBACK, _FOOTPRINT, _HEIGHT = "15", "38", "39"
_TO_WAYS, _QUALITATIVE, _ALTERNATIVE, _MINIMUM = "01", "97", "98", "01"
_METRES = re.compile(r"(?<![\d.,/])(\d{1,3}(?:[.,]\d{1,2})?) ?(?:m|mètres?|metres?)(?![\w²/])")
_PERCENT = re.compile(r"(?<![\d.,])(\d{1,3}(?:[.,]\d{1,2})?) ?(?:%|pour ?cent)")
_RATIO = re.compile(r"\b(?:ces|coefficient d'emprise(?: au sol)?)\b[^\d]{0,20}(0[.,]\d{1,2})(?!\d)")
_MAXIMUM = re.compile(r"\bmax|au plus|inférieure? ou égale?|ne (?:peut|doit) excéder|\bjusqu")
_LEAST = re.compile(r"\bmin|au moins|supérieure? ou égale?")
_BY_HEIGHT = re.compile(r"\bh ?[/=]|[/=] ?h\b|hauteur|moitié|\bl ?=")
_WAYS = re.compile(r"\bvoies?\b|\balignement|\broutes?\b|\brue\b|emprises? publiques?|\bRD ?\d|\bRN ?\d", re.IGNORECASE)
_LONGEST_M, _HIGHEST_M = 100.0, 100.0


def stated_rules(prescriptions: Iterable[PlanningPrescription]) -> StatedRules:
    """The strictest figure of each kind."""
    stated_values: dict[str, list[float]] = {"sides": [], "ways": [], "footprint": [], "height": []}
    for prescription in prescriptions:
        if prescription.subtype_code in (_QUALITATIVE, _ALTERNATIVE):
            continue
        text = re.sub(r"\s+", " ", prescription.label.casefold().replace("’", "'"))
        if prescription.type_code == _SETBACK:
            value = _only(_METRES, text)
            if (
                value is not None
                and 0 < value <= _LONGEST_M
                and not _MAXIMUM.search(text)
                and not _BY_HEIGHT.search(text)
            ):
                is_way = prescription.subtype_code == _TO_WAYS or (
                    prescription.subtype_code in ("", "00") and _WAYS.search(text)
                )
                stated_values["ways" if is_way else "sides"].append(value)
        elif prescription.type_code == _FOOTPRINT and prescription.subtype_code != _MINIMUM and not _LEAST.search(text):
            value, share = _only(_PERCENT, text), _only(_RATIO, text)
            if value is not None and share is None and 0 < value <= 100:  # noqa: PLR2004 (percent)
                stated_values["footprint"].append(value / 100)
            elif share is not None and value is None and share > 0:
                stated_values["footprint"].append(share)
        elif prescription.type_code == _HEIGHT and prescription.subtype_code != _MINIMUM and not _LEAST.search(text):
            value = _only(_METRES, text)
            if value is not None and 0 < value <= _HIGHEST_M:
                stated_values["height"].append(value)
    return StatedRules(
        setback_m=max(stated_values["sides"], default=None),
        way_setback_m=max(stated_values["ways"], default=None),
        footprint_ratio=min(stated_values["footprint"], default=None),
        height_m=min(stated_values["height"], default=None),
    )


def _only(pattern: re.Pattern[str], text: str) -> float | None:
    """The only figure that the pattern finds; None if there are none or several."""
    values = pattern.findall(text)
    return float(values[0].replace(",", ".")) if len(values) == 1 else None
