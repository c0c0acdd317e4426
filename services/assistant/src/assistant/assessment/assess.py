"""Applies every rule to a land unit and derives the verdict."""

from collections.abc import Container
from dataclasses import replace

from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.result import Assessment, Check, Finding, Procedure, Rule, Status, Verdict, deciding_check
from assistant.assessment.rules import RULES
from assistant.assessment.sentences import tell
from assistant.text import join
from servicekit.languages import Text
from servicekit.parts import Attempt

RULES_VERSION = "3.3.1"

DISCLAIMER = tell("study.disclaimer")

_REQUIRED = ("unit_area", "contiguity", "zone_type")
"""If one of these checks is unknown, there is no verdict."""
_DECISIVE = tuple(rule.code for rule in RULES if rule.is_decisive)
_WITHOUT_BUILDING = ("contiguity", "division_layout")
"""The checks that decide a project without a building plot."""

PROCEDURES = {
    code: tell(f"procedure.{code}")
    for code in (
        "permis_amenager", "declaration_prealable", "permis_construire_valant_division", "exempt", "undetermined",
    )
}  # fmt: skip
"""The names of the procedures by code."""


def assess(facts: LandFacts, layout: Layout) -> Assessment:
    """Assesses the division of the unit into the lots of `layout`. Deterministic."""
    decisive = _WITHOUT_BUILDING if layout.project.is_for_neighbour else _DECISIVE
    checks = tuple(_apply(rule, facts, layout, decisive) for rule in RULES)
    by_code = {check.code: check for check in checks}
    verdict = _verdict(by_code)
    if verdict is Verdict.UNDETERMINED:
        missing_code = next(code for code in _REQUIRED if by_code[code].status is Status.UNKNOWN)
        first: Check | None = by_code[missing_code]
    else:
        first = deciding_check(checks)
    unknown = "_unknown" if verdict is Verdict.CONDITIONAL and first and first.status is Status.UNKNOWN else ""
    is_in_part = verdict is Verdict.CONDITIONAL and layout.closed_lot_count and layout.building_plot_count
    known_weight = sum(rule.weight for rule in RULES if by_code[rule.code].status is not Status.UNKNOWN)
    return Assessment(
        verdict=verdict,
        confidence=round(known_weight / sum(rule.weight for rule in RULES), 2),
        procedure=_procedure(by_code["lotissement_procedure"]),
        summary=tell(
            f"summary.{'in_part' if is_in_part else verdict.value}{unknown}",
            lots=layout.lot_count,
            plots=layout.building_plot_count,
            point=first.point if first else "",
        ),
        checks=checks,
        deciding_check=first,
        disclaimer=DISCLAIMER,
        rules_version=RULES_VERSION,
    )


def _apply(rule: Rule, facts: LandFacts, layout: Layout, decisive: Container[str]) -> Check:
    finding = Finding(Status.UNKNOWN, tell("study.check_failed"), legal_refs=rule.legal_refs)
    settled_by: tuple[Text, ...] = ()
    with Attempt(rule.point):
        finding = rule.test(facts, layout)
        settled_by = finding.settled_by or (rule.settled_by if finding.status is Status.UNKNOWN else ())
    if layout.project.is_for_neighbour and finding.status is Status.FAIL and rule.code not in _WITHOUT_BUILDING:
        detail = join([finding.detail, tell("study.no_building_plot")])
        finding = replace(finding, status=Status.PASS, detail=detail)
    values = {**vars(finding), "settled_by": settled_by}
    return Check(**values, code=rule.code, point=rule.point, is_decisive=rule.code in decisive and not finding.is_minor)


def _verdict(checks: dict[str, Check]) -> Verdict:
    decisive = [check.status for check in checks.values() if check.is_decisive]
    if Status.FAIL in decisive:
        return Verdict.UNFAVOURABLE
    if any(checks[code].status is Status.UNKNOWN and checks[code].is_decisive for code in _REQUIRED):
        return Verdict.UNDETERMINED
    if set(decisive) == {Status.PASS}:
        return Verdict.FAVOURABLE
    return Verdict.CONDITIONAL


def _procedure(check: Check) -> Procedure:
    code = check.value if isinstance(check.value, str) else "undetermined"
    return Procedure(code, PROCEDURES[code], check.legal_refs)
