"""How many questions are read right that the reader is not fitted to, and what the others are taken for."""

from collections import Counter

from questions.test_questions import read_cases

from assistant.questions.reading import read_question
from assistant.text import read_table

CASES = read_cases("unseen.tsv")
UNANSWERABLE = {intent for intent, topic in read_table("questions/topics.toml").items() if "reason" in topic}
"""Intents that only a card of law answers."""
_LEAST_RIGHT, _MOST_WRONG = 134, 3
"""Of 150. A question is wrong if it gets an answer that it does not ask for."""


def test_no_phrasing_is_an_unseen_question() -> None:
    phrasings = {
        text
        for texts_by_language in read_table("questions/phrasings.toml").values()
        for texts in texts_by_language.values()
        for text in texts
    }
    assert phrasings.isdisjoint(case.question for case in CASES)


def test_most_unseen_questions_are_read_and_hardly_any_is_answered_wrongly() -> None:
    """Prints the confusion table if it fails, or with `pytest -s`."""
    outcomes: Counter[str] = Counter()
    confusions: Counter[tuple[str, str]] = Counter()
    for case in CASES:
        questions = read_question(case.question)
        answered = {part.intent for part in questions if not part.is_doubtful and part.intent not in UNANSWERABLE}
        is_named = any(part.is_doubtful or part.intent in UNANSWERABLE for part in questions)
        if answered == set(case.answered) and is_named == bool(case.unanswered):
            outcome = "right"
        elif answered - set(case.answered):
            outcome = "wrong"
        else:
            outcome = "named" if is_named else "silent"
        outcomes[outcome] += 1
        if outcome != "right":
            read = " ".join(f"{part.intent}{'?' * part.is_doubtful}" for part in questions)
            confusions[" ".join([*case.answered, *case.unanswered]), read] += 1
    for (asked, read), count in sorted(confusions.items()):
        print(f"{count}  {asked:20} taken for {read}")  # noqa: T201 (the confusion table)
    print(dict(outcomes))  # noqa: T201
    assert outcomes["silent"] == 0
    assert outcomes["right"] >= _LEAST_RIGHT
    assert outcomes["wrong"] <= _MOST_WRONG
