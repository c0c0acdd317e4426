"""What an agent gets of the answer of an endpoint: a summary, and the answer without what it has not asked for."""

from collections import deque
from collections.abc import Collection
from typing import Any

import orjson

from contract.messages.schemas import Json

OUTLINES, TEXTS, WHOLE_TEXT = "outlines", "texts", "json"
DETAILS = (OUTLINES, TEXTS, WHOLE_TEXT)
"""What an agent may ask for: outlines, long texts, and the answer as text for a host that shows nothing else."""
_OUTLINES = frozenset({"geometry", "bbox"})
_LONG_TEXT, _CUT_TEXT = 400, 300
"""Characters. Texts such as rules of a plan are longer; the answer to a question is in the summary."""
_MAX_BYTES = 60_000
"""The size of an answer for an agent that asks for no details: less than 25,000 tokens."""
_LIST_LENGTHS = (1_000, 100, 40, 20, 10, 5, 2)
_SUMMARY_CHARACTERS, _SUMMARY_ITEMS = 2_500, 10


def reduced(answer: Json, details: Collection[str]) -> tuple[Json, dict[str, str]]:
    """The answer without what `details` do not name, and by its place what was left out.

    Lists are cut until the answer is short enough, unless the agent asked for details.
    """
    left_out: dict[str, str] = {}
    part = answer
    for length in _LIST_LENGTHS:
        left_out.clear()
        part = _part(answer, details, length, "", left_out)
        if details or len(orjson.dumps(part)) <= _MAX_BYTES:
            break
    return part, left_out


def _part(value: Any, details: Collection[str], length: int, place: str, left_out: dict[str, str]) -> Any:
    match value:
        case dict():
            without = frozenset() if OUTLINES in details else _OUTLINES.intersection(value)
            left_out.update({f"{place}.{name}".lstrip("."): OUTLINES for name in without})
            return {
                name: _part(member, details, length, f"{place}.{name}".lstrip("."), left_out)
                for name, member in value.items()
                if name not in without
            }
        case list():
            if len(value) > length:
                left_out[place] = f"{length} / {len(value)}"
            return [_part(item, details, length, f"{place}[]", left_out) for item in value[:length]]
        case str() if len(value) > _LONG_TEXT and TEXTS not in details:
            left_out[place] = TEXTS
            return f"{value[:_CUT_TEXT]}…"
        case _:
            return value


def summary(answer: Json) -> str:
    """The text of an answer to a question, then the values of the answer, those of its outer members first."""
    reply = answer.get("answer")
    lines = [reply["text"]] if isinstance(reply, dict) and "text" in reply else []
    characters_left, waiting = _SUMMARY_CHARACTERS, deque[tuple[str, Any]]([("", answer)])
    while waiting and characters_left > 0:
        place, value = waiting.popleft()
        match value:
            case None | []:
                continue
            case dict():
                members = [(f"{place}.{name}".lstrip("."), member) for name, member in value.items()]
                waiting.extend(member for member in members if member[0].rpartition(".")[2] not in _OUTLINES)
                continue
            case [dict(), *_]:
                waiting.extend((f"{place}[{number}]", item) for number, item in enumerate(value[:_SUMMARY_ITEMS]))
                line = f"{place}: {len(value)}"
            case list():
                line = f"{place}: {', '.join(map(str, value[:_SUMMARY_ITEMS]))}"
            case str() if len(value) > _CUT_TEXT:
                continue
            case _:
                line = f"{place}: {value}"
        lines.append(line)
        characters_left -= len(line)
    return "\n".join(lines)
