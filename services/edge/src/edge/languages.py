"""French or English, as the client's Accept-Language asks; French where it does not say."""

from contextvars import ContextVar
from typing import Literal, NamedTuple

from edge.weights import weights

Language = Literal["fr", "en"]

language: ContextVar[Language] = ContextVar("language", default="fr")


class Text(NamedTuple):
    """A sentence in both languages."""

    fr: str
    en: str

    def __str__(self) -> str:
        """In the language of the request at hand."""
        return self.en if language.get() == "en" else self.fr


def negotiate(header: str | None) -> Language:
    """The preferred one of the two. The header is read leniently: what cannot be read is passed over."""
    if not header:
        return "fr"
    best: Language = "fr"
    best_weight = 0.0
    for tag, weight in weights(header).items():
        code = tag.partition("-")[0]
        if code in ("fr", "en") and weight > best_weight:
            best, best_weight = ("en" if code == "en" else "fr"), weight
    return best
