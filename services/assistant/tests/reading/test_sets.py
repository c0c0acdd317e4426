"""How much of the sets is read: texts of personas, with careful readings. No pattern is fitted to the sets `*_judge`.

The set `unfitted_recordings` was graded once before anything was fitted to it.
"""

from collections import Counter

import pytest
from readings import entries, score

from assistant.questions.reading import read_question

MOST_WRONG = 0.03
LEAST_RIGHT = 0.6
SHORT, LEAST_WHOLE = 200, 0.7
LEAST_INTENTS = 0.75


@pytest.mark.parametrize("name", ["projects_fit", "projects_judge", "unfitted_recordings"])
def test_projects_are_read_and_nothing_is_misread_in_silence(name: str) -> None:
    total: Counter[str] = Counter()
    differences, whole = {}, []
    for entry in (entry for entry in entries(name) if "project" in entry):
        counts, found = score(entry)
        total += counts
        if found:
            differences[entry["text"]] = found
        if len(entry["text"]) < SHORT:
            whole.append(not found)
    told = total["right"] + total["missing"]
    assert total["wrong"] <= MOST_WRONG * told, differences
    assert total["right"] >= LEAST_RIGHT * told, differences
    assert sum(whole) >= LEAST_WHOLE * len(whole), differences


@pytest.mark.parametrize("name", ["questions_fit", "questions_judge", "unfitted_recordings"])
def test_intents_are_read(name: str) -> None:
    texts = [entry for entry in entries(name) if "intents" in entry and "language" not in entry]
    missed = [
        entry["text"]
        for entry in texts
        if not {part.intent for part in read_question(entry["text"])} & set(entry["intents"])
    ]
    assert len(missed) <= (1 - LEAST_INTENTS) * len(texts), missed
