"""Writes the answer from the replies, the checks and the proposals only. Deterministic, without network calls."""

from collections.abc import Iterable, Iterator, Sequence

from assistant.assessment.assess import RULES_VERSION
from assistant.assessment.result import Check, Status, Verdict
from assistant.division.proposal import Proposal
from assistant.division.wording import layout_summary, lot_summaries, overview
from assistant.models.base import Brief, Passage, Written
from assistant.questions.answers import Reply
from assistant.questions.replies import PARCEL_CHANGE
from assistant.text import listed, split_sentences
from servicekit.languages import Language, Text
from servicekit.parts import Attempt

BLOCKING_HEADING = Text("Ce qui s’y oppose", "What stands against it")
DECIDING_HEADING = Text("Ce qui décide", "What decides")
PROPOSALS_HEADING = Text("Découpages proposés", "Proposed divisions")
CHANGES_HEADING = Text("Ce qui lèverait un obstacle", "What would lift an obstacle")
COSTS_HEADING = Text("Coûts", "Costs")
SALE_HEADING = Text("À toute vente", "At any sale")
OTHER_HEADING = Text("À vérifier ensuite", "To be checked next")
CLEAR_HEADING = Text("Sans obstacle d’après les données", "No obstacle in the data")
ASSUMPTIONS_HEADING = Text("Projet et hypothèses", "Project and assumptions")
MISSING_HEADING = Text("Données manquantes ou incomplètes", "Missing or incomplete data")
UNANSWERED_HEADING = Text("Ce que les données ne permettent pas de dire", "What the data cannot answer")
_PART_OF_TEXT = Text("une partie de la réponse rédigée", "a part of the written answer")
_LAYOUT, _PROPOSALS, _PROCEDURE = "division_layout", "proposals", "lotissement_procedure"
_OF_ANY_SALE = ("boundary_survey", "pre_emption", "buyer_information", "soil_studies")
"""Duties and rights of any sale of land. They do not decide a division."""
_ALWAYS_TOLD = ("networks", "stay_of_decision", "project_reading", "boundary_survey")
"""Checks that state a rule also if their facts are missing, the first only if there is a building plot. The others are
then only named.
"""
_NO_OBSTACLE = ("lotissement_definition", "minimum_lot_size", "project_reading", "recent_sales")
"""Checks that never stand against a division."""
_KNOWN = Text(
    "Données connues : {known} points sur {all}, ce qui ne dit rien des chances d’autorisation.",
    "Known data: {known} points of {all}, which tells nothing of the chance of a permit.",
)

_PROCEDURE_IS = Text("Procédure : {procedure}.", "Procedure: {procedure}.")
_NOT_KNOWN = Text("Reste à connaître : {points}.", "Not known yet: {points}.")
_KNOWN_ALL = Text("Chaque point étudié est connu.", "Each point studied is known.")
_NEXT = Text(
    "Ensuite : demander en mairie un certificat d’urbanisme opérationnel, qui dit si le projet est réalisable.",
    "Next: ask the town hall for an operational certificate (certificat d’urbanisme opérationnel), which says whether "
    "the project is feasible.",
)
_NEXT_FOR_NEIGHBOUR = Text(
    "Ensuite : faire dresser par un géomètre-expert le document modificatif du parcellaire cadastral.",
    "Next: have a géomètre-expert draw up the change of the cadastral plan (document modificatif du parcellaire).",
)


PROVIDER, RULES_NAME = "rules", f"rules-{RULES_VERSION}"


def passages(brief: Brief, written: Written = Written()) -> Iterator[Passage]:  # noqa: B008 (immutable)
    """The sentences of the answer. Joined, they are its Markdown. No sentence is printed twice.

    What is written about facts stands before the replies, in place of the rules' sentences about them.
    """
    first, *other_sentences = _all(brief, written)
    yield first._replace(text=first.text.removeprefix("\n"))
    yield from other_sentences


def leads_with_verdict(brief: Brief) -> bool:
    """Whether the verdict is the first sentence: the study is asked for, or something stands against the division."""
    is_against = brief.assessment.verdict is Verdict.UNFAVOURABLE or brief.division.layout().closed_lot_count > 0
    return brief.replies.is_general or is_against


def _all(brief: Brief, written: Written) -> Iterator[Passage]:
    printed = set(written.replaced)
    has_study = brief.replies.is_general
    opening = [_summary(brief, "\n")] if leads_with_verdict(brief) and not has_study else []
    parts: list[Iterable[Passage]] = [
        written.passages,
        answered(brief, brief.replies.answered, printed),
        unanswered(brief, printed),
    ]
    parts = [_paragraph(brief.heard.wishes, brief), *parts]
    if has_study:
        parts = [_verdict(brief, printed), *parts, _study(brief, printed)]
    else:
        verdict = [] if leads_with_verdict(brief) else [_summary(brief)]
        parts = [*parts, *verdict, _frame(brief)]
    for part in [*opening, _paragraph(brief.heard.warning, brief), *parts]:
        with Attempt(_PART_OF_TEXT):
            yield from part
    yield disclaimer(brief)


def _paragraph(text: Text, brief: Brief) -> Iterator[Passage]:
    return _lines([(f"{line}\n", ())] if (line := text.read(brief.language)) else [], "\n")


def answered(brief: Brief, replies: Iterable[Reply], printed: set[str]) -> Iterator[Passage]:
    """A section for each question that the facts answer. Sentences in `printed` are left out, new ones are added."""
    for reply in replies:
        lines = [
            (f"- {line}", (statement.code,))
            for statement in reply.statements
            if not (statement.code == _PROPOSALS and brief.replies.is_general)  # the study has them all
            and (line := _unprinted(statement.text.read(brief.language), statement.legal_refs, printed))
        ]
        yield from _section(reply.heading, lines, brief)


def unanswered(brief: Brief, printed: set[str]) -> Iterator[Passage]:
    """A section that names what is not answered, with the reason and whom to ask. Adds the reasons to `printed`."""
    colon = "\N{NO-BREAK SPACE}: " if brief.language == "fr" else ": "
    lines = []
    for reply in brief.replies.unanswered:
        reason, ask = (text.read(brief.language) for text in reply.gap)
        printed.update(sentence.strip() for sentence in split_sentences(reason))
        lines.append((f"- **{reply.heading.read(brief.language)}**{colon}{reason[:1].lower()}{reason[1:]} {ask}", ()))
    yield from _section(UNANSWERED_HEADING, list(dict.fromkeys(lines)), brief)


def disclaimer(brief: Brief) -> Passage:
    return Passage(f"\n*{brief.assessment.disclaimer.read(brief.language)}*\n", ())


def _study(brief: Brief, printed: set[str]) -> Iterator[Passage]:
    """The study after its verdict: what decides, the lots, the sale, and the rest."""
    language, assessment = brief.language, brief.assessment
    checks = [check for check in assessment.checks if check.code != _PROCEDURE]
    told = _ALWAYS_TOLD if brief.division.layout().building_plot_count else _ALWAYS_TOLD[1:]
    missing = [check for check in checks if check.status is Status.UNKNOWN and check.code not in told]
    stated = [check for check in checks if check not in missing]
    blocking = [check for check in stated if check.status is Status.FAIL]
    yield from _section(BLOCKING_HEADING, _details(blocking, language, printed), brief)
    unsettled = [check for check in stated if check.status in (Status.WARN, Status.UNKNOWN)]
    deciding = [check for check in unsettled if _decides(check)]
    yield from _section(DECIDING_HEADING, _details(deciding, language, printed), brief)
    is_possible = all(check.code != _LAYOUT for check in blocking)
    drawn = brief.division.proposals if is_possible else brief.division.proposals[:1]
    lines = [line for proposal in drawn for line in _drawn(proposal, language)]
    yield from _section(PROPOSALS_HEADING, lines, brief)
    assumed = [(f"- {item.detail.read(language)}", (_LAYOUT,)) for item in brief.assumptions if item.is_printed]
    yield from _section(ASSUMPTIONS_HEADING, assumed, brief)
    changes = [(f"- {change.summary.read(language)}", (_LAYOUT,)) for change in brief.changes]
    yield from _section(CHANGES_HEADING, changes, brief)
    at_sale = [check for check in unsettled if check.code in _OF_ANY_SALE]
    line = _unprinted(PARCEL_CHANGE.read(language), (), printed)
    of_division = [(f"- {line}", ("boundary_survey",))] if line else []
    yield from _section(SALE_HEADING, [*of_division, *_details(at_sale, language, printed)], brief)
    costs = [
        (f"- {line}", (statement.code,))
        for statement in brief.replies.costs
        if (line := _unprinted(statement.text.read(language), statement.legal_refs, printed))
    ]
    yield from _section(COSTS_HEADING, costs, brief)
    other_checks = [check for check in unsettled if not _decides(check) and check.code not in _OF_ANY_SALE]
    yield from _section(OTHER_HEADING, _details(other_checks, language, printed), brief)
    not_told = [check for check in missing if check is not assessment.deciding_check]
    yield from _section(MISSING_HEADING, _points(not_told, language), brief)
    clear = [
        check
        for check in stated
        if check.status is Status.PASS
        and check.code not in _NO_OBSTACLE
        and split_sentences(check.detail.read(language))[0].strip() not in printed
    ]
    yield from _section(CLEAR_HEADING, _points(clear, language), brief)


def _decides(check: Check) -> bool:
    """Whether the check belongs to what decides: the verdict, the procedure by a protection, or who must agree."""
    return check.is_decisive or check.code == "ownership"


def _verdict(brief: Brief, printed: set[str]) -> Iterator[Passage]:
    """The answer in five lines: the verdict, the procedure, the lots, the point that decides first, and how much is
    known.
    """
    language, assessment = brief.language, brief.assessment
    yield from _summary(brief)
    by_code = {check.code: check for check in assessment.checks}
    layout, deciding = by_code[_LAYOUT], assessment.deciding_check
    yield from _lines(_details([by_code[_PROCEDURE]], language, printed))
    if brief.division.proposals and layout.status is not Status.FAIL:
        lots, detail = overview(brief.division.proposals[0]).read(language), layout.detail.read(language)
        printed.add(split_sentences(detail)[0].strip())  # the lots state it
        remarks = _unprinted(detail, (), printed) if layout.status is Status.WARN else ""
        yield from _lines([(f"- {lots} {remarks}".rstrip(), (_LAYOUT,))])
    else:
        yield from _lines(_details([layout], language, printed))
    yield from _lines(_details([deciding] if deciding else [], language, printed))
    known = _KNOWN.format(known=assessment.known_count, all=len(assessment.checks))
    yield from _lines([(f"- {known.read(language)}", ())])


def _summary(brief: Brief, end: str = "\n\n") -> Iterator[Passage]:
    """The verdict with the point that decides."""
    checks = [check for check in brief.assessment.checks if check.is_decisive and check.status is not Status.PASS]
    summary = brief.assessment.summary.read(brief.language)
    yield Passage(f"\n**{summary}**{end}", tuple(check.code for check in checks))


def _frame(brief: Brief) -> Iterator[Passage]:
    """The lines after the verdict in an answer without the study: procedure, lots, what is not known, the next step."""
    assessment, proposals = brief.assessment, brief.division.proposals
    [layout] = [check for check in assessment.checks if check.code == _LAYOUT]
    unknown = [check.point for check in assessment.checks if check.status is Status.UNKNOWN]
    lines: list[tuple[Text, tuple[str, ...]]] = [
        (_PROCEDURE_IS.format(procedure=assessment.procedure.label), ()),
        (overview(proposals[0]) if proposals else layout.detail, (_LAYOUT,)),
        (_NOT_KNOWN.format(points=listed(unknown)) if unknown else _KNOWN_ALL, ()),
        (_NEXT_FOR_NEIGHBOUR if brief.division.project.is_for_neighbour else _NEXT, ()),
    ]
    lead = "\n" if leads_with_verdict(brief) else ""
    yield from _lines([(f"- {line.read(brief.language)}", codes) for line, codes in lines], lead)


_Line = tuple[str, tuple[str, ...]]
"""A line of Markdown, and the codes of the checks and facts that it rests on."""


def _details(checks: Iterable[Check], language: Language, printed: set[str]) -> list[_Line]:
    """What the checks found, without what is printed already."""
    return [
        (f"- {line}", (check.code,))
        for check in checks
        if (line := _unprinted(check.detail.read(language), check.legal_refs, printed))
    ]


def _points(checks: Sequence[Check], language: Language) -> list[_Line]:
    """The subjects of the checks in one line."""
    names = listed([check.point for check in checks]).read(language)
    return [(f"{names[:1].upper()}{names[1:]}.", tuple(check.code for check in checks))] if checks else []


def _unprinted(detail: str, refs: tuple[str, ...], printed: set[str]) -> str:
    """The sentences of the detail that are not printed yet, with their references; empty if there are none."""
    sentences = [sentence for sentence in split_sentences(detail) if sentence.strip() not in printed]
    printed.update(sentence.strip() for sentence in sentences)
    return cited("".join(sentences).rstrip(), refs) if sentences else ""


def _drawn(proposal: Proposal, language: Language) -> Iterator[_Line]:
    """The layout, and the lots of the first proposal."""
    yield f"{proposal.rank}. {layout_summary(proposal).read(language)}", (_LAYOUT,)
    if proposal.rank == 1:
        for text in lot_summaries(proposal):
            yield f"   - {text.read(language)}", (_LAYOUT,)


def cited(detail: str, refs: tuple[str, ...]) -> str:
    """The detail with its references before the last full stop. Articles of one code are grouped."""
    if not refs:
        return detail
    articles: dict[str, list[str]] = {}
    for ref in refs:
        work, _, article = ref.partition(", art. ")
        articles.setdefault(work, []).append(article)
    works = [
        f"{work}, art. {', '.join(articles_of_work)}" if articles_of_work[0] else work
        for work, articles_of_work in articles.items()
    ]
    cited = "\N{NARROW NO-BREAK SPACE}; ".join(works)
    return f"{detail.removesuffix('.')} ({cited})."


def _section(heading: Text, lines: Sequence[_Line], brief: Brief) -> Iterator[Passage]:
    """The sentences of a section. The heading is part of the first one."""
    return _lines(lines, f"\n### {heading.read(brief.language)}\n\n")


def _lines(lines: Sequence[_Line], lead: str = "") -> Iterator[Passage]:
    """The sentences of the lines. `lead` is part of the first one."""
    for line, codes in lines:
        for sentence in split_sentences(f"{line}\n"):
            yield Passage(f"{lead}{sentence}", codes)
            lead = ""
