"""One study of a land unit: draws the division, assesses it, lists the assumptions and answers the questions."""

from dataclasses import dataclass

from assistant.assessment.assess import assess
from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Assessment
from assistant.division.draw import draw
from assistant.division.proposal import Division, Site
from assistant.division.wording import Assumption, assumptions_of
from assistant.project import read_project
from assistant.questions.answers import Replies, answer
from assistant.questions.reading import read_question
from assistant.questions.replies import Subject


@dataclass(frozen=True)
class Study:
    assessment: Assessment
    division: Division
    assumptions: tuple[Assumption, ...]
    replies: Replies


def study(facts: LandFacts, site: Site | None, question: str) -> Study:
    """Assesses and draws. Deterministic; takes some tens of milliseconds of processor time."""
    division = draw(site, read_project(question))
    assessment = assess(facts, division.layout())
    replies = answer(read_question(question), Subject(facts, assessment, division))
    return Study(assessment, division, assumptions_of(division), replies)
