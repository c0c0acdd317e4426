"""The frame of each answer: the lines that always follow the verdict."""

from collections.abc import Iterator, Mapping

from assistant.assessment.assess import PROCEDURES
from assistant.assessment.procedure import DECLARATION
from assistant.assessment.result import Check, Status
from assistant.division.wording import (
    declared,
    faults,
    gaps,
    layout_summary,
    lists_each,
    lot_summaries,
    other_sides,
    overview,
)
from assistant.models.base import Brief, Passage
from assistant.models.lines import Room, as_passages, fitting, tell
from assistant.text import join, listed, split_sentences, uncapitalized
from servicekit.languages import Text

LAYOUT, PROPOSALS, PROCEDURE = "division_layout", "proposals", "lotissement_procedure"
MOST_POINTS, _MOST_SHORT_POINTS = 5, 3
"""The most things that are named as not known, and those of a short frame."""
MOST_WORDS_OF_DETAIL = 50
"""The longest finding of a check."""
_MOST_WORDS_OF_LOTS, _MOST_WORDS_OF_PROCEDURE, _MOST_WORDS_OF_OVERVIEW = 120, 60, 44
"""The longest list of lots with a line for each, the longest line on the procedure, and the longest line of all lots
with their accesses.
"""
Checks = Mapping[str, Check]
"""The checks by their codes."""


def is_quoted(code: str, brief: Brief) -> bool:
    """Whether a reply says what a check found."""
    return any(code in reply.codes for reply in brief.replies.answered)


def frame(brief: Brief, printed: set[str], *, is_short: bool = False) -> Iterator[Passage]:
    """The four lines after the verdict: procedure, lots, what is not known, the next step. Short ones leave out the
    details of the lots and most of what is not known. Sentences in `printed` are left out, new ones are added.
    """
    language = brief.language
    by_code = {check.code: check for check in brief.assessment.checks}
    unknown = sorted(
        (check for check in by_code.values() if check.status is Status.UNKNOWN),
        key=lambda check: (check is not brief.assessment.deciding_check, not check.is_decisive),
    )
    most = _MOST_SHORT_POINTS if is_short else MOST_POINTS
    key = "known_all" if not unknown else "not_known" if len(unknown) <= most else "first_unknown"
    unknown_points = tell(f"frame.{key}", points=listed([check.point for check in unknown[:most]]))
    lines = [
        (_procedure(brief, by_code, printed), (PROCEDURE,)),
        (_lots(brief, by_code, printed, is_short=is_short), (LAYOUT,)),
        *((change.summary.read(language), (LAYOUT,)) for change in brief.changes[:1]),
        (unknown_points.read(language), tuple(check.code for check in unknown) if brief.replies.is_general else ()),
        (_next_step(brief, by_code).read(language), ("boundary_survey",)),
    ]
    yield from as_passages([(f"- {line}", codes) for line, codes in lines], "\n")


def _procedure(brief: Brief, by_code: Checks, printed: set[str]) -> str:
    """The procedure; with why it is this one if the answer is about the division and no reply says so."""
    check, procedure = by_code[PROCEDURE], brief.assessment.procedure
    is_answered = is_quoted(PROCEDURE, brief)
    if brief.replies.is_general and not is_answered:
        room = Room(_MOST_WORDS_OF_PROCEDURE)
        return fitting(check.detail.read(brief.language), check.legal_refs, printed, room, is_first=True)
    is_open = check.value == DECLARATION and not brief.division.project.tells_building
    label = uncapitalized(PROCEDURES[procedure.code] if is_answered else procedure.label)
    return tell("frame.procedure_if_building" if is_open else "frame.procedure", procedure=label).read(brief.language)


def _lots(brief: Brief, by_code: Checks, printed: set[str], *, is_short: bool) -> str:
    """The lots with what was found about them, or why there are none; with a line for each if there is room."""
    language, division, layout = brief.language, brief.division, by_code[LAYOUT]
    is_area_quoted = is_quoted("unit_area", brief)
    lots, each = _drawn(brief, is_short=is_short) if division.proposals else (tell("frame.no_lots").read(language), [])
    if not division.proposals and not is_area_quoted:
        average = split_sentences(by_code["unit_area"].detail.read(language))[0].rstrip()
        lots = lots if average in printed else f"{lots} {average}"
        printed.add(average)
    is_shut = by_code["access"].status is Status.FAIL
    is_said = is_quoted(LAYOUT, brief) or (is_shut and layout.value == "landlocked")
    if (not division.proposals or layout.status is Status.FAIL) and not (each or is_said or is_short):
        lots = f"{lots} {fitting(layout.detail.read(language), (), printed, Room(MOST_WORDS_OF_DETAIL))}".rstrip()
    if division.proposals and brief.site is not None and not (is_area_quoted or is_short):
        each += [f"  - {text.read(language)}" for text in declared(division.proposals[0], brief.site.declared_m2)]
    return "\n".join([lots, *each])


def _drawn(brief: Brief, *, is_short: bool) -> tuple[str, list[str]]:
    """The lots of the first proposal in a sentence, and the lines of each if the sentence does not name them."""
    language, project = brief.language, brief.division.project
    best, *others = brief.division.proposals
    about = [uncapitalized(layout_summary(best)), *gaps(best)]
    if lists_each(best) and is_quoted(LAYOUT, brief) and not (project.is_for_neighbour or is_short):
        return tell("frame.lots", layout=join([*about, *faults(best)])).read(language), []
    is_told = project.lot_width_m or any(lot.is_sized for lot in project.lots)
    is_example = bool(project.is_for_neighbour) and not is_told
    if (brief.replies.is_general or is_quoted(PROPOSALS, brief)) and not (is_example or is_short):
        each = [f"  - {text.read(language)}" for text in lot_summaries(best)]
        if sum(len(line.split()) for line in each) <= _MOST_WORDS_OF_LOTS:
            return tell("frame.lots", layout=join(about)).read(language), each
    lots = overview(best, is_example=is_example).read(language)
    if is_short or len(lots.split()) > _MOST_WORDS_OF_OVERVIEW:
        lots = overview(best, "areas", is_example=is_example, is_short=is_short).read(language)
    sides = other_sides(others) if project.lot_width_m else []
    return " ".join([lots, *(text.read(language) for text in sides)]), []


def _next_step(brief: Brief, by_code: Checks) -> Text:
    steps_if = {
        "next_for_neighbour": brief.division.project.is_for_neighbour,
        "next_access": by_code["access"].status is Status.FAIL,
        "next_unbuilt": brief.division.project.shares_land,
    }
    key = next((name for name, is_met in steps_if.items() if is_met), "next")
    return tell(f"frame.{key}").format(**_steps(brief))


def _steps(brief: Brief) -> Mapping[str, Text]:
    """The steps of the order that not every project has."""
    procedure, proposals = brief.assessment.procedure, brief.division.proposals[:1]
    plots = [lot for proposal in proposals for lot in proposal.lots if lot.role == "building_plot"]
    is_closed = not proposals or (bool(plots) and all("no_house_fits" in lot.violations for lot in plots))
    is_filed = procedure.code not in ("exempt", "undetermined")
    steps = {
        "revised": tell("step.revised") if is_closed else None,
        "procedure": tell("step.procedure") if is_filed else None,
        "house": tell("step.house") if plots or not proposals else None,
    }
    return {name: step or Text("", "") for name, step in steps.items()}
