"""A rule in words, in both languages."""

import re

import pytest

from land.units.regulation import RegulationRule
from servicekit.languages import Language, in_language


def in_words(language: Language, subject: str, operator: str, **values: object) -> str:
    row = {"state": "regulated", "subject": subject, "operator": operator, **values}
    rule = RegulationRule(id="UA-1", zone="UA", url=None, row=row)
    with in_language(language):
        return re.sub(r"\s", " ", rule.text)


@pytest.mark.parametrize(
    ("unit", "value", "french", "english"),
    [
        ("place per dwelling", 1, "au moins 1 place par logement", "at least 1 place per dwelling"),
        ("place per dwelling", 1.5, "au moins 1,5 place par logement", "at least 1.5 places per dwelling"),
        ("place per 2 chambres", 3, "au moins 3 places par 2 chambres", "at least 3 places per 2 rooms"),
        ("% of open space", 30, "au moins 30 % des espaces libres", "at least 30 % of open space"),
    ],
)
def test_a_unit_is_in_the_language_of_the_call(unit: str, value: float, french: str, english: str) -> None:
    assert in_words("fr", "parking", "min", value=value, unit=unit) == f"Stationnement : {french}"
    assert in_words("en", "parking", "min", value=value, unit=unit) == f"Parking: {english}"


def test_a_range_has_both_its_figures() -> None:
    values = {"value": 3, "value_max": 8.5, "unit": "m"}
    assert in_words("fr", "setback_road", "range", **values).endswith("de 3 à 8,5 m")
    assert in_words("en", "setback_road", "range", **values).endswith("from 3 to 8.5 m")


def test_a_formula_is_in_the_language_of_the_call() -> None:
    values = {"value": 3.5, "unit": "m", "formula": "L >= max(H/2, 3.5)"}
    assert in_words("fr", "setback_side", "min", **values).endswith("au moins 3,5 m ; L >= max(H/2 ; 3,5)")
    assert in_words("en", "setback_side", "min", **values).endswith("at least 3.5 m; L >= max(H/2, 3.5)")
    opposite = in_words("fr", "setback_road", "formula", formula="L >= H, L measured to the opposite alignment")
    assert opposite.endswith("formule ; L >= H, L mesurée jusqu’à l’alignement opposé")


@pytest.mark.parametrize(("sector", "is_limited"), [("UA", False), ("UAa", True)])
def test_a_rule_of_the_sector_that_the_zone_is_has_no_limit(sector: str, is_limited: bool) -> None:
    said = in_words("en", "setback_side", "min", value=3, unit="m", scope={"sector": sector, "reference": "alignment"})
    assert ("under conditions" in said) is is_limited
