"""Tells texts in other languages than French and English."""

from assistant.questions.words import FUNCTION_WORDS, OPENING, WORD, plain_text
from assistant.text import read_table

_LEAST_WORDS = 2
_OTHER_WORDS = frozenset(read_table("reading/languages.toml")["words"])


def is_other_language(text: str) -> bool:
    """Whether the text has more small words of another language than of French and English."""
    words = WORD.findall(plain_text(text))
    count = sum(word in _OTHER_WORDS for word in words)
    return count >= _LEAST_WORDS and count > sum(word in FUNCTION_WORDS or word in OPENING for word in words)
