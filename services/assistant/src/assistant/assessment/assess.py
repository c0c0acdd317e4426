"""Applies every rule to a land unit and derives the verdict."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace

from assistant.assessment.facts import LandFacts, Layout
from assistant.assessment.land_unit import house_of, smaller_house
from assistant.assessment.procedure import DECLARATION, is_protection_unknown, lotissement_procedure
from assistant.assessment.result import Assessment, Check, Finding, Procedure, Rule, Status, Verdict, deciding_check
from assistant.assessment.rules import RULES
from assistant.assessment.sentences import tell
from assistant.text import clause, join, listed, metres, split_sentences
from servicekit.languages import Text
from servicekit.parts import Attempt

RULES_VERSION = "3.4.0"

DISCLAIMER = tell("study.disclaimer")

_REQUIRED = ("unit_area", "contiguity", "zone_type")
"""If one of these checks is unknown, there is no verdict."""
_DECISIVE = tuple(rule.code for rule in RULES if rule.is_decisive)
_MOST_MISSED = 2
"""What the first sentence says of the rest stands in the next ones."""
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
    summary, beside = _summaries(verdict, first, layout, by_code)
    known_weight = sum(rule.weight for rule in RULES if by_code[rule.code].status is not Status.UNKNOWN)
    return Assessment(
        verdict=verdict,
        confidence=round(known_weight / sum(rule.weight for rule in RULES), 2),
        procedure=_procedure(by_code["lotissement_procedure"], facts, layout),
        summary=summary,
        beside=beside,
        checks=checks,
        deciding_check=first,
        disclaimer=DISCLAIMER,
        rules_version=RULES_VERSION,
    )


def _summaries(
    verdict: Verdict, first: Check | None, layout: Layout, by_code: Mapping[str, Check]
) -> tuple[Text, Text]:
    """The first sentence of an answer, also for a text that asks about no division. It says what stands against the
    division, who else decides on it, or what the drawing leaves out of what is asked; else it names the point that
    decides.
    """
    against = [first.detail] if verdict is Verdict.UNFAVOURABLE and first else []
    is_of_drawing = bool(against) and first is by_code["division_layout"] and not layout.has_only_closed_lots
    missed = against or [*_missed(layout, by_code["zone_type"])]
    access = by_code["access"]
    is_warned = access.status is Status.WARN and not access.value  # no road, perhaps a path
    is_open = access.is_decisive and (is_warned or access.status is Status.UNKNOWN)
    if is_open and missed and not against:
        missed.insert(1, access.detail)
    if verdict is Verdict.UNDETERMINED:
        missed = []
    shared = [by_code["contiguity"].detail] if by_code["contiguity"].status is Status.WARN else []
    values: dict[str, Text | str]
    if missed or (shared and verdict is not Verdict.UNDETERMINED):
        key = "unfavourable" if against or layout.drops_areas else "limited"
        if is_of_drawing:
            key = "unmet" if layout.is_drawn else "undrawn"
        clauses = [clause(text) for text in [*missed[:1], *shared, *missed[1:]][:_MOST_MISSED]]
        values = {"why": Text(" ; ".join(fr for fr, _ in clauses), "; ".join(en for _, en in clauses))}
        shared = []
    else:
        key = verdict.value
        if verdict is Verdict.CONDITIONAL and first:
            by_faults = "_by_faults" if layout.faults and first.code == "division_layout" else ""
            key += "_unknown" if first.status is Status.UNKNOWN else by_faults
        is_of_buildings = (
            first and first.code == "division_layout" and first.status is Status.WARN and not layout.faults
        )
        point = by_code["existing_buildings"].point if is_of_buildings else first.point if first else ""
        values = {"point": point, "faults": listed(layout.faults)}
        if is_open and first is not access:
            values["point"] = tell("summary.then_access", **values)
    lots = tell("summary.lots", count=layout.lot_count)
    told = lots if layout.is_count_told else tell("summary.unsure_lots", count=layout.lot_count)
    if layout.count_range:
        least, most = layout.count_range
        fits = layout.is_drawn and not (layout.lot_without_house_count or layout.drops_areas)
        name = "summary.most_lots" if fits else "summary.some_lots" if layout.project.lots else "summary.no_number_fits"
        lots = told = tell(name, count=layout.lot_count, least=least, most=most)
    if layout.has_smaller_house and verdict is Verdict.UNDETERMINED:
        lots = told = tell("summary.with_smaller_house", lots=told, room=smaller_house(layout))
    if layout.has_told_house:
        house = tell("summary.with_house", house=house_of(layout))
        lots, told = join([lots, house]), join([told, house])
    summary = join([tell(f"summary.{key}", lots=told, **values), *shared])
    return summary, join([tell(f"beside.{key}", lots=told, **values), *shared])


def _missed(layout: Layout, zoning: Check) -> Iterator[Text]:
    """What the drawing leaves out of what is asked, the gravest first: areas, houses, land closed to building."""
    dropped = int(layout.drops_areas)  # the first limitation says it
    yield from layout.limitations[:dropped]
    plots, houseless = layout.building_plot_count, layout.lot_without_house_count
    if layout.has_smaller_house:
        yield smaller_house(layout)
    elif houseless:
        yield tell("summary.few_houses", house=house_of(layout), fitting=plots - houseless)
    if rights_m := layout.rights_of_way_m:
        lots = listed([Text(id_, id_) for id_ in rights_m])
        key = "summary.right_of_way" if len(rights_m) == 1 else "summary.rights_of_way"
        yield tell(key, lots=lots, width=metres(round(min(rights_m.values()), 1)))
    if layout.closed_lot_count:
        yield tell("summary.closed_lots" if plots else "summary.closed_rest", plots=plots)
    elif zoning.status is Status.WARN and isinstance(zoning.value, float) and zoning.value < 1:
        yield Text(*(split_sentences(words)[-1] for words in zoning.detail))
    yield from layout.limitations[dropped:]


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
    return Verdict.FAVOURABLE if set(decisive) == {Status.PASS} else Verdict.CONDITIONAL


def procedure_of(facts: LandFacts, layout: Layout) -> Procedure:
    """The procedure for these lots; undetermined if the rule fails."""
    return _procedure(_apply(lotissement_procedure, facts, layout, ()), facts, layout)


def _procedure(check: Check, facts: LandFacts, layout: Layout) -> Procedure:
    code = check.value if isinstance(check.value, str) else "undetermined"
    label = PROCEDURES[code]
    if code == DECLARATION and is_protection_unknown(facts, layout):
        label = tell("procedure.declaration_unless_protected")
    return Procedure(code, label, check.legal_refs)
