"""The language of an answer, French or English, from the client's Accept-Language. The default is French."""

from edge.quality_values import quality_values
from servicekit.languages import Language


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
