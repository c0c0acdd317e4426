"""Writes the answer from the replies, the checks and the proposals only. Deterministic, without network calls."""

from collections.abc import AsyncGenerator, Collection, Iterable, Iterator, Sequence

from assistant.assessment.assess import RULES_VERSION
from assistant.assessment.result import Check, Status
from assistant.division.proposal import Proposal
from assistant.division.wording import layout_summary, lot_summary
from assistant.models.base import Brief, Meter, Passage
from assistant.questions.answers import Reply
from assistant.text import area, listed, split_sentences
from servicekit.languages import Language, Text

BLOCKING_HEADING = Text("Ce qui s’y oppose", "What stands against it")
DECIDING_HEADING = Text("Ce qui décide", "What decides")
PROPOSALS_HEADING = Text("Découpages proposés", "Proposed divisions")
CHANGES_HEADING = Text("Ce qui lèverait un obstacle", "What would lift an obstacle")
SALE_HEADING = Text("À toute vente", "At any sale")
OTHER_HEADING = Text("À vérifier ensuite", "To be checked next")
CLEAR_HEADING = Text("Sans obstacle d’après les données", "No obstacle in the data")
ASSUMPTIONS_HEADING = Text("Projet étudié", "The project studied")
UNANSWERED_HEADING = Text("Ce que les données ne permettent pas de dire", "What the data cannot answer")
_LAYOUT, _PROPOSALS, _PROCEDURE = "division_layout", "proposals", "lotissement_procedure"
_OF_ANY_SALE = ("boundary_survey", "pre_emption", "buyer_information", "soil_studies")
"""Duties and rights of any sale of land. They do not decide a division."""
_OPENING = {
    "procedure": Text("Procédure : {label}", "Procedure: {label}"),
    "lots": Text("Lots : {areas}", "Lots: {areas}"),
    "known": Text(
        "Données connues : {known} points sur {all}. Ce n’est pas une chance d’obtenir l’autorisation.",
        "Known data: {known} points of {all}. That is no chance of being allowed.",
    ),
}
"""The first lines of the study."""


class RulesModel:
    """The model that is always available, and the fallback of the others."""

    provider = "rules"
    name = f"rules-{RULES_VERSION}"

    async def write(self, brief: Brief, meter: Meter) -> AsyncGenerator[Passage]:
        """Yields the answer. It uses no tokens."""
        for passage in passages(brief):
            yield passage


def passages(brief: Brief) -> Iterator[Passage]:
    """The sentences of the answer. Joined, they are its Markdown. No sentence is printed twice."""
    first, *other_sentences = _all(brief)
    yield first._replace(text=first.text.removeprefix("\n"))
    yield from other_sentences


def _all(brief: Brief) -> Iterator[Passage]:
    printed: set[str] = set()
    yield from answered(brief, brief.replies.answered, printed)
    yield from unanswered(brief, printed)
    if brief.replies.is_general:
        yield from _study(brief, printed)
    yield disclaimer(brief)


def remainder(brief: Brief, cited: Collection[str]) -> Iterator[Passage]:
    """What follows a model's text: replies whose facts it does not cite, what is not answered, and the disclaimer."""
    uncited = [reply for reply in brief.replies.answered if not any(code in cited for code in reply.codes)]
    printed: set[str] = set()
    yield from answered(brief, uncited, printed)
    yield from unanswered(brief, printed)
    yield disclaimer(brief)


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
        lines.append((f"- **{reply.heading.read(brief.language)}**{colon}{_lowered(reason)} {ask}", ()))
    yield from _section(UNANSWERED_HEADING, list(dict.fromkeys(lines)), brief)


def disclaimer(brief: Brief) -> Passage:
    return Passage(f"\n*{brief.assessment.disclaimer.read(brief.language)}*\n", ())


def _study(brief: Brief, printed: set[str]) -> Iterator[Passage]:
    """The study: the answer in five lines, then what decides, the lots, and the rest in short."""
    language, assessment = brief.language, brief.assessment
    checks = [check for check in assessment.checks if check.code != _PROCEDURE]
    decisive = tuple(check.code for check in checks if check.is_decisive and check.status is not Status.PASS)
    yield Passage(f"\n**{assessment.summary.read(language)}**\n\n", decisive)
    yield from _opening(brief, printed)
    blocking = [check for check in checks if check.status is Status.FAIL]
    yield from _section(BLOCKING_HEADING, _details(blocking, language, printed), brief)
    procedure = [check for check in assessment.checks if check.code == _PROCEDURE]
    unsettled = [check for check in checks if check.status in (Status.WARN, Status.UNKNOWN)]
    deciding = [*procedure, *(check for check in unsettled if _decides(check))]
    yield from _section(DECIDING_HEADING, _details(deciding, language, printed), brief)
    lines = [line for proposal in brief.division.proposals for line in _drawn(proposal, language)]
    yield from _section(PROPOSALS_HEADING, lines, brief)
    changes = [(f"- {change.summary.read(language)}", (_LAYOUT,)) for change in brief.changes]
    yield from _section(CHANGES_HEADING, changes, brief)
    rest = [check for check in unsettled if not _decides(check)]
    at_sale = [check for check in rest if check.code in _OF_ANY_SALE]
    yield from _section(SALE_HEADING, _first_sentences(at_sale, language, printed), brief)
    other_checks = [check for check in rest if check.code not in _OF_ANY_SALE]
    yield from _section(OTHER_HEADING, _first_sentences(other_checks, language, printed), brief)
    clear = [check for check in checks if check.status is Status.PASS]
    names = listed([check.point for check in clear]).read(language)
    points = f"{names[:1].upper()}{names[1:]}."
    yield from _section(CLEAR_HEADING, [(points, tuple(check.code for check in clear))] if clear else [], brief)
    told = [assumption for assumption in brief.assumptions if assumption.is_of_project]
    yield from _section(ASSUMPTIONS_HEADING, [(f"- {a.detail.read(language)}", (_LAYOUT,)) for a in told], brief)


def _decides(check: Check) -> bool:
    """Whether the check belongs to what decides: the verdict, or the procedure as a protection on the land does."""
    return check.is_decisive or (check.code == "protected_surroundings" and check.status is Status.WARN)


def _opening(brief: Brief, printed: set[str]) -> Iterator[Passage]:
    """The procedure, the lots, the point that decides first, and how much is known."""
    language, assessment = brief.language, brief.assessment

    def line(key: str, **values: object) -> str:
        return f"- {_OPENING[key].format(**values).read(language)}\n"

    label = assessment.procedure.label.read(language)
    yield Passage(line("procedure", label=_cited(f"{label}.", assessment.procedure.legal_refs)), (_PROCEDURE,))
    layout = next(check for check in assessment.checks if check.code == _LAYOUT)
    if brief.division.proposals:
        areas = listed([area(lot.area_m2) for lot in brief.division.proposals[0].lots])
        yield Passage(line("lots", areas=f"{areas.read(language)}."), (_LAYOUT,))
    else:
        yield from _told_once("- ", layout, language, printed)
    deciding = assessment.deciding_check
    if deciding is not None and deciding.code != _LAYOUT:
        yield from _told_once("- ", deciding, language, printed)
    known = line("known", known=assessment.known_count, all=len(assessment.checks))
    for sentence in split_sentences(known):
        yield Passage(sentence, ())


def _told_once(lead: str, check: Check, language: Language, printed: set[str]) -> Iterator[Passage]:
    """The first sentence of the check as a line of its own."""
    for line, codes in _first_sentences([check], language, printed):
        yield Passage(f"{lead}{line.removeprefix('- ')}\n", codes)


_Line = tuple[str, tuple[str, ...]]
"""A line of Markdown, and the codes of the checks and facts that it rests on."""


def _details(checks: Iterable[Check], language: Language, printed: set[str]) -> list[_Line]:
    """What the checks found, without what is printed already."""
    return [
        (f"- {line}", (check.code,))
        for check in checks
        if (line := _unprinted(check.detail.read(language), check.legal_refs, printed))
    ]


def _first_sentences(checks: Iterable[Check], language: Language, printed: set[str]) -> list[_Line]:
    """What the checks found first. The data of the answer has the rest."""
    return [
        (f"- {line}", (check.code,))
        for check in checks
        if (line := _unprinted(split_sentences(check.detail.read(language))[0], check.legal_refs, printed))
    ]


def _unprinted(detail: str, refs: tuple[str, ...], printed: set[str]) -> str:
    """The sentences of the detail that are not printed yet, with their references; empty if there are none."""
    sentences = [sentence for sentence in split_sentences(detail) if sentence.strip() not in printed]
    printed.update(sentence.strip() for sentence in sentences)
    return _cited("".join(sentences).rstrip(), refs) if sentences else ""


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _drawn(proposal: Proposal, language: Language) -> Iterator[_Line]:
    """The layout, and the lots of the first proposal."""
    yield f"{proposal.rank}. {layout_summary(proposal).read(language)}", (_LAYOUT,)
    if proposal.rank == 1:
        for lot in proposal.lots:
            yield f"   - {lot_summary(lot).read(language)}", (_LAYOUT,)


def _cited(detail: str, refs: tuple[str, ...]) -> str:
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
    lead = f"\n### {heading.read(brief.language)}\n\n"
    for line, codes in lines:
        for sentence in split_sentences(f"{line}\n"):
            yield Passage(f"{lead}{sentence}", codes)
            lead = ""
