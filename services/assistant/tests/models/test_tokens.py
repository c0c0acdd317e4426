"""Estimates of tokens, compared with the counts of two common tokenizers (cl100k and Tekken) for the recorded calls."""

import pytest
from readings import entries

from assistant.models.base import estimate_tokens
from assistant.models.reader_messages import messages_for

MOST_OFF = 0.05


@pytest.mark.parametrize("part", ["prompts", "answers"])
def test_estimates_are_within_five_percent_of_real_tokenizers(part: str) -> None:
    estimated, counted = 0, 0.0
    for entry in entries("recordings"):
        prompt = "".join(message.content for message in messages_for(entry["text"]))
        estimated += estimate_tokens(prompt if part == "prompts" else entry["answer"])
        counted += sum(entry["tokens"][part == "answers"]) / 2
    assert abs(estimated / counted - 1) <= MOST_OFF


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("\n\n", 0), ("Le terrain est divisé en 3 lots.", 10)])
def test_a_text_has_a_whole_number_of_tokens(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
