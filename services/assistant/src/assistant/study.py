"""One study of a land unit: draws the division, assesses it, searches changes and answers the questions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod

from assistant.assessment.assess import assess, procedure_of
from assistant.assessment.facts import LandFacts
from assistant.changes import Change, changes_of
from assistant.division.candidates import DRAWING_FAILED
from assistant.division.draw import draw, with_most_lots
from assistant.division.proposal import DEFAULT_LOT_COUNT, Assumptions, Division
from assistant.division.site import site_of
from assistant.division.wording import Assumption, assumptions_of
from assistant.errors import QuestionOffTopic
from assistant.law.asks import kinds_of
from assistant.models.base import Study
from assistant.models.reader_answer import read_answer
from assistant.project import MOST_LISTED, NEAR, Project, WishedLot
from assistant.questions.answers import NO_CHOICE, answer, quoted
from assistant.questions.reading import (
    DIVISION,
    OTHER,
    ReadQuestion,
    is_about_land,
    is_asked,
    is_clear,
    named_questions,
    quote,
    read_question,
)
from assistant.questions.replies import Subject
from assistant.questions.words import HOW_MANY_LOTS, plain_text
from assistant.reading.choice import chosen, differences
from assistant.reading.languages import is_other_language
from assistant.reading.project import Reading, read, read_project
from assistant.reading.spans import Span, is_in, outside, sentence_of, without_marks
from assistant.reading.wishes import (
    OTHER_LANGUAGE,
    heard,
    otherwise,
    tells_project,
    unfollowed_figures,
    wishes_of,
    with_purposes,
)
from servicekit.languages import Text
from servicekit.parts import Attempt

_PROJECT = Text("la lecture du projet", "the reading of the project")
_QUESTIONS = Text("la lecture des questions", "the reading of the questions")
_DRAWING = Text("le dessin des lots", "the drawing of the lots")
_CHANGES = Text("ce qui lèverait un obstacle", "what would lift an obstacle")
_ASSUMPTIONS = Text("les hypothèses", "the assumptions")
_ASKS = (DIVISION, "procedure", "time_limits", "documents", "certificate", "minimum_size", "layout")
"""A project that names these asks about them, also without a question mark. A price may be named in passing."""
_ROUNDED = 0.01
_DEALS, _OF_LAND = ("received", "given", "sold", "kept", "distance"), ("land", "price", "parcel")
"""Kinds of told facts that are of a project, and whose figures describe the land."""
_OFF_TOPIC = Text(
    "La question ne demande rien sur le terrain. Sans question, la réponse est l’étude de la division.",
    "The question asks nothing about the land. Without a question, the answer is the study of the division.",
)


def study(
    facts: LandFacts,
    question: str,
    told: Mapping[str, object] | None = None,
    model_answer: str = "",
) -> Study:
    """Assesses and draws. Deterministic; takes some tens of milliseconds of processor time, and some hundreds
    if it searches changes. A part that fails is left out (`servicekit.parts`).

    `told` are the members of the project that the request gives in fields: they win over the text. `model_answer` is
    what a language model has read in the text: of its reading and that of the rules, the one counts that accounts for
    more words.
    Without a question, the study is the answer. Raises QuestionOffTopic if a question neither tells a project nor asks
    about land.
    """
    site, told = None, told or {}
    is_foreign = is_other_language(question)
    by_rules, reading, other = Reading(), Reading(), Reading()
    asked_by_rules: tuple[ReadQuestion, ...] | None = None
    questions: tuple[ReadQuestion, ...] = ()
    changes: tuple[Change, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    with Attempt(_PROJECT):
        by_rules = reading = read(question)
        if is_foreign:
            by_rules = reading = Reading(content=by_rules.content, is_count_sure=False)
    with Attempt(_QUESTIONS):
        asked_by_rules = named_questions(question) if is_foreign else read_question(question)
    with Attempt(_PROJECT):
        if model_answer:
            by_model = read_answer(model_answer, question, by_rules)
            sure = _asked(filter(is_asked, asked_by_rules or ()), question)
            reading, other = chosen(by_rules, sure, by_model)
    is_heard = not is_foreign or reading.is_by_model
    project = drawn = _merged(reading.project, {name: value for name, value in told.items() if name != "facts"})
    count_range = None if project.lot_count or "lots" in told else reading.count_range
    with Attempt(_QUESTIONS):
        if not is_heard:
            questions = asked_by_rules or ()
        elif asked_by_rules is not None:
            questions = _questions(question, asked_by_rules, reading, project)
    division = Division(project.lot_count or DEFAULT_LOT_COUNT, (), DRAWING_FAILED, Assumptions(), project=project)
    with Attempt(_DRAWING):
        site = site_of(facts.unit, project.height_m)
        unit_m2 = 0.0 if site is None else site.unit.area
        drawn = project if "lots" in told else _loosened(project, reading)
        if count_range is not None:
            drawn, count_range = _counted(drawn, count_range, unit_m2)
        drawn = drawn.on(unit_m2)
        if site is not None:
            site = replace(site, house_sides_m=_sides_m(reading, project.footprint_m2))
        if site is not None and count_range is not None and not project.lots:
            drawn = with_most_lots(site, drawn, *count_range)
            project = replace(project, lot_count=drawn.lot_count)
        may_count = project.lot_count is None and len(project.lots) <= 1 and not project.house_m2
        if site is not None and may_count and HOW_MANY_LOTS.search(plain_text(question)):
            drawn = with_most_lots(site, drawn)
        division = draw(site, drawn)
        if site is not None:
            division = with_purposes(division, site)
    is_count_told = reading.is_count_sure or "lots" in told or bool(project.lot_count and "lot_count" in told)
    assessment = assess(facts, replace(division.layout(), count_range=count_range, is_count_told=is_count_told))
    if not (is_count_told or project.tells_lots or count_range):
        assessment = replace(assessment, summary=assessment.beside)  # no lots that are drawn were told
    other_procedures = tuple(procedure_of(facts, division.layout(n)) for n in range(1, len(division.proposals)))
    replies_with = partial(answer, questions, Subject(facts, assessment, division, question, site))
    with Attempt(_CHANGES):
        changes = changes_of(facts, site, drawn, division)
    with Attempt(_ASSUMPTIONS):
        assumptions = assumptions_of(division)
    done = Study(
        site=site, assessment=assessment, division=division, assumptions=assumptions, replies=replies_with(NO_CHOICE),
        replies_with=replies_with, other_procedures=other_procedures, changes=changes, project=project,
    )  # fmt: skip
    with Attempt(_ASSUMPTIONS):
        return _with_wishes(done, question, told, questions, reading, other, is_heard=is_heard)
    return done


def _with_wishes(
    done: Study,
    question: str,
    told: Mapping[str, object],
    questions: Sequence[ReadQuestion],
    reading: Reading,
    other: Reading,
    *,
    is_heard: bool,
) -> Study:
    """The study with the project as it was understood, what became of each wish, and what was not read. Where two
    readings differ, `other` is the one that is not followed. Nothing was heard in a language that is not read.
    """
    division, replies = done.division, done.replies
    parts = [part for part in questions if is_asked(part) and ("?" in part.text or not tells_project(part.text))]
    asked = reading.asked if reading.is_by_model else _asked(parts, question)
    headings = [reply.heading for reply in replies.answered] + [gap.heading for gap in replies.unanswered]
    named_asks = " ".join(heading.fr for heading in headings)
    quotes = (
        part.words or part.text
        for part in questions
        if (part in parts and not part.is_stated) or "?" in part.text or quoted(part).fr in named_asks
    )
    named = [*asked, *_places(quotes, question)]
    pieces = [without_marks(question, piece) for span in reading.unread for piece in outside(span, named)]
    unread = tuple(piece for piece in pieces if any(is_in(word, [piece]) for word in reading.content))
    facts = [fact for fact in reading.facts if not is_in(fact[1], asked)][:MOST_LISTED]
    notes = tuple(span for span in reading.notes if not is_in(span, asked))
    words = {**reading.words, **{f"/facts/{i}": (span,) for i, (_, span) in enumerate(facts)}}
    words = {pointer: spans for pointer, spans in words.items() if pointer.split("/")[1] not in told}
    project = _merged(replace(done.project, facts=tuple(fact for fact, _ in facts)), told)
    reading = replace(reading, words=words, unread=unread, notes=notes)
    wishes = wishes_of(project, reading, question, division)
    tells_deal = any(fact.kind in _DEALS for fact, _ in facts)
    if is_heard and (tells_deal or project.tells_lots or replies.is_general):
        by_study = (reply.question for reply in replies.answered if "division_layout" in reply.codes)
        answered = _places((part.words or part.text for part in by_study), question)
        of_land = [span for fact, span in facts if fact.kind in _OF_LAND]
        of_members = [span for name, spans in words.items() if not name.startswith("/facts") for span in spans]
        wishes += unfollowed_figures(question, [*of_members, *of_land, *answered, *unread, *notes])
    wishes += otherwise(differences(project, other.project, told), other, question, division)
    if not is_heard:
        return replace(done, project=project, wishes=wishes, heard=OTHER_LANGUAGE)
    telling = [span for span in unread if tells_project(sentence_of(question, span))]
    told_to = heard(wishes, reading.ratio(telling))
    if not project.tells_lots and any(reply.cards for reply in replies.answered):
        told_to = told_to._replace(warning=Text("", ""))  # a question of law that is answered needs no project
    return replace(done, project=project, wishes=wishes, heard=told_to)


def _merged(read: Project, told: Mapping[str, object]) -> Project:
    """The project of the text with the fields of the request. Lots in fields replace the number that the text tells."""
    return replace(read, **{**({"lot_count": None} if "lots" in told else {}), **told})  # type: ignore[arg-type]


def _loosened(project: Project, reading: Reading) -> Project:
    """The project with bounds around the areas that the text tells as approximate ones."""
    return replace(
        project,
        lots=tuple(
            replace(lot, least_m2=lot.area_m2 * (1 - NEAR), most_m2=lot.area_m2 * (1 + NEAR))
            if lot.area_m2 is not None
            and any(is_in(place, reading.words.get(f"/lots/{i}", ())) for place in reading.approximate)
            else lot
            for i, lot in enumerate(project.lots)
        ),
    )


def _counted(project: Project, told_range: tuple[int, int], unit_m2: float) -> tuple[Project, tuple[int, int]]:
    """The project with the largest number of lots of a told range that fits by their least area, and the range. Both
    with the other lots and the plot of a kept house.
    """
    least, most = told_range
    group = next((lot for lot in project.lots if lot.count == least), WishedLot())
    others = [lot for lot in project.lots if lot is not group]
    size_m2 = group.least_m2 or group.area_m2
    left_m2 = unit_m2 - sum(lot.count * (lot.size_m2 or 0.0) for lot in others)
    count = max(least, min(most, int(left_m2 // size_m2))) if size_m2 else most
    has_house_plot = any(lot.use == "house" for lot in others)
    beside = sum(lot.count for lot in others) + bool(project.keeps_house and not has_house_plot)
    lots = tuple(replace(lot, count=count) if lot is group else lot for lot in project.lots)
    counted = replace(project, lot_count=count + beside, lots=lots).consistent()
    return counted, (least + beside, most + beside)


def _sides_m(reading: Reading, footprint_m2: float | None) -> tuple[float, float] | None:
    """The sides of the house if the text tells its footprint by them, the shorter one first."""
    near = _ROUNDED * (footprint_m2 or 0.0)
    return next((sides for sides in reading.sides_m if abs(prod(sides) - (footprint_m2 or 0.0)) < near), None)


def _asked(parts: Iterable[ReadQuestion], question: str) -> list[Span]:
    """Where the text surely asks these. The study of the division answers the whole text, which says nothing about a
    word.
    """
    whole = quote(question)
    return _places(
        (part.text for part in parts if is_clear(part) and (part.intent, part.text) != (DIVISION, whole)), question
    )


def _places(quotes: Iterable[str], question: str) -> list[Span]:
    """Where the words of the quotes stand in the text. A joined sentence begins in lower case."""
    patterns = (r"\W+".join(map(re.escape, re.findall(r"\w+", words))) for words in quotes)
    return [match.span() for pattern in patterns if (match := re.search(pattern, question, re.IGNORECASE))]


def _questions(
    question: str, questions: tuple[ReadQuestion, ...], reading: Reading, project: Project
) -> tuple[ReadQuestion, ...]:
    """The questions to answer. A told division asks for its study. Raises QuestionOffTopic."""
    by_model = reading.questions
    if question and project == Project() and not is_about_land(question, (*questions, *by_model)):
        raise QuestionOffTopic(_OFF_TOPIC)
    division = ReadQuestion(DIVISION, quote(question), is_stated=True)
    if reading.is_by_model:
        lots = [span for pointer, spans in reading.words.items() if pointer.startswith("/lot") for span in spans]
        is_told = project.tells_lots and not all(is_in(span, reading.asked) for span in lots)
        is_told = is_told and all(part.intent != DIVISION for part in by_model)
        has_only_told = project != Project() and not by_model
        return (division, *by_model) if is_told or has_only_told else by_model or questions
    intents = {part.intent for part in questions}
    is_told = "?" not in question or (intents == {"layout"} and not question.rstrip().endswith("?"))
    if is_told and project.tells_lots:
        unread = [part for part in questions if part.is_doubtful or part.intent == OTHER]
        told = [part for part in unread if read_project(part.text).tells_lots]  # the study answers them
        told += [part for part in questions if part.intent != DIVISION and _tells(part, question, reading)]
        asked = [part for part in questions if part not in told and (part.intent in _ASKS or is_asked(part))]
        return tuple(asked) if DIVISION in intents else (division, *asked)
    return tuple(
        replace(part, intent=DIVISION, is_doubtful=False)
        if (part.intent == OTHER or part.is_doubtful) and _asks_for_study(part)
        else part
        for part in questions
    )


def _asks_for_study(part: ReadQuestion) -> bool:
    """Whether the part tells a house, or asks if lots are possible that it tells: "Could we put two houses?"."""
    reading = read(part.text)
    asks_lots = reading.project.lot_count and "may" in kinds_of(part.text)
    return bool(reading.project.footprint_m2 or reading.sides_m or asks_lots)


def _tells(part: ReadQuestion, question: str, reading: Reading) -> bool:
    """Whether the part does not ask, and rules have read most of its words as the project."""
    words = [word for word in reading.content if is_in(word, _places([part.text], question))]
    read_count = sum(is_in(word, reading.counted) for word in words)
    return (part.is_stated or not is_asked(part)) and 2 * read_count > len(words)
