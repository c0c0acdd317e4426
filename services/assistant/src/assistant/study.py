"""One study of a land unit: draws the division, assesses it, searches changes and answers the questions."""

from dataclasses import dataclass

from assistant.assessment.assess import assess
from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Assessment
from assistant.changes import Change, changes_of
from assistant.division.draw import DRAWING_FAILED, draw
from assistant.division.proposal import DEFAULT_LOT_COUNT, Assumptions, Division, Site
from assistant.division.site import site_of
from assistant.division.wording import Assumption, assumptions_of
from assistant.errors import QuestionOffTopic
from assistant.project import Project, read_project
from assistant.questions.answers import DIVISION, Replies, answer
from assistant.questions.reading import OTHER, ReadQuestion, is_about_land, quote, read_question
from assistant.questions.replies import Subject
from servicekit.languages import Text
from servicekit.parts import Attempt

_PROJECT = Text("la lecture du projet", "the reading of the project")
_QUESTIONS = Text("la lecture des questions", "the reading of the questions")
_DRAWING = Text("le dessin des lots", "the drawing of the lots")
_CHANGES = Text("ce qui lèverait un obstacle", "what would lift an obstacle")
_ASSUMPTIONS = Text("les hypothèses", "the assumptions")
_OFF_TOPIC = Text(
    "La question ne demande rien sur le terrain. Sans question, la réponse est l’étude de la division.",
    "The question asks nothing about the land. Without a question, the answer is the study of the division.",
)


@dataclass(frozen=True)
class Study:
    site: Site | None
    """The land that is divided; None if it has no outline."""
    assessment: Assessment
    division: Division
    assumptions: tuple[Assumption, ...]
    replies: Replies
    changes: tuple[Change, ...]


def study(facts: LandFacts, question: str) -> Study:
    """Assesses and draws. Deterministic; takes some tens of milliseconds of processor time, and some hundreds
    if it searches changes. A part that fails is left out (`servicekit.parts`).

    Without a question, the study is the answer. Raises QuestionOffTopic if a question neither tells a project nor asks
    about land.
    """
    site, project = None, Project()
    questions: tuple[ReadQuestion, ...] = ()
    changes: tuple[Change, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    with Attempt(_PROJECT):
        project = read_project(question)
    with Attempt(_QUESTIONS):
        questions = _questions(question, project)
    division = Division(project.lot_count or DEFAULT_LOT_COUNT, (), DRAWING_FAILED, Assumptions(), project=project)
    with Attempt(_DRAWING):
        site = site_of(facts.unit)
        division = draw(site, project)
    assessment = assess(facts, division.layout())
    replies = answer(questions, Subject(facts, assessment, division, question))
    with Attempt(_CHANGES):
        changes = changes_of(facts, site, project, division)
    with Attempt(_ASSUMPTIONS):
        assumptions = assumptions_of(division)
    return Study(site, assessment, division, assumptions, replies, changes)


def _questions(question: str, project: Project) -> tuple[ReadQuestion, ...]:
    """The questions to answer. A told division asks for its study. Raises QuestionOffTopic."""
    questions = read_question(question)
    if question and project == Project() and not is_about_land(question, questions):
        raise QuestionOffTopic(_OFF_TOPIC)
    intents = {part.intent for part in questions}
    is_told = "?" not in question or (intents == {"layout"} and not question.rstrip().endswith("?"))
    if is_told and _tells_lots(project) and DIVISION not in intents:
        unread = [part for part in questions if part.is_doubtful or part.intent == OTHER]
        told = [part for part in unread if _tells_lots(read_project(part.text))]  # the study answers them
        return (ReadQuestion(DIVISION, quote(question)), *(part for part in questions if part not in told))
    return questions


def _tells_lots(project: Project) -> bool:
    """Whether the project is a division. Told without a question, it asks for its study: "6 lots et une voie"."""
    return bool(project.lot_count or project.sizes_m2 or project.is_for_neighbour)
