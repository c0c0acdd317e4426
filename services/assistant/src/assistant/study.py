"""One study of a land unit: reads the lot count, draws the division, assesses it and lists the assumptions."""

from dataclasses import dataclass

from assistant.assessment.assess import assess
from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Assessment
from assistant.division.draw import draw
from assistant.division.proposal import Division, Site
from assistant.division.wording import Assumption, assumptions_of
from assistant.lot_count import parse_lot_count


@dataclass(frozen=True)
class Study:
    assessment: Assessment
    division: Division
    assumptions: tuple[Assumption, ...]


def study(facts: LandFacts, site: Site | None, question: str) -> Study:
    """Assesses and draws. Deterministic; takes some tens of milliseconds of processor time."""
    lots = parse_lot_count(question)
    division = draw(site, lots.drawn)
    assumptions = assumptions_of(division, lots.limitation())
    return Study(assess(facts, division.layout()), division, assumptions)
