"""Each ask of a message is read by itself, with the person's own words, and gets an answer or the honest line."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.models.base import Brief
from assistant.models.rules import passages
from assistant.project import MAX_QUESTION_LENGTH
from assistant.questions.reading import DIVISION, OTHER, content_count, read_question
from assistant.questions.words import COURTESY, WORD, plain_text
from landpartner.land.v1 import land_pb2

MakeBrief = Callable[..., Brief]
TESTS = Path(__file__).parents[1]
LEAST_SHARE = 0.5
"""The asks of a sentence have at least so many of its words: what it tells beside them may be left out."""


def texts() -> Iterator[str]:
    for path in sorted((TESTS / "reading").glob("*s_*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if isinstance(text := json.loads(line).get("text"), str):
                yield text
    for name in ("questions.tsv", "unseen.tsv"):
        for line in (TESTS / "questions" / name).read_text(encoding="utf-8").splitlines()[1:]:
            yield line.split("\t")[1].replace("\\n", "\n")


def words_of(text: str) -> set[str]:
    return set(WORD.findall(COURTESY.sub(" ", plain_text(text))))


def asking_sentences(text: str) -> Iterator[str]:
    """Each sentence with a question mark that names something."""
    for sentence in re.findall(r"[^.!?\n;]+\?", text[:MAX_QUESTION_LENGTH]):
        if content_count(COURTESY.sub(" ", plain_text(sentence))):
            yield sentence


def is_read(sentence: str, text: str) -> bool:
    """Whether the asks of the text have most words of the sentence, or ask for the facts that answer it."""
    parts, words = read_question(text), words_of(sentence)
    shared = set[str]().union(*(words & words_of(f"{part.text} {part.words}") for part in parts))
    intents = {part.intent for part in read_question(sentence)} - {OTHER}
    return len(shared) >= LEAST_SHARE * len(words) or (bool(intents) and intents <= {part.intent for part in parts})


def test_every_sentence_that_asks_is_read_as_an_ask() -> None:
    sentences = [(sentence, text) for text in texts() for sentence in asking_sentences(text)]
    assert len(sentences) > 300
    assert [sentence for sentence, text in sentences if not is_read(sentence, text)] == []


MESSAGES = {
    "We bought the back field and drive over her yard. Over whose land may we go, and do we pay?": [
        "Over whose land may we go",
        "do we pay?",
    ],
    "Le chemin est étroit. Je me demande si le camion de pompiers doit pouvoir passer pour deux maisons.": [
        "si le camion de pompiers doit pouvoir passer"
    ],
    "Can you tell me whether a field rented to a grazier can be sold free of him": ["can be sold free of him"],
    "Ma belle-sœur jure qu'on ne doit aucun impôt puisque c'est le jardin de notre résidence principale.": [
        "aucun impôt puisque c'est le jardin"
    ],
    "1/ un abri de 15 m² se déclare ? 2/ le puits commun, on en fait quoi quand on coupe, il nous servira ?": [
        "un abri de 15 m² se déclare ?",
        "le puits commun, on en fait quoi quand on coupe",
    ],
    "Il paraît que la haie de deux mètres doit rester à deux mètres de la limite, vrai ou pas": ["vrai ou pas"],
}


@pytest.mark.parametrize(("message", "asks"), MESSAGES.items())
def test_each_ask_of_a_message_has_a_heading_of_its_own_words_and_a_line_below(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, message: str, asks: list[str]
) -> None:
    brief = make_brief(rich_unit, "fr", message)
    replies = brief.replies
    assert all(reply.statements or reply.question.intent == DIVISION for reply in replies.answered)
    text = " ".join("".join(passage.text for passage in passages(brief)).split())
    quoted = [reply.heading for reply in replies.answered] + [gap.heading for gap in replies.unanswered]
    headings = [" ".join(heading.read("fr").split()) for heading in quoted]
    for ask in asks:
        [heading] = [heading for heading in headings if ask in heading]
        assert heading in text
        assert sum(other in heading for other in asks) == 1 or "» «" in heading  # the same answer


UNMARKED = {
    "Le permis est affiché depuis lundi. je peux commencer les travaux quand": "je peux commencer les travaux quand",
    "The bank holds a charge on it. also the shed has no permit, can they refuse": "can they refuse",
    "Le mur penche. sinon comment on fait pour le garder": "sinon comment on fait pour le garder",
}


@pytest.mark.parametrize(("message", "ask"), UNMARKED.items())
def test_a_last_sentence_without_its_mark_asks(message: str, ask: str) -> None:
    assert any(ask in f"{part.text} {part.words}" and not part.is_stated for part in read_question(message))


@pytest.mark.parametrize(
    "message",
    ["Ma fille, la cadette, est d'accord pour le jardin. Le prix est à 20 €.", "Le plan, approuvé en mai, change."],
)
def test_a_verb_inside_of_a_statement_asks_nothing(message: str) -> None:
    assert all(part.is_stated or part.intent == DIVISION for part in read_question(message))


def test_what_a_heading_quotes_is_not_named_as_not_read(rich_unit: land_pb2.LandUnit, make_brief: MakeBrief) -> None:
    message = (
        "Deux lots à vendre, un tiers pour mon frère. Le géomètre dit que le chemin rural est à moi depuis le temps "
        "que je le laboure avec la charrue du grand-père. Il a raison ? Et comment on l'achète proprement ?"
    )
    brief = make_brief(rich_unit, "fr", message)
    unread = [wish.words for wish in brief.wishes if wish.status == "not_read"]
    assert not any("raison" in words or "proprement" in words or "laboure" in words for words in unread)
    text = "".join(passage.text for passage in passages(brief))
    assert "Il a raison" in text or "il a raison" in text
    assert "proprement" in text
