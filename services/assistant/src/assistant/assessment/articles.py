"""Which sentence says what an article does, so that an article never stands after a sentence about something else."""

import re
from functools import cache

from assistant.text import read_table


def stated(text: str, legal_refs: tuple[str, ...]) -> tuple[str, ...]:
    """The references whose matter the text names. A reference that official words do not list counts as stated."""
    return tuple(ref for ref in legal_refs if (words := _words().get(ref)) is None or words.search(text))


@cache
def _words() -> dict[str, re.Pattern[str]]:
    """The words by reference."""
    return {ref: re.compile(words, re.IGNORECASE) for ref, words in read_table("assessment/articles.toml").items()}
