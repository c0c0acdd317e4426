"""Reads a prompt file and fills its variables. Undeclared and missing variables are errors."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

DIVIDE_LAND = "divide-land"
DIVIDE_LAND_VERSION = "1.1.0"

_VARIABLE = re.compile(r"\{\{\s*([a-z_]*)\s*\}\}")
_NAME = re.compile(r"[a-z0-9.-]+")


class PromptError(Exception):
    """A prompt does not exist, is malformed, or gets the wrong variables."""


@dataclass(frozen=True)
class Message:
    """One message of a chat: `role` is system or user."""

    role: str
    content: str


@dataclass(frozen=True)
class Prompt:
    id: str
    version: str
    variables: frozenset[str]
    default_question: str
    templates: tuple[Message, ...]

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The messages with the values of the variables. Variables inside a value are not replaced.

        Raises PromptError if a variable is missing or unknown.
        """
        if wrong := set(values) ^ self.variables:
            raise PromptError(f"{self.id} {self.version}: variables missing or unknown: {', '.join(sorted(wrong))}")
        return tuple(
            Message(template.role, _VARIABLE.sub(lambda match: values[match[1]], template.content))
            for template in self.templates
        )


def load_prompt(prompt_id: str, version: str, folder: Traversable | None = None) -> Prompt:
    """Reads one version of a prompt from the package, or from `folder`.

    Raises PromptError if the version does not exist, or if declared and used variables differ.
    """
    name = f"{prompt_id} {version}"
    if not (_NAME.fullmatch(prompt_id) and _NAME.fullmatch(version)):
        raise PromptError(f"{name}: not a prompt's name")
    root = folder or resources.files("assistant.prompts") / "files"
    try:
        content = tomllib.loads((root / prompt_id / f"{version}.toml").read_text(encoding="utf-8"))
        variables = frozenset(content["variables"])
        question = str(content["default_question"])
        templates = tuple(Message(role, content["messages"][role].strip()) for role in ("system", "user"))
    except FileNotFoundError:
        raise PromptError(f"{name}: no such prompt") from None
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        raise PromptError(f"{name}: malformed: {error}") from error
    used = {match for template in templates for match in _VARIABLE.findall(template.content)}
    if wrong := used ^ variables:
        raise PromptError(f"{name}: variables unknown or never used: {', '.join(sorted(wrong))}")
    return Prompt(prompt_id, version, variables, question, templates)
