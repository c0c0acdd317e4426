"""The languages of answers, and texts in both.

A service reads the language of each call from its metadata. Outside of a call, texts are for operators: English.
"""

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Literal, NamedTuple

from servicekit.context import assigned

LANGUAGE_HEADER = "x-language"

Language = Literal["fr", "en"]

language: ContextVar[Language] = ContextVar("language", default="en")


def in_language(chosen: Language) -> AbstractContextManager[None]:
    """Runs the block as a call in this language."""
    return assigned(language, chosen)


_BREAKING_SPACE = re.compile(r" (?:(?<=\S )(?=[;!?%€»](?!\w)|:(?![\w:/-]))|(?<=« )|(?<=\d )(?=\d{3}(?!\d)))")


def typeset(french: str) -> str:
    """The text with no-break spaces before `: ; ! ? % €`, inside guillemets, and between thousands.

    Before `; ! ?` and between thousands they are narrow.
    """

    def no_break(space: re.Match[str]) -> str:
        before, after = french[space.start() - 1], french[space.end()]
        is_narrow = after in ";!?" or (before.isdigit() and after.isdigit())
        return "\N{NARROW NO-BREAK SPACE}" if is_narrow else "\N{NO-BREAK SPACE}"

    return _BREAKING_SPACE.sub(no_break, french)


class Text(NamedTuple):
    """A sentence in both languages."""

    fr: str
    en: str

    def __str__(self) -> str:
        """The text in the language of the current call."""
        return self.read(language.get())

    def read(self, language: Language) -> str:
        return typeset(self.fr) if language == "fr" else self.en

    def format(self, **values: object) -> "Text":
        """The text with the values in both languages. A value may be a text."""
        french = {name: value.fr if isinstance(value, Text) else value for name, value in values.items()}
        english = {name: value.en if isinstance(value, Text) else value for name, value in values.items()}
        return Text(self.fr.format(**french), self.en.format(**english))


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SMALL_WORDS: Mapping[Language, frozenset[str]] = {
    "fr": _set(
        """
        le la les l un une des du de d je j nous vous on mon ma mes notre est sont et ou pour avec dans sur au aux ce
        cette que qu qui quel quelle combien comment faut peut puis peux il ne pas diviser terrain maison voisin vendre
        c y si par quand sans en
        """
    ),
    "en": _set(
        """
        the a an of to i we you my our is are was and or for with in at what which how who when where can could would
        do does need it this that not divide split land house plot plots neighbour sell if by from without into no be
        will should have keep
        """
    ),
}
"""Words by which a text in one of the languages is told from one in the other."""


def language_of(text: str) -> Language | None:
    """The language of most small words of the text; None if neither has more."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    french, english = (sum(word in small_words for word in words) for small_words in _SMALL_WORDS.values())
    return None if french == english else "fr" if french > english else "en"


def accept_language(candidate: str | None) -> Language:
    """Returns the language of a call. A call without one is answered in French."""
    return "en" if candidate == "en" else "fr"
