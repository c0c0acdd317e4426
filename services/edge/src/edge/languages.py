"""The language of an answer, French or English, from the client's Accept-Language. The default is French."""

from contextvars import ContextVar
from typing import Literal, NamedTuple

from edge.quality_values import quality_values

Language = Literal["fr", "en"]

language: ContextVar[Language] = ContextVar("language", default="fr")


class Text(NamedTuple):
    """A sentence in both languages."""

    fr: str
    en: str

    def __str__(self) -> str:
        """The text in the language of the current request."""
        return self.en if language.get() == "en" else self.fr


def negotiate(header: str | None, default: Language = "fr") -> Language:
    """The preferred language of the two. Ignores the parts of the header that it cannot parse."""
    if not header:
        return default
    best = default
    best_weight = 0.0
    for tag, weight in quality_values(header).items():
        code = tag.partition("-")[0]
        if code in ("fr", "en") and weight > best_weight:
            best, best_weight = ("en" if code == "en" else "fr"), weight
    return best
