"""Reading figures from the labels of prescriptions."""

import pytest

from assistant.division.proposal import StatedRules
from assistant.division.stated import stated_rules
from landpartner.land.v1.land_pb2 import PlanningPrescription


@pytest.mark.parametrize(
    ("type_code", "subtype", "label", "rules"),
    [
        ("15", "02", "Retrait minimum de 4 mètres", StatedRules(setback_m=4)),
        ("15", "03", "recul de 3,50 m", StatedRules(setback_m=3.5)),
        ("15", "01", "Recul de 15 m", StatedRules(way_setback_m=15)),
        ("15", "00", "Marge de recul de 25 m par rapport à l’axe de la RD 10", StatedRules(way_setback_m=25)),
        ("15", "", "Recul de 6 m par rapport à la voie", StatedRules(way_setback_m=6)),
        ("15", "02", "Implantation en LS ou en retrait maximum de 5 mètres", StatedRules()),
        ("15", "02", "Implantation en LS ou en retrait de 3 mètres maximum", StatedRules()),
        ("15", "02", "L = H/2, minimum 3 m", StatedRules()),
        ("15", "02", "Retrait de 3 m ou 5 m", StatedRules()),
        ("15", "98", "Retrait de 3 m", StatedRules()),
        ("15", "02", "Secteur 4", StatedRules()),
        ("15", "02", "Retrait de 30 m²", StatedRules()),
        ("38", "02", "Emprise au sol maximale : 30 %", StatedRules(footprint_ratio=0.3)),
        ("38", "00", "CES 0,4", StatedRules(footprint_ratio=0.4)),
        ("38", "01", "Emprise au sol 30 %", StatedRules()),
        ("38", "02", "Emprise au sol minimale de 30 %", StatedRules()),
        ("38", "02", "Emprise de 130 %", StatedRules()),
        ("39", "02", "Hauteur maximale 9 m", StatedRules(height_m=9)),
        ("39", "02", "R+1", StatedRules()),
        ("07", "01", "Recul de 3 m", StatedRules()),
    ],
)
def test_a_figure_with_its_unit_is_read(type_code: str, subtype: str, label: str, rules: StatedRules) -> None:
    assert stated_rules([PlanningPrescription(type_code=type_code, subtype_code=subtype, label=label)]) == rules


def test_the_strictest_figure_counts() -> None:
    prescriptions = [("15", "02", "3 m"), ("15", "02", "5 m"), ("38", "02", "40 %"), ("38", "02", "20 %")]
    rules = stated_rules(
        PlanningPrescription(type_code=type_code, subtype_code=subtype, label=label)
        for type_code, subtype, label in prescriptions
    )
    assert rules == StatedRules(setback_m=5, footprint_ratio=0.2)
