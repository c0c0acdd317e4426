"""French or English, as the client's Accept-Language asks; French where it does not say."""

from contextvars import ContextVar
from typing import Literal, NamedTuple

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
    for part in header[:500].split(","):
        tag, _, parameters = part.partition(";")
        code = tag.strip().lower().partition("-")[0]
        if code not in ("fr", "en"):
            continue
        weight = _weight(parameters)
        if weight > best_weight:
            best, best_weight = ("en" if code == "en" else "fr"), weight
    return best


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return min(max(float(value), 0.0), 1.0)
    except ValueError:
        return 0.0
