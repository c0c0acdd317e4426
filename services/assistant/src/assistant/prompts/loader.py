"""Reads the prompt file and fills the variables of its messages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.text import read_table

_ID, _VERSION = "divide-land", "2.0.0"
_VARIABLE = re.compile(r"\{\{\s*([a-z_]*)\s*\}\}")


@dataclass(frozen=True)
class Message:
    """One message of a chat: `role` is system or user."""

    role: str
    content: str


@dataclass(frozen=True)
class Prompt:
    id: str
    version: str
    default_question: str
    calls: Mapping[str, Mapping[str, str]]
    """The messages of each call, by role."""

    def fill(self, call: str, **values: str) -> tuple[Message, ...]:
        """The messages of a call with the values of the variables. Variables inside a value are not replaced."""
        return tuple(
            Message(role, _VARIABLE.sub(lambda match: values[match[1]], template).strip())
            for role, template in self.calls[call].items()
        )


def load_prompt() -> Prompt:
    """Reads the prompt from its file."""
    content = {**read_table(f"prompts/files/{_ID}/{_VERSION}.toml")}
    return Prompt(_ID, _VERSION, content.pop("default_question"), content)
