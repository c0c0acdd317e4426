"""The choice of a language and of a media type by the headers of a request (RFC 9110 §12)."""

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import cast, get_args

from starlette.requests import Request

from edge.problems import Problem
from servicekit.languages import Language, Text

JSON = "application/json"
MAX_HEADER = 500
_ANY_JSON = re.compile(r"application/([\w.-]+\+)?json")


def negotiate(header: str | None, default: Language = "fr") -> Language:
    """The language of an answer, by Accept-Language. Ignores the parts of the header that it cannot parse."""
    weights = ((tag.partition("-")[0], weight) for tag, weight in quality_values(header or "").items())
    ours = ((language, weight) for language, weight in weights if language in get_args(Language) and weight)
    return cast(Language, max(ours, key=itemgetter(1), default=(default, 0.0))[0])


def names_language(header: str | None) -> bool:
    """Whether Accept-Language names one of our languages: the answer is the same whatever the default is."""
    return negotiate(header, "fr") == negotiate(header, "en")


def chosen_media_type(request: Request, offered: Sequence[str], default: str) -> str:
    """The offered media type that Accept weighs most (RFC 9110 §12.5.1); at a tie the default, then the first.

    A client that names JSON takes each format of JSON as the default. Raises Problem: not_acceptable if Accept takes
    none of them.
    """
    weights = quality_values(request.headers.get("accept") or "*/*")
    best = max(offered, key=lambda media_type: (_weight_of(media_type, weights), media_type == default))
    if _weight_of(best, weights):
        return best
    if _ANY_JSON.fullmatch(default) and any(_ANY_JSON.fullmatch(name) and weight for name, weight in weights.items()):
        return default
    raise Problem(
        "not_acceptable",
        Text(
            "Accept doit nommer l’un de ces formats : {offered}.", "Accept must name one of these formats: {offered}."
        ).format(offered=", ".join(offered)),
    )


def _weight_of(media_type: str, weights: Mapping[str, float]) -> float:
    """The weight of the most specific range that has the media type."""
    ranges = (media_type, media_type.partition("/")[0] + "/*", "*/*")
    return next((weights[name] for name in ranges if name in weights), 0.0)


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
