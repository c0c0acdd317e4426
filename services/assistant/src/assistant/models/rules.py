"""Writes the answer from the replies, the checks and the proposals only. Deterministic, without network calls."""

from collections.abc import AsyncGenerator, Collection, Iterable, Iterator

from assistant.assessment.assess import RULES_VERSION
from assistant.assessment.result import Status
from assistant.division.proposal import Proposal
from assistant.division.wording import layout_summary, lot_summary
from assistant.models.base import Brief, Meter, Passage
from assistant.questions.answers import Reply
from assistant.text import split_sentences
from servicekit.languages import Language, Text

HEADINGS = {
    Status.FAIL: Text("Ce qui s’y oppose", "What stands against it"),
    Status.WARN: Text("Ce qui est à régler", "What is to be settled"),
    Status.PASS: Text("Ce que les données établissent", "What the data establishes"),
    Status.UNKNOWN: Text("Ce que les données ne disent pas", "What the data does not tell"),
}
PROPOSALS_HEADING = Text("Découpages proposés", "Proposed divisions")
PROCEDURE_HEADING = Text("Procédure", "Procedure")
ASSUMPTIONS_HEADING = Text("Hypothèses", "Assumptions")
UNANSWERED_HEADING = Text("Ce que les données ne permettent pas de dire", "What the data cannot answer")
_LAYOUT, _PROPOSALS = "division_layout", "proposals"


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
            (f"- {line}", statement.code)
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
        lines.append((f"- **{reply.heading.read(brief.language)}**{colon}{_lowered(reason)} {ask}", ""))
    yield from _section(UNANSWERED_HEADING, list(dict.fromkeys(lines)), brief)


def disclaimer(brief: Brief) -> Passage:
    return Passage(f"\n*{brief.assessment.disclaimer.read(brief.language)}*\n", ())


def _study(brief: Brief, printed: set[str]) -> Iterator[Passage]:
    """The whole study: summary, checks by status, proposals, procedure and assumptions."""
    language, assessment = brief.language, brief.assessment
    decisive = tuple(check.code for check in assessment.checks if check.status in (Status.FAIL, Status.WARN))
    yield Passage(f"\n**{assessment.summary.read(language)}**\n", decisive)
    for status in (Status.FAIL, Status.WARN, Status.PASS, Status.UNKNOWN):
        bullets = [
            (f"- {line}", check.code)
            for check in assessment.checks
            if check.status is status and (line := _unprinted(check.detail.read(language), check.legal_refs, printed))
        ]
        yield from _section(HEADINGS[status], bullets, brief)
    lines = [line for proposal in brief.division.proposals for line in _drawn(proposal, language)]
    yield from _section(PROPOSALS_HEADING, lines, brief)
    procedure = _cited(f"{assessment.procedure.label.read(language)}.", assessment.procedure.legal_refs)
    yield from _section(PROCEDURE_HEADING, [(procedure, "lotissement_procedure")], brief)
    assumed = [(f"- {assumption.detail.read(language)}", _LAYOUT) for assumption in brief.assumptions]
    yield from _section(ASSUMPTIONS_HEADING, assumed, brief)


def _unprinted(detail: str, refs: tuple[str, ...], printed: set[str]) -> str:
    """The sentences of the detail that are not printed yet, with their references; empty if there are none."""
    sentences = [sentence for sentence in split_sentences(detail) if sentence.strip() not in printed]
    printed.update(sentence.strip() for sentence in sentences)
    return _cited("".join(sentences).rstrip(), refs) if sentences else ""


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _drawn(proposal: Proposal, language: Language) -> Iterator[tuple[str, str]]:
    yield f"{proposal.rank}. {layout_summary(proposal).read(language)}", _LAYOUT
    for lot in proposal.lots:
        yield f"   - {lot_summary(lot).read(language)}", _LAYOUT


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


def _section(heading: Text, lines: list[tuple[str, str]], brief: Brief) -> Iterator[Passage]:
    """The sentences of a section. The heading is part of the first one."""
    lead = f"\n### {heading.read(brief.language)}\n\n"
    for line, code in lines:
        for sentence in split_sentences(f"{line}\n"):
            yield Passage(f"{lead}{sentence}", (code,) if code else ())
            lead = ""
