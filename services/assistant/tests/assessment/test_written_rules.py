"""Figures of a regulation in the check on its reading: only certain ones, and those of the question first."""

from dataclasses import replace

import pytest
from good_land import DRAWN, facts

from assistant.assessment.facts import LandFacts
from assistant.assessment.planning import project_reading
from assistant.assessment.written_rules import WHOLE, division_reading, drawn_figures
from assistant.project import Project
from assistant.text import split_sentences
from landpartner.land.v1 import land_pb2

ROAD = {"id": "1", "subject": "setback_road", "operator": "min", "value": 5.0, "unit": "m", "page": 4}
FOOTPRINT = {"id": "2", "subject": "footprint_ratio", "operator": "max", "value": 40.0, "unit": "%"}
GROUND = {"id": "5", "subject": "full_ground_ratio", "operator": "min", "value": 30.0, "unit": "%"}
SIDES = {"id": "3", "subject": "setback_side", "also": ["setback_rear"], "operator": "min", "value": 3.0, "unit": "m"}


def rule(facts_of_rule: dict[str, object], **changes: object) -> land_pb2.RegulationRule:
    fields = {"state": "regulated", "kind": "main", **facts_of_rule, **changes}
    scope = [land_pb2.RuleScope(name=name, value=value) for name, value in fields.pop("scope", {}).items()]  # type: ignore[attr-defined]
    return land_pb2.RegulationRule(**fields, scope=scope)  # type: ignore[arg-type]


def land_with(*rules: land_pb2.RegulationRule, state: str = "read") -> LandFacts:
    unit = land_pb2.LandUnit()
    unit.CopyFrom(facts().unit)
    unit.urbanism.regulation.CopyFrom(land_pb2.Regulation(zone="UB", state=state, approved_on="2024-01-31"))
    unit.urbanism.rules.extend(rules)
    return LandFacts(unit)


def detail(land: LandFacts, **project: object) -> str:
    return project_reading.test(land, replace(DRAWN, project=Project(**project))).detail.fr  # type: ignore[arg-type]


def test_certain_figures_are_named_with_their_page_and_document() -> None:
    said = detail(land_with(rule(ROAD, scope={"reference": "alignment"}), rule(FOOTPRINT), rule(SIDES)))
    assert "Lecture automatique, à vérifier dans le document du 31 janvier 2024" in said
    assert "recul de la voie d’au moins 5 m (page 4)" in said.replace("\N{NO-BREAK SPACE}", " ")
    assert "emprise au sol d’au plus 40 %" in said.replace("\N{NO-BREAK SPACE}", " ")
    assert said.count("3\N{NO-BREAK SPACE}m") == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"needs_map": True},
        {"is_ambiguous": True},
        {"kind": "exception"},
        {"kind": "may_be_imposed"},
        {"operator": "max"},
        {"operator": "qualitative"},
        {"condition": "moins de 500 m2"},
        {"formula": "L >= H/2"},
        {"note": "a formula to be read by a person"},
        {"level": "general"},
        {"scope": {"use": "dwelling"}},
        {"scope": {"reference": "axis"}},
        {"scope": {"band": "15 m"}},
        {"scope": {"map": "perimetre b"}},
        {"scope": {"sector": "UBb"}, "zone": "UBa"},
        {"scope": {"sector": "UBa"}},
        {"scope": {"sector": "UBa", "band": "beyond 15 m"}, "zone": "UBa"},
        {"value": 0.0},
    ],
)
def test_a_figure_that_is_not_certain_is_not_used(changes: dict[str, object]) -> None:
    assert "5\N{NO-BREAK SPACE}m" not in detail(land_with(rule(ROAD, **changes)))


def test_a_figure_of_the_sector_that_the_zone_is_is_used() -> None:
    of_sector = rule(ROAD, zone="UBa", scope={"sector": "UBa", "reference": "alignment"})
    assert "recul de la voie d’au moins 5\N{NO-BREAK SPACE}m (page 4)" in detail(land_with(of_sector))


def test_a_figure_of_the_sector_limits_a_drawing_but_not_that_of_another() -> None:
    own, other = (rule(SIDES, zone="UBa", scope={"sector": sector}) for sector in ("UBa", "UBb"))
    assert drawn_figures(land_with(own), None)["setback_m"][0] == 3.0
    assert "setback_m" not in drawn_figures(land_with(other), None)
    assert "setback_m" not in drawn_figures(land_with(own, other), None)


@pytest.mark.parametrize("other", [{"value": 6.0}, {"operator": "qualitative"}, {"operator": "max"}])
def test_a_figure_beside_another_rule_of_its_subject_is_not_used(other: dict[str, object]) -> None:
    assert "5\N{NO-BREAK SPACE}m" not in detail(land_with(rule(ROAD), rule(ROAD, id="9", **other)))


def test_a_distance_beside_building_on_the_line_says_both() -> None:
    on_line = rule(ROAD, id="9", operator="on_limit_allowed", value=0.0)
    assert "ou implantation en limite" in detail(land_with(rule(ROAD), on_line))


def test_nothing_is_said_of_a_regulation_that_was_not_read() -> None:
    assert "non lu ici" in detail(land_with(rule(ROAD), state="not_read"))
    assert "5\N{NO-BREAK SPACE}m" not in detail(land_with(rule(ROAD), state="not_read"))


def test_nothing_is_used_on_land_in_two_zones() -> None:
    land = land_with(rule(ROAD))
    land.unit.urbanism.zones.add().CopyFrom(land.unit.urbanism.zones[0])
    assert "5\N{NO-BREAK SPACE}m" not in detail(land)


def test_a_figure_of_the_question_wins_and_the_difference_is_said() -> None:
    said = detail(land_with(rule(SIDES)), setback_m=4.0).replace("\N{NO-BREAK SPACE}", " ")
    assert "La question dit 4 m" in said
    assert "la question est suivie" in said
    assert "La question dit" not in detail(land_with(rule(SIDES)), setback_m=3.0)


@pytest.mark.parametrize(
    ("formula", "value", "height_m", "drawn_m"),
    [
        ("L >= max(H/2, 3)", 3.0, 9.0, 4.5),
        ("L >= max(H/2, 3)", 3.0, 5.0, 3.0),
        ("L >= H/2", None, 9.0, 4.5),
        ("L >= H", None, 9.0, 9.0),
        ("L >= max(H - 3, 4)", 4.0, 9.0, 6.0),
        ("L >= max(H/2, 3)", 3.0, None, None),
        ("L >= H, L measured to the opposite alignment", None, 9.0, None),
        ("angle <= 60 degrees", None, 9.0, None),
    ],
)
def test_a_distance_by_height_is_that_of_the_height_of_the_question(
    formula: str, value: float | None, height_m: float | None, drawn_m: float | None
) -> None:
    stated = {"value": value} if value is not None else {"value": None, "operator": "formula", "unit": ""}
    drawn = drawn_figures(land_with(rule({**SIDES, **stated}, formula=formula)), height_m)
    assert drawn.get("setback_m", (None,))[0] == drawn_m


def test_a_drawing_takes_the_larger_setback_of_side_and_rear_if_both_are_certain() -> None:
    side, rear = {**SIDES, "also": []}, {**SIDES, "id": "4", "subject": "setback_rear", "also": [], "value": 6.0}
    drawn = drawn_figures(land_with(rule(side), rule(rear), rule(ROAD), rule(FOOTPRINT)), None)
    assert {name: value for name, (value, _) in drawn.items()} == {
        "setback_m": 6.0,
        "way_setback_m": 5.0,
        "footprint_ratio": 0.4,
    }
    said = drawn["way_setback_m"][1].fr.replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith("Lecture automatique, à vérifier dans le document du 31 janvier 2024")
    assert "recul de la voie d’au moins 5 m (page 4)" in said
    assert "setback_m" not in drawn_figures(land_with(rule(side), rule(rear, condition="moins de 500 m2")), None)
    assert drawn_figures(land_with(rule(side)), None)["setback_m"][0] == 3.0


def test_a_range_is_a_least_and_a_most() -> None:
    road = rule(ROAD, operator="range", value=3.0, value_max=8.0)
    drawn, said = drawn_figures(land_with(road), None)["way_setback_m"]
    assert drawn == 3.0
    assert "recul de la voie d’au moins 3 m et d’au plus 8 m (page 4)" in said.fr.replace("\N{NO-BREAK SPACE}", " ")
    footprint = rule(FOOTPRINT, operator="range", value=20.0, value_max=40.0)
    drawn, said = drawn_figures(land_with(footprint), None)["footprint_ratio"]
    assert drawn == 0.4
    assert "emprise au sol d’au plus 40 %" in said.fr.replace("\N{NO-BREAK SPACE}", " ")


def test_ground_that_the_buildings_leave_is_compared_with_the_full_ground() -> None:
    land = land_with(rule(GROUND))
    land.unit.buildings.ground_coverage_ratio = 0.55
    assert "moins que cette pleine terre" not in detail(land)
    land.unit.buildings.ground_coverage_ratio = 0.75
    assert "moins que cette pleine terre" in detail(land)


def test_buildings_that_cover_more_than_the_footprint_are_told() -> None:
    land = land_with(rule(FOOTPRINT))
    land.unit.buildings.ground_coverage_ratio = 0.55
    assert "plus que cette emprise" in detail(land)
    land.unit.buildings.ground_coverage_ratio = 0.4
    assert "plus que cette emprise" not in detail(land)
    assert "Les bâtiments couvrent 40\N{NO-BREAK SPACE}% du terrain." in detail(land)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ([{"operator": "per_lot"}], "lot par lot"),
        ([{"operator": "whole_site"}], "sur l’ensemble du projet"),
        ([{"state": "not_found"}], "ne dit pas le contraire"),
        ([{"operator": "per_lot"}, {"operator": "whole_site"}], "non lu ici"),
    ],
)
def test_the_rule_on_divided_land_is_that_of_the_regulation(rules: list[dict[str, object]], said: str) -> None:
    assert said in detail(land_with(*(rule({"id": "d", "subject": "division_lots"}, **fields) for fields in rules)))


@pytest.mark.parametrize(
    ("rules", "said", "is_drawn_whole"),
    [
        ([{"operator": "per_lot"}], "lot par lot", False),
        ([{"operator": "whole_site"}], "sur l’ensemble du terrain : ce que les bâtiments", True),
        ([{"state": "not_found"}], "faute de disposition contraire", True),
        ([{"operator": "per_lot"}, {"operator": "whole_site"}], "elle laisserait 400 m² à tous les lots", False),
    ],
)
def test_a_drawn_footprint_says_how_the_plan_judges_it(
    rules: list[dict[str, object]], said: str, *, is_drawn_whole: bool
) -> None:
    land = land_with(rule(FOOTPRINT), *(rule({"id": "d", "subject": "division_lots"}, **fields) for fields in rules))
    land.unit.land.geometric_area_m2 = land.unit.land.cadastral_area_m2 = 2000
    land.unit.buildings.ground_coverage_ratio = 0.2
    sentence = drawn_figures(land, None)["footprint_ratio"][1].fr.replace("\N{NO-BREAK SPACE}", " ")
    assert said in sentence
    assert (division_reading(land) in WHOLE) == is_drawn_whole


READ = "to be checked"
LINE = {"id": "6", "subject": "setback_road", "operator": "on_limit_required", "article": "UB 6", "page": 12}
ACCESS = {"id": "7", "subject": "access_width", "operator": "min", "value": 3.5, "unit": "m", "article": "3"}
HEIGHT = {"id": "8", "subject": "height_ridge", "operator": "max", "value": 9.0, "unit": "m", "page": 17}


def deciding(land: LandFacts, **layout: object) -> list[str]:
    found = project_reading.test(land, replace(DRAWN, **layout))  # type: ignore[arg-type]
    said = found.detail.en.replace("\N{NO-BREAK SPACE}", " ")
    return [sentence for sentence in split_sentences(said) if ", to be checked)" in sentence]


@pytest.mark.parametrize(
    ("written", "layout", "said"),
    [
        (LINE, {"far_lots": ("B",)}, f"(regulation, art. UB 6, page 12, {READ}); without road frontage: lot B"),
        (LINE, {"access_m": 12.0}, "each building plot drawn touches the road"),
        (LINE, {}, f"Building on the road line is required (regulation, art. UB 6, page 12, {READ})."),
        (ACCESS, {"access_m": 3.04}, f"(regulation, art. 3, {READ}); the narrowest one drawn is 3 m wide"),
        (ACCESS, {}, "access at least 3.5 m wide is required"),
        (HEIGHT, {}, f"The height is limited to 9 m (regulation, page 17, {READ})"),
        (SIDES, {"lot_without_house_count": 2}, f"(regulation, {READ}); lots drawn with no room for a house: 2"),
    ],
)  # fmt: skip
def test_a_rule_that_decides_is_one_sentence_with_its_place(
    written: dict[str, object], layout: dict[str, object], said: str
) -> None:
    [sentence] = deciding(land_with(rule(written)), **layout)
    assert said in sentence


@pytest.mark.parametrize("changes", [{"condition": "en secteur UBa"}, {"is_ambiguous": True}, {"kind": "exception"}])
def test_a_rule_that_is_not_certain_decides_nothing(changes: dict[str, object]) -> None:
    land = land_with(*(rule(written, **changes) for written in (LINE, ACCESS, HEIGHT)))
    assert deciding(land, far_lots=("B",)) == []
    assert project_reading.test(land, DRAWN).value is None


def test_a_setback_that_leaves_room_for_each_house_or_is_no_must_decides_nothing() -> None:
    assert deciding(land_with(rule(SIDES))) == []
    on_line = rule(SIDES, id="9", operator="on_limit_allowed")
    assert deciding(land_with(rule(SIDES), on_line), lot_without_house_count=1) == []


@pytest.mark.parametrize(
    ("rules", "value"),
    [
        ([rule(LINE)], 0.0),
        ([rule(ROAD), rule(ROAD, id="9", operator="on_limit_allowed")], 0.0),
        ([rule(ROAD), rule(ROAD, id="9", operator="on_limit_allowed", condition="si un bâtiment y est")], 5.0),
        ([rule(ROAD)], 5.0),
        ([rule(LINE, condition="en secteur UBa")], None),
        ([rule(LINE), rule(ROAD)], None),
        ([], None),
    ],
)
def test_ground_to_build_on_follows_the_rule_on_the_road_line(
    rules: list[land_pb2.RegulationRule], value: float | None
) -> None:
    drawn = drawn_figures(land_with(*rules), None).get("way_setback_m")
    assert (drawn and drawn[0]) == value
