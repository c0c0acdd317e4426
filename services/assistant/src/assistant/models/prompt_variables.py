"""The variables of the prompt: assessment, proposals and facts as JSON, in the language of the answer."""

import json

from assistant.assessment.result import Check
from assistant.division.proposal import Proposal
from assistant.division.wording import layout_summary, lot_summaries
from assistant.models.base import Brief
from assistant.questions.answers import Reply
from servicekit.languages import Language

_LANGUAGE_NAMES = {"fr": "French", "en": "English"}


def prompt_variables(brief: Brief) -> dict[str, str]:
    """Returns the variables by name. The question is escaped.

    They contain no free text of publishers, apart from the names of legal persons without markup.
    """
    language, assessment = brief.language, brief.assessment
    return {
        "language_name": _LANGUAGE_NAMES[language],
        "question": brief.question.replace("<", "&lt;").replace(">", "&gt;"),
        "assessment": _json(
            {
                "verdict": assessment.verdict.value,
                "known_checks": f"{assessment.known_count} of {len(assessment.checks)}",
                "summary": assessment.summary.read(language),
                "procedure": assessment.procedure.label.read(language),
                "checks": [_check(check, language) for check in assessment.checks],
            }
        ),
        "proposals": _json([_proposal(proposal, language) for proposal in brief.division.proposals]),
        "assumptions": _json([assumption.detail.read(language) for assumption in brief.assumptions]),
        "facts": _json([_reply(reply, language) for reply in brief.replies.answered]),
    }


def _check(check: Check, language: Language) -> dict[str, object]:
    return {
        "code": check.code,
        "status": check.status.value,
        "detail": check.detail.read(language),
        "legal_refs": list(check.legal_refs),
    }


def _proposal(proposal: Proposal, language: Language) -> dict[str, object]:
    return {
        "rank": proposal.rank,
        "layout": layout_summary(proposal).read(language),
        "lots": [text.read(language) for text in lot_summaries(proposal)],
    }


def _reply(reply: Reply, language: Language) -> dict[str, object]:
    return {
        "asked": reply.heading.read(language),
        "facts": [
            {"code": statement.code, "text": statement.text.read(language), "legal_refs": list(statement.legal_refs)}
            for statement in reply.statements
        ],
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
