"""Tells texts in other languages than French and English."""

from collections.abc import Collection

from assistant.questions.words import FUNCTION_WORDS, OPENING, WORD, plain_text
from assistant.text import read_table

_LEAST_WORDS, _LEAST_OF_SENTENCE = 2, 3
_TABLE = read_table("reading/languages.toml")
_OTHER_WORDS = frozenset(_TABLE["words"])
_UNREAD_WORDS = _OTHER_WORDS.union(_TABLE["dialects"])


def is_other_language(text: str) -> bool:
    """Whether the text has more small words of another language than of French and English."""
    return _has_most_of(text, _OTHER_WORDS, _LEAST_WORDS)


def is_half_readable(sentence: str) -> bool:
    """Whether a sentence is in another language or a dialect, so that half of it might be read."""
    return _has_most_of(sentence, _UNREAD_WORDS, _LEAST_OF_SENTENCE)


def _has_most_of(text: str, others: Collection[str], least: int) -> bool:
    words = WORD.findall(plain_text(text))
    count = sum(word in others for word in words)
    return count >= least and count > sum(word in FUNCTION_WORDS or word in OPENING for word in words)
