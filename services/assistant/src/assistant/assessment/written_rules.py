"""Figures of the plan's regulation that are certain enough for a check: main rules of the only zone, without condition,
that no map and no other sentence changes.
"""

from collections.abc import Iterator, Mapping

from assistant.assessment.facts import LandFacts
from assistant.assessment.sentences import tell
from assistant.project import Project
from assistant.text import day, listed, percent, quantity
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

_WHOLE_RATIO = 0.99
OPERATORS = {
    "setback_road": "min",
    "setback_side": "min",
    "setback_rear": "min",
    "footprint_ratio": "max",
    "height_eave": "max",
    "height_ridge": "max",
    "full_ground_ratio": "min",
}
"""The subjects that are checked, and how their figure is meant."""
_KNOWN_SCOPES = {"reference": ("alignment",), "base": ("land unit", "terrain"), "point": ("eave", "ridge", "any point")}
_OTHER_WAY = "on_limit_allowed"
"""A building may stand on the line instead: the distance is that of all others."""


def sentences(facts: LandFacts, project: Project) -> Iterator[Text]:
    """What was read of the regulation: how it judges divided land, its certain figures, and where they are exceeded or
    contradict the project.
    """
    yield tell(f"project_reading.{_reading(facts)}")
    figures = certain_figures(facts)
    if not figures:
        return
    yield figures_of(facts, figures)
    built = facts.unit.buildings
    footprint = figures.get("footprint_ratio")
    if footprint and built.HasField("ground_coverage_ratio") and built.ground_coverage_ratio * 100 > footprint.value:
        yield tell("project_reading.exceeded", share=percent(built.ground_coverage_ratio))
    for subject, told in (
        ("setback_side", project.setback_m),
        ("footprint_ratio", project.footprint_ratio and project.footprint_ratio * 100),
        ("height_ridge", project.height_m),
    ):
        rule = figures.get(subject)
        if told is not None and rule and abs(told - rule.value) > 1e-6:  # noqa: PLR2004 (rounding)
            yield tell("project_reading.told", told=_amount(told, rule.unit), read=_said(rule, facts))


def figures_of(facts: LandFacts, figures: Mapping[str, land_pb2.RegulationRule]) -> Text:
    """The figures with their pages and the date of the document."""
    regulation = facts.unit.urbanism.regulation
    document = day(regulation.approved_on) if regulation.approved_on else Text(regulation.idurba, regulation.idurba)
    unique = {rule.id: rule for rule in figures.values()}
    return tell("project_reading.figures", date=document, figures=listed([_said(r, facts) for r in unique.values()]))


def certain_figures(facts: LandFacts) -> dict[str, land_pb2.RegulationRule]:
    """The certain rule of each subject that has one."""
    urbanism = facts.urbanism
    if urbanism is None or urbanism.regulation.state != "read" or len(urbanism.zones) != 1:
        return {}
    if urbanism.zones[0].overlap_ratio < _WHOLE_RATIO:
        return {}
    figures = {}
    for subject, operator in OPERATORS.items():
        rules = [
            rule
            for rule in urbanism.rules
            if subject in (rule.subject, *rule.also) and rule.kind == "main" and rule.operator != _OTHER_WAY
        ]
        if rules and all(_is_certain(rule, operator) for rule in rules) and len({rule.value for rule in rules}) == 1:
            figures[subject] = rules[0]
    return figures


def _is_certain(rule: land_pb2.RegulationRule, operator: str) -> bool:
    is_plain = not (rule.condition or rule.formula or rule.note or rule.is_ambiguous or rule.needs_map or rule.level)
    is_met = all(scope.value in _KNOWN_SCOPES.get(scope.name, ()) for scope in rule.scope)
    return rule.operator == operator and rule.HasField("value") and rule.value > 0 and is_plain and is_met


def _reading(facts: LandFacts) -> str:
    """The sentence on divided land: what the regulation says of it, if it says one thing."""
    if facts.urbanism is None or facts.urbanism.regulation.state != "read":
        return "whole_project"
    stated = [rule for rule in facts.urbanism.rules if rule.subject == "division_lots"]
    found = {rule.operator for rule in stated if not rule.is_ambiguous}
    if found in ({"per_lot"}, {"whole_site"}):
        return found.pop()
    return "silent" if all(rule.state == "not_found" for rule in stated) else "whole_project"


def _said(rule: land_pb2.RegulationRule, facts: LandFacts) -> Text:
    """The figure with its page, such as "recul de la voie d’au moins 5 m (page 4)"."""
    name = "setback_boundaries" if "setback_rear" in rule.also else rule.subject
    said = tell(f"written_rules.{name}", value=_amount(rule.value, rule.unit))
    others = (other for other in facts.unit.urbanism.rules if other.operator == _OTHER_WAY)
    if any(rule.subject in (other.subject, *other.also) for other in others):
        said = tell("written_rules.or_on_line", figure=said)
    return tell("written_rules.on_page", figure=said, page=rule.page) if rule.HasField("page") else said


def _amount(value: float, unit: str) -> Text:
    return quantity(value, unit, 0 if value == int(value) else 2)
