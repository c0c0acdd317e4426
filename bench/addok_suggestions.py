"""Compares the suggestions of this service with those of addok, for addresses that are being typed."""

import json
import random
import urllib.parse
from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any

from contestants import Contestant, Ours
from load_generator import Call, Clients
from measuring import Figures

from attacks import request

SUGGESTIONS = 5
SHORTEST = 3
"""Characters of the shortest text, as pages ask for suggestions."""
CLIENTS = 8

Address = dict[str, Any]
Case = dict[str, Any]
Ask = Callable[[str], Call]
Read = Callable[[bytes], Sequence[Address]]
IsRight = Callable[[Case, Address], bool]


def ask_us(service: Ours, text: str) -> Call:
    query = urllib.parse.urlencode({"q": text, "limit": SUGGESTIONS})
    return Call(request(f"/api/v1/addresses/suggest?{query}", method="GET", x_api_key=service.secret))


def read_ours(body: bytes) -> Sequence[Address]:
    addresses: Sequence[Address] = json.loads(body)["suggestions"]
    return addresses


def ask_addok(text: str) -> Call:
    query = urllib.parse.urlencode({"q": text, "limit": SUGGESTIONS, "autocomplete": "1"})
    return Call(request(f"/search/?{query}", method="GET"))


def measure(
    figures: Figures, contestant: Contestant, cases: Sequence[Case], ask: Ask, read: Read, is_right: IsRight
) -> None:
    """Types the label of each case, letter by letter, and its number and street with an error."""

    def ranks(texts: Sequence[tuple[Case, str]]) -> list[int]:
        """The place of the right address among the suggestions for each text."""
        with Clients(contestant.url, CLIENTS) as clients:
            answers = clients.send((ask(text) for _, text in texts), keep=True).answers
        return [
            next((place for place, address in enumerate(read(body)) if is_right(case, address)), SUGGESTIONS)
            for (case, _), (_, body) in zip(texts, answers, strict=True)
        ]

    typed: dict[str, list[int]] = {"first": [], f"in the first {SUGGESTIONS}": []}
    for case in cases:
        label = case["input"]["label"]
        places = ranks([(case, label[:length]) for length in range(SHORTEST, len(label) + 1)])
        for (_, lengths), least in zip(typed.items(), (0, SUGGESTIONS - 1), strict=True):
            lengths.append(next((at + SHORTEST for at, place in enumerate(places) if place <= least), len(label) + 1))
    for name, lengths in typed.items():
        figures.add(f"typed until street and number are {name}", contestant.name, {"characters": [mean(lengths)]})
    for name, change in (("two letters swapped", _swapped), ("last letter missing", _shortened)):
        choose = random.Random(1)  # noqa: S311 (deterministic)
        places = ranks([(case, change(_street_line(case), choose)) for case in cases])
        for name_of_place, least in zip(typed, (0, SUGGESTIONS - 1), strict=True):
            share = 100 * mean(place <= least for place in places)
            figures.add(f"suggested {name_of_place}, {name}", contestant.name, {"% of cases": [share]})


def _street_line(case: Case) -> str:
    expected = case["expected"]
    return f"{expected['number']}{expected['suffix']} {expected['street']}"


def _swapped(text: str, choose: random.Random) -> str:
    """The text with two different letters swapped that follow each other in its last word."""
    start = text.rindex(" ") + 1
    places = [at for at in range(start, len(text) - 1) if text[at] != text[at + 1]]
    at = choose.choice(places) if places else start
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def _shortened(text: str, _: random.Random) -> str:
    return text[:-1]
