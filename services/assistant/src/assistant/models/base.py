"""The protocol of everything that writes an answer."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Assessment
from assistant.division.proposal import Division
from assistant.division.wording import Assumption
from assistant.prompts.loader import Prompt
from assistant.text import Language


@dataclass(frozen=True)
class Brief:
    """All that an answer may draw on. The question is data: it never instructs."""

    question: str
    language: Language
    prompt: Prompt
    facts: LandFacts
    assessment: Assessment
    division: Division
    assumptions: tuple[Assumption, ...]
    token_limit: int | None = None
    """Tokens that the answer may cost, both ways; None is no limit."""


class Passage(NamedTuple):
    """A sentence, with the white space that follows it, and the codes of the checks that it rests on."""

    text: str
    grounded_on: tuple[str, ...]


class Usage(NamedTuple):
    """Tokens spent."""

    input_tokens: int = 0
    output_tokens: int = 0


class ModelFailed(Exception):
    """A model could not write the answer, or wrote what the facts do not bear. `code` is a warning's code."""

    def __init__(self, code: str, reason: str, usage: Usage = Usage()) -> None:  # noqa: B008 (immutable)
        super().__init__(reason)
        self.code = code
        self.usage = usage


class ChatModel(Protocol):
    """Writes answers. `provider` and `name` go on record."""

    provider: str
    name: str

    def write(self, brief: Brief) -> AsyncGenerator[Passage | Usage]:
        """Yields the answer sentence by sentence, then what it cost. Raises ModelFailed."""
        ...
