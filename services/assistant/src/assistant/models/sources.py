"""The facts that a model may use, by code: the sentences of checks, proposals, assumptions and replies."""

from assistant.division.wording import layout_summary, lot_summaries
from assistant.models.base import Brief
from assistant.questions.replies import PARCEL_CHANGE
from assistant.text import say
from servicekit.languages import Text

LAYOUT = "division_layout"
_PROCEDURE = "lotissement_procedure"


def facts_by_code(brief: Brief) -> dict[str, list[str]]:
    """The texts of each fact, in the language of the answer, with its legal references. They are our own sentences."""
    sources: dict[str, dict[str, None]] = {}

    def add(code: str, text: Text, refs: tuple[str, ...] = ()) -> None:
        sources.setdefault(code, {}).update(dict.fromkeys((text.read(brief.language), *refs)))

    for check in brief.assessment.checks:
        add(check.code, check.detail, check.legal_refs)
    add("boundary_survey", PARCEL_CHANGE)
    procedure = brief.assessment.procedure
    add(_PROCEDURE, say("Procédure : {label}.", "Procedure: {label}.", label=procedure.label), procedure.legal_refs)
    for proposal in brief.division.proposals:
        for text in (layout_summary(proposal), *lot_summaries(proposal)):
            add(LAYOUT, text)
    for change in brief.changes:
        add(LAYOUT, change.summary)
    for assumption in brief.assumptions:
        add(LAYOUT, assumption.detail)
    for statements in (brief.replies.costs, *(reply.statements for reply in brief.replies.answered)):
        for statement in statements:
            add(statement.code, statement.text, statement.legal_refs)
    return {code: list(texts) for code, texts in sources.items()}
