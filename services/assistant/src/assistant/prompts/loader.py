"""Reads a prompt file and fills its variables."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

_ID, _VERSION = "divide-land", "1.1.0"
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
    templates: tuple[Message, ...]

    @property
    def variables(self) -> set[str]:
        return {name for template in self.templates for name in _VARIABLE.findall(template.content)}

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The messages with the values of the variables. Variables inside a value are not replaced."""
        return tuple(
            Message(template.role, _VARIABLE.sub(lambda match: values[match[1]], template.content))
            for template in self.templates
        )


def load_prompt() -> Prompt:
    """Reads the prompt from its file."""
    file = resources.files("assistant.prompts") / "files" / _ID / f"{_VERSION}.toml"
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    templates = tuple(Message(role, content["messages"][role].strip()) for role in ("system", "user"))
    return Prompt(_ID, _VERSION, content["default_question"], templates)
