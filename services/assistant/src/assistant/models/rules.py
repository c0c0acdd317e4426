"""Writes the answer from the checks and proposals only. Deterministic, without network calls."""

from collections.abc import AsyncGenerator, Iterator

from assistant.assessment.assess import RULES_VERSION
from assistant.assessment.result import Check, Status
from assistant.division.proposal import Proposal
from assistant.division.wording import layout_summary, lot_summary
from assistant.models.base import Brief, Meter, Passage
from assistant.text import split_sentences
from servicekit.languages import Language, Text

HEADINGS = {
    Status.FAIL: Text("Ce qui s'y oppose", "What stands against it"),
    Status.WARN: Text("Ce qui est à régler", "What is to be settled"),
    Status.PASS: Text("Ce que les données établissent", "What the data establishes"),
    Status.UNKNOWN: Text("Ce que les données ne disent pas", "What the data does not tell"),
}
PROPOSALS_HEADING = Text("Découpages proposés", "Proposed divisions")
PROCEDURE_HEADING = Text("Procédure", "Procedure")
ASSUMPTIONS_HEADING = Text("Hypothèses", "Assumptions")
_LAYOUT = "division_layout"


class RulesModel:
    """The model that is always available, and the fallback of the others."""

    provider = "rules"
    name = f"rules-{RULES_VERSION}"

    async def write(self, brief: Brief, meter: Meter) -> AsyncGenerator[Passage]:
        """Yields the answer. It uses no tokens."""
        for passage in passages(brief):
            yield passage


def passages(brief: Brief) -> Iterator[Passage]:
    """The sentences of the answer. Joined, they are its Markdown."""
    language, assessment = brief.language, brief.assessment
    decisive = tuple(check.code for check in assessment.checks if check.status in (Status.FAIL, Status.WARN))
    yield Passage(f"**{assessment.summary.read(language)}**\n", decisive)
    for status in (Status.FAIL, Status.WARN, Status.PASS, Status.UNKNOWN):
        checks = [check for check in assessment.checks if check.status is status]
        if checks:
            yield from _section(HEADINGS[status], [_bullet(check, brief) for check in checks], brief)
    if brief.division.proposals:
        lines = [line for proposal in brief.division.proposals for line in _drawn(proposal, language)]
        yield from _section(PROPOSALS_HEADING, lines, brief)
    procedure = _cited(f"{assessment.procedure.label.read(language)}.", assessment.procedure.legal_refs)
    yield from _section(PROCEDURE_HEADING, [(procedure, "lotissement_procedure")], brief)
    assumed = [(f"- {assumption.detail.read(language)}", _LAYOUT) for assumption in brief.assumptions]
    yield from _section(ASSUMPTIONS_HEADING, assumed, brief)
    yield Passage(f"\n*{assessment.disclaimer.read(language)}*\n", ())


def _bullet(check: Check, brief: Brief) -> tuple[str, str]:
    return f"- {_cited(check.detail.read(brief.language), check.legal_refs)}", check.code


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
    cited = " ; ".join(f"{work}, art. {', '.join(found)}" if found[0] else work for work, found in articles.items())
    return f"{detail.removesuffix('.')} ({cited})."


def _section(heading: Text, lines: list[tuple[str, str]], brief: Brief) -> Iterator[Passage]:
    """The sentences of a section. The heading is part of the first one."""
    lead = f"\n### {heading.read(brief.language)}\n\n"
    for line, code in lines:
        for sentence in split_sentences(f"{line}\n"):
            yield Passage(f"{lead}{sentence}", (code,))
            lead = ""
