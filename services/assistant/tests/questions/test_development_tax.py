"""The estimate of the development tax."""

from typing import Any

import pytest

from assistant.questions.development_tax import estimate
from landpartner.land.v1.land_pb2 import CommuneRules, DevelopmentTax, LandBlock, LandUnit


def unit(*communes: str, **rates: Any) -> LandUnit:
    tax = DevelopmentTax(year=2026, **rates)
    return LandUnit(land=LandBlock(commune_rules=[CommuneRules(commune_code=c, development_tax=tax) for c in communes]))


@pytest.mark.parametrize(
    ("commune", "rates", "formula"),
    [
        ("18033", {"highest_percent": 4}, "100 m² × 446 € (la valeur forfaitaire de 892 € par m² en 2026"),
        ("18033", {"highest_percent": 4}, "× 6,50 % = 2 899 €. Chaque m² de plus ajoute 58 €."),
        ("18033", {"highest_percent": 5}, "× 6,50 % à 7,50 % = 2 899 € à 3 345 €."),
        ("92012", {"highest_percent": 4, "region_percent": 1}, "× 7,50 % = 3 791 €."),
    ],
)
def test_the_estimate_has_its_formula(commune: str, rates: dict[str, float], formula: str) -> None:
    [statement] = estimate(unit(commune, commune_percent=4, department_percent=2.5, **rates))
    text = statement.text.fr.replace("\u202f", " ").replace("\u00a0", " ")
    assert formula in text


def test_there_is_no_estimate_without_the_rates_of_one_commune() -> None:
    assert not estimate(unit("18033", commune_percent=4))
    assert not estimate(unit("18033", "18034", commune_percent=4, highest_percent=4, department_percent=2.5))
    assert not estimate(LandUnit())
