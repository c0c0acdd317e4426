"""Answers that a strong language model gave to messages of the service, stored as they came."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from assistant.prompts.loader import Message, load_prompt
from assistant.writing.facts import Fact, shown
from servicekit.languages import Language

FILE = Path(__file__).parent / "writing" / "recordings.jsonl"
LANGUAGE_NAMES = {"fr": "French", "en": "English"}


class Recording(NamedTuple):
    id: int
    language: Language
    facts: tuple[Fact, ...]
    digest: str
    """Of the messages that were answered."""
    answer: str

    @property
    def messages(self) -> tuple[Message, ...]:
        return load_prompt().fill("write", language=LANGUAGE_NAMES[self.language], facts=shown(self.facts))

    @property
    def sentences(self) -> list[tuple[str, list[Fact]]]:
        """The sentences of the answer, each with its facts."""
        by_id = {fact.id: fact for fact in self.facts}
        answer = json.loads(self.answer[self.answer.index("{") : self.answer.rindex("}") + 1])
        return [
            (entry["text"], [by_id[id_] for id_ in entry["facts"] if id_ in by_id]) for entry in answer["sentences"]
        ]


def recordings() -> Iterator[Recording]:
    for line in FILE.read_text(encoding="utf-8").splitlines():
        members: dict[str, Any] = json.loads(line)
        facts = tuple(Fact(**{**fact, "legal_refs": tuple(fact["legal_refs"])}) for fact in members.pop("facts"))
        yield Recording(facts=facts, **members)


def digest_of(messages: tuple[Message, ...]) -> str:
    return sha256("\n".join(message.content for message in messages).encode()).hexdigest()
