"""Has a language model choose among the cards of law that are nearest to an ask: the messages, and what counts."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.law.asks import MOST_CARDS
from assistant.law.cards import Card, load_cards
from assistant.law.finder import candidates
from assistant.models.base import json_object
from assistant.prompts.loader import Message
from assistant.questions.answers import OpenAsk
from assistant.text import read_table

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "choices": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "ask": {"type": "integer"},
                    "cards": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_CARDS},
                    "left": {"type": "string"},
                },
                "required": ["ask", "cards", "left"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["choices"],
    "additionalProperties": False,
}
LEAST_WORDS = 2
"""What an ask leaves open is named from so many words on."""
RESPONSE_FORMAT: dict[str, Any] = {"type": "json_schema", "json_schema": {"name": "choices", "schema": SCHEMA}}


def choice_messages(question: str, asks: Sequence[OpenAsk], *, is_structured: bool = True) -> tuple[Message, ...]:
    """The messages for servers that take a JSON schema and for others. Each ask has its twelve best cards."""
    table = read_table("models/choice.toml")
    system = table["system"].strip()
    if not is_structured:
        system += f"\n\n{table['unstructured']}\n{json.dumps(SCHEMA)}"
    data = {
        "text": question,
        "asks": [
            {
                "ask": number,
                "words": ask.words,
                **({"facts": ask.facts} if ask.facts else {}),
                "cards": [*map(_shown, _offered(ask))],
            }
            for number, ask in enumerate(asks, 1)
        ],
    }
    return Message("system", system), Message("user", f"<asks>\n{json.dumps(data, ensure_ascii=False)}\n</asks>")


def read_choice(answer: str, asks: Sequence[OpenAsk]) -> Mapping[str, tuple[Card, ...]]:
    """The chosen cards by the words of the ask, and none for words of it that they leave open. An entry counts only if
    all its cards were offered for its ask.
    """
    entries = (json_object(answer) or {}).get("choices")
    chosen: dict[str, tuple[Card, ...]] = {}
    for entry in entries if isinstance(entries, list) else ():
        number, ids = (entry.get("ask"), entry.get("cards")) if isinstance(entry, dict) else (None, None)
        if type(number) is not int or not 1 <= number <= len(asks) or not isinstance(ids, list):
            continue
        ask = asks[number - 1]
        offered = {card.id for card in _offered(ask)}
        if len(ids) <= MOST_CARDS and all(isinstance(card_id, str) and card_id in offered for card_id in ids):
            chosen[ask.words] = tuple(load_cards()[card_id] for card_id in dict.fromkeys(ids))
            left = entry.get("left")
            if ids and isinstance(left, str) and len(left.split()) >= LEAST_WORDS and left in ask.words:
                chosen.setdefault(left.strip(), ())
    return chosen


def _offered(ask: OpenAsk) -> list[Card]:
    return [candidate.card for candidate in candidates(ask.text, ask.story, ask.subjects)]


def _shown(card: Card) -> dict[str, str]:
    return {"id": card.id, "says": card.says.en, "not": card.near_miss.en}
