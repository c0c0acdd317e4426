"""The languages of answers, and texts in both.

A service reads the language of each call from its metadata. Outside of a call, texts are for operators: English.
"""

import re
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


_BREAKING_SPACE = re.compile(r"(?<=\S) (?=[;!?%€»](?!\w)|:(?![\w:/-]))|(?<=«) |(?<=\d) (?=\d{3}(?!\d))")


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


def accept_language(candidate: str | None) -> Language:
    """Returns the language of a call. A call without one is answered in French."""
    return "en" if candidate == "en" else "fr"
