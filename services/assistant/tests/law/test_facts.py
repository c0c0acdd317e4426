"""Each fact that decides a card has each of its values on some land, and no value on land of which nothing is known."""

from collections.abc import Callable

import pytest
from shapely import box

from assistant.assessment.facts import DATASETS, LandFacts
from assistant.law.cards import load_cards
from assistant.law.facts import VALUES, value_of
from assistant.questions.answers import law
from assistant.questions.replies import Subject
from assistant.study import study
from landpartner.land.v1 import land_pb2

MakeUnit = Callable[..., land_pb2.LandUnit]
Change = Callable[[land_pb2.LandUnit], object]
PUBLISHED = ("AC1", "AC2", "AC4")


def value(fact: str, unit: land_pb2.LandUnit, question: str = "") -> str | None:
    facts = LandFacts(unit)
    done = study(facts, question)
    return value_of(fact, facts, done.assessment, done.division)


def cover(*names: str) -> Change:
    def change(unit: land_pb2.LandUnit) -> None:
        for name in names:
            for dataset in DATASETS.get(name, (name,)):
                unit.coverage.add(dataset=dataset, status=land_pb2.COVERAGE_STATUS_COVERED)

    return change


def zone(kind: str) -> Change:
    return lambda unit: setattr(unit.urbanism.zones[0], "zone_type", kind)


def no_plan(unit: land_pb2.LandUnit) -> None:
    del unit.urbanism.zones[:]
    unit.urbanism.is_rnu = True


def easements(*present: str) -> Change:
    def change(unit: land_pb2.LandUnit) -> None:
        cover("easements")(unit)
        unit.urbanism.published_easement_categories.extend(PUBLISHED)
        for category in present:
            unit.urbanism.easements.add(category=category, overlap_ratio=1.0)

    return change


def owner(**members: object) -> Change:
    def change(unit: land_pb2.LandUnit) -> None:
        cover("owners")(unit)
        unit.land.owners.add(name="X", parcel_ids=unit.parcel_ids, **members)

    return change


def risk(subject: str, zones: tuple[str, ...] = (), **members: str) -> Change:
    def change(unit: land_pb2.LandUnit) -> None:
        item = unit.risks.items.add(subject=subject, **members)
        if zones:
            item.findings.add(name="PPR Inondation", zones=zones)

    return change


def slope(percent: float) -> Change:
    return lambda unit: unit.land.terrain.MergeFrom(
        land_pb2.Terrain(mean_altitude_m=100.0, mean_slope_percent=percent, max_slope_percent=percent)
    )


def pre_emption(unit: land_pb2.LandUnit) -> None:
    cover("informations")(unit)
    unit.urbanism.informations.add(type_code="04", geometry_kind="surface")


def farm(unit: land_pb2.LandUnit) -> None:
    unit.land.farmed_land.add(overlap_area_m2=100.0)


def same(unit: land_pb2.LandUnit) -> None:
    pass


@pytest.mark.parametrize(
    ("fact", "expected", "change"),
    [
        ("zone", "u", same), ("zone", "au", zone("AUc")), ("zone", "a", zone("A")), ("zone", "n", zone("N")),
        ("zone", "rnu", no_plan), ("zone", None, zone("")),
        ("procedure", "declaration", same), ("procedure", "permit", easements("AC4")),
        ("protected", "yes", easements("AC1")), ("protected", "no", easements()), ("protected", "unknown", same),
        ("farmed", "yes", farm), ("farmed", "no", cover("rpg")), ("farmed", None, same),
        ("owner", "company", owner(group_code="6")), ("owner", "unknown", same),
        ("owner", "public", owner(group_code="4", is_public=True)),
        ("owner", "joint_ownership", owner(right_code="S")),
        ("road", "touches", same), ("road", None, lambda unit: unit.land.ClearField("frontage_m")),
        ("flood", "yes", risk("natural_risk_plan", ("B1",), status="present", level="zone")),
        ("flood", "no", risk("natural_risk_plan", status="none")), ("flood", None, same),
        ("clay", "strong", risk("clay", status="present", level="3")),
        ("clay", "medium", risk("clay", status="present", level="2")),
        ("clay", "low", risk("clay", status="none")), ("clay", None, risk("clay", status="unavailable")),
        ("slope", "flat", slope(3.0)), ("slope", "steep", slope(20.0)), ("slope", None, same),
        ("town_pre_emption", "yes", pre_emption), ("town_pre_emption", "no", cover("informations")),
        ("town_pre_emption", "unknown", same),
        ("house", "no", same), ("house", None, lambda unit: unit.buildings.ClearField("count")),
        ("new_way", "no", same), ("pool", None, same),
    ],
)  # fmt: skip
def test_a_fact_has_its_value(fact: str, expected: str | None, change: Change, land_unit: MakeUnit) -> None:
    unit = land_unit()
    change(unit)
    assert value(fact, unit) == expected
    assert expected is None or expected in VALUES[fact]


def test_the_project_and_the_drawing_decide_too(land_unit: MakeUnit) -> None:
    house = land_unit(buildings=[box(8, 6, 20, 16)])
    assert value("house", house) == "yes"
    assert value("procedure", land_unit(), "Je vends 40 m² à mon voisin pour son jardin") == "none"
    assert value("road", land_unit(front=False)) == "none"
    assert value("new_way", land_unit(60, 80), "4 lots avec une voie commune") == "yes"


def test_what_is_not_known_gives_no_sentence_and_what_is_known_gives_its_own(land_unit: MakeUnit) -> None:
    facts = LandFacts(land_unit())
    done = study(facts, "")
    subject = Subject(facts, done.assessment, done.division, "")
    with_sentence = 0
    for card in load_cards().values():
        texts = [statement.text for statement in law([card], subject)]
        meaning = card.values.get(value_of(card.fact, facts, done.assessment, done.division) or "")
        assert texts[0] == (meaning if meaning and card.says.fr.startswith("Cela dépend") else card.says)
        assert sorted(texts[:-1]) == sorted([card.says, *([meaning] if meaning else [])])
        with_sentence += meaning is not None
    assert with_sentence >= 10
