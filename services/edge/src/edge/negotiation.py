"""The choice of a language and of a media type by the headers of a request (RFC 9110 §12)."""

from collections.abc import Collection

from starlette.requests import Request

from servicekit.languages import Language

MAX_HEADER = 500


def negotiate(header: str | None, default: Language = "fr") -> Language:
    """The language of an answer, by Accept-Language. Ignores the parts of the header that it cannot parse."""
    best = default
    best_weight = 0.0
    for tag, weight in quality_values(header or "").items():
        code = tag.partition("-")[0]
        if code in ("fr", "en") and weight > best_weight:
            best, best_weight = ("en" if code == "en" else "fr"), weight
    return best


def chosen_media_type(request: Request, offered: Collection[str], default: str) -> str:
    """The offered media type that Accept prefers, or the default."""
    weights = quality_values(request.headers.get("accept", ""))
    best = max(offered, key=lambda media_type: (weights.get(media_type, 0.0), media_type == default))
    return best if weights.get(best) else default


def quality_values(header: str) -> dict[str, float]:
    """Each name in lower case with its weight, 0 to 1. A repeated name gets its greatest weight.

    A weight that cannot be parsed counts as 0.
    """
    weights: dict[str, float] = {}
    for part in header[:MAX_HEADER].split(","):
        name, _, parameters = part.partition(";")
        name = name.strip().lower()
        if name:
            weights[name] = max(_weight(parameters), weights.get(name, 0.0))
    return weights


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return min(max(float(value), 0.0), 1.0)
    except ValueError:
        return 0.0
