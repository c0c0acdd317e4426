"""Reads the number of lots in a question. The rules use nothing else of the question."""

import re
from dataclasses import dataclass

from assistant.division.proposal import DEFAULT_LOT_COUNT, MAX_LOT_COUNT
from assistant.text import say
from servicekit.languages import Text

MAX_QUESTION_LENGTH = 2000

_WORDS = {
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9, "dix": 10,
    "two": 2, "three": 3, "four": 4, "five": 5, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_NUMBER = rf"(?P<number>\d{{1,3}}|{'|'.join(_WORDS)})"
_KIND = (
    r"(?:nouveaux |petits |new |building |beaux )?(?:lots?|parcelles?|terrains?|parts?|parties|plots?|parcels?|pieces?)"
)
_COUNTED = re.compile(rf"\b{_NUMBER} {_KIND}\b")
_DIVIDED = re.compile(
    rf"\b(?:divis\w*|partag\w*|coup\w*|d[ée]coup\w*|s[ée]par\w*|split\w*|divid\w*|cut\w*)\b[^.?!]{{0,60}}?"
    rf"\b(?:en|in|into) {_NUMBER}\b(?! ?(?:m|m2|m²|ans|mois|years|months|days|jours|%))"
)


@dataclass(frozen=True)
class LotCount:
    """The number of lots to draw, and the number that the question requests, if any."""

    drawn: int
    requested: int | None = None

    def limitation(self) -> Text | None:
        """A sentence for the answer if the two numbers differ."""
        if self.requested is None or self.requested == self.drawn:
            return None
        return say(
            "La question demande {asked} lots ; l'étude en dessine {least} à {most}, ici {taken}.",
            "The question asks for {asked} lots; the study draws {least} to {most}, here {taken}.",
            asked=self.requested,
            least=DEFAULT_LOT_COUNT,
            most=MAX_LOT_COUNT,
            taken=self.drawn,
        )


def parse_lot_count(question: str) -> LotCount:
    """Reads the first number of lots in the question, such as "diviser en 3 lots" or "split it in two"."""
    text = re.sub(r"\s+", " ", question.casefold())
    found = _COUNTED.search(text) or _DIVIDED.search(text)
    if found is None:
        return LotCount(DEFAULT_LOT_COUNT)
    number = found["number"]
    requested = int(number) if number.isdigit() else _WORDS[number]
    return LotCount(min(max(requested, DEFAULT_LOT_COUNT), MAX_LOT_COUNT), requested)
