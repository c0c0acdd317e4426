"""Why facts are missing, in a few words: the reason that land gives with the coverage of a dataset."""

from assistant.text import Text

_NO_REASON = Text("", "")
_REASONS = {
    "not_loaded": Text(" (données de la commune non chargées)", " (the commune's data is not loaded)"),
    "not_published": Text(" (données non publiées ici)", " (the data is not published here)"),
    "loading": Text(" (données en cours de chargement)", " (the data is being loaded)"),
    "not_drawn": Text(" (terrain sans contour au plan cadastral)", " (the cadastral plan has no outline of it)"),
    "too_many": Text(" (trop d'objets pour être lus)", " (too many objects to be read)"),
    "source_unavailable": Text(" (l'éditeur n'a pas répondu)", " (the publisher did not answer)"),
}


def because(reason: str | None) -> Text:
    """To be put into a sentence after what is missing; empty where no reason is known."""
    return _REASONS.get(reason or "", _NO_REASON)
