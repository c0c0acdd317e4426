"""One study of a land unit: draws the division, assesses it, searches changes and answers the questions."""

from dataclasses import dataclass

from assistant.assessment.assess import assess
from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Assessment
from assistant.changes import Change, changes_of
from assistant.division.draw import draw
from assistant.division.proposal import Division, Site
from assistant.division.wording import Assumption, assumptions_of
from assistant.errors import QuestionOffTopic
from assistant.project import Project, read_project
from assistant.questions.answers import DIVISION, Replies, answer
from assistant.questions.reading import OTHER, ReadQuestion, is_about_land, quote, read_question
from assistant.questions.replies import Subject
from servicekit.languages import Text

_OFF_TOPIC = Text(
    "La question ne demande rien sur le terrain. Sans question, la réponse est l’étude de la division.",
    "The question asks nothing about the land. Without a question, the answer is the study of the division.",
)


@dataclass(frozen=True)
class Study:
    assessment: Assessment
    division: Division
    assumptions: tuple[Assumption, ...]
    replies: Replies
    changes: tuple[Change, ...]


def study(facts: LandFacts, site: Site | None, question: str) -> Study:
    """Assesses and draws. Deterministic; takes some tens of milliseconds of processor time, and some hundreds
    if it searches changes.

    Without a question, the study is the answer. Raises QuestionOffTopic if a question neither tells a project nor asks
    about land.
    """
    project, questions = read_project(question), read_question(question)
    if question and project == Project() and not is_about_land(question, questions):
        raise QuestionOffTopic(_OFF_TOPIC)
    intents = {part.intent for part in questions}
    is_told = "?" not in question or (intents == {"layout"} and not question.rstrip().endswith("?"))
    if is_told and _tells_lots(project) and DIVISION not in intents:
        unread = [part for part in questions if part.is_doubtful or part.intent == OTHER]
        told = [part for part in unread if _tells_lots(read_project(part.text))]  # the study answers them
        questions = (ReadQuestion(DIVISION, quote(question)), *(part for part in questions if part not in told))
    division = draw(site, project)
    assessment = assess(facts, division.layout())
    replies = answer(questions, Subject(facts, assessment, division, question))
    changes = changes_of(facts, site, project, division)
    return Study(assessment, division, assumptions_of(division), replies, changes)


def _tells_lots(project: Project) -> bool:
    """Whether the project is a division. Told without a question, it asks for its study: "6 lots et une voie"."""
    return bool(project.lot_count or project.sizes_m2 or project.is_for_neighbour)
