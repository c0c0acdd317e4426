"""Figures of the plan's regulation that are certain enough for a check or a drawing: main rules of the only zone, or of
the sector that it is, without condition, that no map and no other sentence changes.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.sentences import tell
from assistant.text import area, day, join, listed, lots_named, metres, percent, quantity
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

_WHOLE_RATIO = 0.99
MIN, MAX, RANGE = "min", "max", "range"
OPERATORS = {
    "setback_road": MIN,
    "setback_side": MIN,
    "setback_rear": MIN,
    "footprint_ratio": MAX,
    "height_eave": MAX,
    "height_ridge": MAX,
    "full_ground_ratio": MIN,
    "access_width": MIN,
}
"""The subjects that are checked, and how their figure is meant."""
_KNOWN_SCOPES = {"reference": ("alignment",), "base": ("land unit", "terrain"), "point": ("eave", "ridge", "any point")}
_DRAWN = {
    "setback_m": ("setback_side", "setback_rear"),
    "way_setback_m": ("setback_road",),
    "footprint_ratio": ("footprint_ratio",),
    "height_m": ("height_ridge",),
    "access_strip_m": ("access_width",),
}
"""The subjects of the figures that limit a drawing. Where it has one figure for two subjects, it takes the larger."""
_BY_HEIGHT = re.compile(r"L >= (?:max\()?H(?P<half>/2)?(?: - (?P<less>[\d.]+))?(?:, (?P<floor>[\d.]+)\))?")
WHOLE = ("whole_site", "silent")
"""The readings by which divided land is judged as a whole."""
_OTHER_WAY = "on_limit_allowed"
"""A building may stand on the line instead: the distance is that of all others."""
_ON_LINE = "on_limit_required"


class Figure(NamedTuple):
    """A rule with its figure. A distance by height is that of the height that the question states."""

    rule: land_pb2.RegulationRule
    value: float


def sentences(facts: LandFacts, layout: Layout) -> Iterator[Text]:
    """What was read of the regulation beside what decides: how it judges divided land, its other certain figures, and
    where they are exceeded or contradict the project.
    """
    project = layout.project
    yield tell(f"project_reading.{division_reading(facts)}")
    figures = certain_figures(facts, project.height_m)
    listed_figures = [figure for subject, figure in figures.items() if subject not in _DECIDING]
    if listed_figures:
        yield figures_of(facts, listed_figures)
    built = facts.unit.buildings
    if built.HasField("ground_coverage_ratio"):
        share = percent(built.ground_coverage_ratio)
        footprint, ground = figures.get("footprint_ratio"), figures.get("full_ground_ratio")
        if footprint:
            is_exceeded = built.ground_coverage_ratio * 100 > footprint.value
            yield tell("project_reading.exceeded" if is_exceeded else "project_reading.covered", share=share)
        if ground and (1 - built.ground_coverage_ratio) * 100 < ground.value:
            yield tell("project_reading.too_little_ground", share=share)
    for subject, told in (
        ("setback_side", project.setback_m),
        ("footprint_ratio", project.footprint_ratio and project.footprint_ratio * 100),
        ("height_ridge", project.height_m),
    ):
        figure = figures.get(subject)
        if told is not None and figure and abs(told - figure.value) > 1e-6:  # noqa: PLR2004 (rounding)
            yield tell("project_reading.told", told=_amount(told, figure.rule.unit), read=_said(figure, facts))


_DECIDING = ("access_width", "height_ridge")
"""Figures with a sentence of their own."""


def deciding(facts: LandFacts, layout: Layout) -> Iterator[Text]:
    """A sentence for each certain rule that decides where the lots lie, or whether a house stands on them."""
    figures = certain_figures(facts, layout.project.height_m)
    if on_line := _on_line(facts):
        key = "deciding.far" if layout.far_lots else "deciding.line" if layout.access_m is None else "deciding.on_line"
        yield tell(key, place=_place(on_line), lots=lots_named(layout.far_lots))
    setback = figures.get("setback_side")
    count, gap_m = layout.lot_without_house_count, layout.gap_m
    is_drawn = "setback_m" in drawn_figures(facts, layout.project.height_m)
    if setback and (count or gap_m is not None) and is_drawn and not _other_ways(setback.rule, facts):
        key, place = "deciding.setback" if count else "deciding.crowded", _place(setback.rule)
        yield tell(key, value=metres(setback.value), place=place, count=count, gap=metres(round(gap_m or 0.0, 1)))
    if access := figures.get("access_width"):
        key = "deciding.access" if layout.access_m is None else "deciding.drawn_access"
        drawn_m = round(layout.access_m or 0.0, 1)
        yield tell(key, value=metres(access.value), place=_place(access.rule), drawn=metres(drawn_m))
    if height := figures.get("height_ridge"):
        yield tell("deciding.height", value=metres(height.value), place=_place(height.rule))


def _on_line(facts: LandFacts) -> land_pb2.RegulationRule | None:
    """The certain rule that buildings stand on the road line."""
    rules = _main_rules(facts, "setback_road") if _is_read(facts) else []
    return rules[0] if rules and all(rule.operator == _ON_LINE and _is_plain(rule) for rule in rules) else None


def _place(rule: land_pb2.RegulationRule) -> Text:
    """Where the rule stands."""
    names = {"article": rule.article, "page": rule.page if rule.HasField("page") else ""}
    parts = [tell(f"written_rules.{key}", **names) for key, value in names.items() if value]
    return join([tell("written_rules.regulation"), *parts, tell("written_rules.to_be_checked")], ", ")


def drawn_figures(facts: LandFacts, height_m: float | None) -> dict[str, tuple[float, Text]]:
    """The figures that limit a drawing, by the name of its assumption, with the sentence that names rule and page.

    A figure for two subjects needs both to be certain, if the regulation has rules for both.
    """
    figures, drawn = certain_figures(facts, height_m), {}
    for name, subjects in _DRAWN.items():
        certain = [figures[subject] for subject in subjects if subject in figures]
        if not certain or any(subject not in figures and _main_rules(facts, subject) for subject in subjects):
            continue
        figure = max(certain, key=lambda figure: figure.value)
        value = figure.value / 100 if figure.rule.unit == "%" else figure.value
        said = figures_of(facts, [figure])
        if name == "footprint_ratio":
            left_m2 = max(0.0, (value - facts.unit.buildings.ground_coverage_ratio) * (facts.area_m2 or 0.0))
            said = join([said, tell(f"footprint_drawn.{division_reading(facts)}", left=area(left_m2))])
        if name == "way_setback_m" and any(map(_is_plain, _other_ways(figure.rule, facts))):
            value = 0.0
        drawn[name] = (value, said)
    if on_line := _on_line(facts):
        drawn["way_setback_m"] = (0.0, tell("deciding.aligned", place=_place(on_line)))
    return drawn


def certain_figures(facts: LandFacts, height_m: float | None = None) -> dict[str, Figure]:
    """The certain rule of each subject that has one."""
    subjects = OPERATORS if _is_read(facts) else ()
    return {subject: figure for subject in subjects if (figure := _certain_figure(facts, subject, height_m))}


def access_width_m(facts: LandFacts) -> float | None:
    """The width of an access that a certain rule states."""
    figure = _certain_figure(facts, "access_width", None) if _is_read(facts) else None
    return None if figure is None else figure.value


def _certain_figure(facts: LandFacts, subject: str, height_m: float | None) -> Figure | None:
    rules = _main_rules(facts, subject)
    values = {_value(rule, OPERATORS[subject], height_m) for rule in rules}
    return Figure(rules[0], value) if len(values) == 1 and (value := values.pop()) else None


def _is_read(facts: LandFacts) -> bool:
    """Whether the regulation of the only zone was read."""
    urbanism = facts.urbanism
    shares = [zone.overlap_ratio for zone in urbanism.zones] if urbanism and urbanism.regulation.state == "read" else []
    return len(shares) == 1 and shares[0] >= _WHOLE_RATIO


def _main_rules(facts: LandFacts, subject: str) -> list[land_pb2.RegulationRule]:
    return [
        rule
        for rule in facts.unit.urbanism.rules
        if subject in (rule.subject, *rule.also) and rule.kind == "main" and rule.operator != _OTHER_WAY
    ]


def _value(rule: land_pb2.RegulationRule, operator: str, height_m: float | None) -> float | None:
    """The figure of a rule, None if it is not certain."""
    if not _is_plain(rule):
        return None
    if rule.formula and operator == MIN:
        return _by_height(rule.formula, height_m)
    is_figure = rule.operator in (operator, RANGE) and rule.HasField("value") and not rule.formula
    value = rule.value_max if (rule.operator, operator) == (RANGE, MAX) else rule.value
    return value if is_figure and value > 0 else None


def _is_plain(rule: land_pb2.RegulationRule) -> bool:
    """Whether the rule holds everywhere on the land, without condition. That of a sector does if the zone is it."""
    known = _KNOWN_SCOPES | {"sector": (rule.zone,)}
    is_met = all(scope.value in known.get(scope.name, ()) for scope in rule.scope)
    return is_met and not (rule.condition or rule.note or rule.is_ambiguous or rule.needs_map or rule.level)


def _by_height(formula: str, height_m: float | None) -> float | None:
    """The distance that a formula such as "L >= max(H/2, 3)" gives for a height, None without height."""
    match = _BY_HEIGHT.fullmatch(formula)
    if height_m is None or match is None:
        return None
    distance = height_m / (2 if match["half"] else 1) - float(match["less"] or 0)
    return max(distance, float(match["floor"] or 0))


def division_reading(facts: LandFacts) -> str:
    """How the regulation judges divided land: `per_lot` or `whole_site` if it says one thing, `silent` if it says
    nothing and so the law has the whole judged, `whole_project` if that is not read.
    """
    if facts.urbanism is None or facts.urbanism.regulation.state != "read":
        return "whole_project"
    stated = [rule for rule in facts.urbanism.rules if rule.subject == "division_lots"]
    found = {rule.operator for rule in stated if not rule.is_ambiguous}
    if found in ({"per_lot"}, {"whole_site"}):
        return found.pop()
    return "silent" if all(rule.state == "not_found" for rule in stated) else "whole_project"


def figures_of(facts: LandFacts, figures: Iterable[Figure]) -> Text:
    """The figures as an automatic reading, with the date of the document. A rule on two subjects is said once."""
    regulation = facts.unit.urbanism.regulation
    document = day(regulation.approved_on) if regulation.approved_on else Text(regulation.idurba, regulation.idurba)
    unique = {figure.rule.id: figure for figure in figures}
    said = listed([_said(figure, facts) for figure in unique.values()])
    return tell("project_reading.figures", date=document, figures=said)


def _said(figure: Figure, facts: LandFacts) -> Text:
    """The figure with its page, such as "recul de la voie d’au moins 5 m (page 4)"."""
    rule = figure.rule
    name = "setback_boundaries" if "setback_rear" in rule.also else rule.subject
    said = tell(f"written_rules.{name}", value=_amount(figure.value, rule.unit or "m"))
    if rule.value_max > figure.value:
        said = tell("written_rules.and_at_most", figure=said, value=_amount(rule.value_max, rule.unit))
    if _other_ways(rule, facts):
        said = tell("written_rules.or_on_line", figure=said)
    return tell("written_rules.on_page", figure=said, page=rule.page) if rule.HasField("page") else said


def _other_ways(rule: land_pb2.RegulationRule, facts: LandFacts) -> list[land_pb2.RegulationRule]:
    """The rules that a building may stand on the line instead."""
    others = [other for other in facts.unit.urbanism.rules if other.operator == _OTHER_WAY]
    return [other for other in others if rule.subject in (other.subject, *other.also)]


def _amount(value: float, unit: str) -> Text:
    return quantity(value, unit, 0 if value == int(value) else 2)
