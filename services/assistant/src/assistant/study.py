"""One study of dividing a land unit: read the question, draw, assess, and say on what assumptions."""

from dataclasses import dataclass

from assistant.assessment.assess import assess
from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Assessment
from assistant.division.draw import draw
from assistant.division.proposal import Division, Ground
from assistant.division.wording import Assumption, assumptions_of
from assistant.wishes import read_wish


@dataclass(frozen=True)
class Study:
    assessment: Assessment
    division: Division
    assumptions: tuple[Assumption, ...]


def study(facts: LandFacts, ground: Ground | None, question: str) -> Study:
    """Deterministic; takes some tens of milliseconds of processor time."""
    wish = read_wish(question)
    division = draw(ground, wish.lot_count)
    assumptions = assumptions_of(division, wish.limitation())
    return Study(assess(facts, division.layout()), division, assumptions)
