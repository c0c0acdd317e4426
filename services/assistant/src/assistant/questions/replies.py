"""The parts of an answer to a question: statements that rest on facts, or the reason why there is none."""

from dataclasses import dataclass
from typing import NamedTuple

from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Assessment, Check, Status
from assistant.division.proposal import Division, Site
from assistant.text import Sentences
from servicekit.languages import Text


class Statement(NamedTuple):
    """What a fact states, in one or a few sentences. `code` is that of a check, or of a fact (`FACTS`)."""

    code: str
    text: Text
    legal_refs: tuple[str, ...] = ()


tell = Sentences("questions/sentences.toml")


def statement(key: str, **values: object) -> Statement:
    """A sentence as a statement. Its key begins with the code of the fact."""
    return Statement(key.partition(".")[0], tell(key, **values))


class Gap(NamedTuple):
    """Why a question is not answered, and whom to ask: each one sentence."""

    reason: Text
    ask: Text


@dataclass(frozen=True)
class Subject:
    """What the answers are about."""

    facts: LandFacts
    assessment: Assessment
    division: Division
    question: str
    site: Site | None = None
    """The land as it was drawn on; None if it has no outline."""

    def check(self, code: str) -> Check:
        return next(check for check in self.assessment.checks if check.code == code)

    @property
    def is_lotissement(self) -> bool:
        return self.check("lotissement_definition").value is True

    def quote(self, *codes: str) -> tuple[Statement, ...]:
        """What these checks found, without those whose facts are missing."""
        checks = (self.check(code) for code in codes)
        return tuple(state(check) for check in checks if check.status is not Status.UNKNOWN)


def state(check: Check) -> Statement:
    return Statement(check.code, check.detail, check.legal_refs)


Found = tuple[Statement, ...] | Text
"""What the facts answer, in at least one statement; or the reason why they do not."""

FACTS = (
    "law", "private_easements", "risk_inventory", "owners", "plan_regulation", "terrain", "soil_data", "energy_ratings",
    "joint_ownership", "sales", "comparable_sales", "appraisal", "permits", "taxes", "proposals",
)  # fmt: skip
"""Codes of the facts that answers rest on, besides the checks. `law` is a card of law."""

PARCEL_CHANGE = tell("boundary_survey.parcel_change")
"""The document that every division passes through."""
