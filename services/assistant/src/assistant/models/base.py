"""The protocol of everything that writes an answer."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
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
    is_estimated: bool = False
    """Counted from the bytes that went over the wire, on the high side: the server told nothing."""


@dataclass
class Meter:
    """What an answer cost. It is the caller's, so that it also tells what a call spent that was cancelled."""

    usage: Usage = field(default_factory=Usage)


class ModelFailed(Exception):
    """A model could not write the answer, or wrote what the facts do not bear. `code` is a warning's code."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class ChatModel(Protocol):
    """Writes answers. `provider` and `name` go on record."""

    provider: str
    name: str

    def write(self, brief: Brief, meter: Meter) -> AsyncGenerator[Passage]:
        """Yields the answer sentence by sentence. Raises ModelFailed.

        Once it has ended, by itself, by failing or because it was closed or cancelled, the meter tells what it cost.
        """
        ...
