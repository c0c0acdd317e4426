"""The input of the writers of answers, and what they return."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assistant.assessment.result import Assessment, Procedure
from assistant.changes import Change
from assistant.division.proposal import Division, Site
from assistant.division.wording import Assumption
from assistant.project import Project
from assistant.prompts.loader import Prompt
from assistant.questions.answers import Choice, Replies
from assistant.reading.wishes import Heard, Wish
from servicekit.languages import Language, Text


@dataclass(frozen=True, kw_only=True)
class Study:
    """What a study of a land unit finds."""

    site: Site | None = None
    """The land that is divided; None if it has no outline."""
    assessment: Assessment
    division: Division
    assumptions: tuple[Assumption, ...]
    replies: Replies
    replies_with: Callable[[Choice], Replies]
    """Answers the questions anew with the cards of law that a language model has chosen for asks."""
    other_procedures: tuple[Procedure, ...] = ()
    """The procedure of each proposal after the first."""
    changes: tuple[Change, ...] = ()
    project: Project = Project()  # noqa: RUF009 (frozen)
    """The project as understood."""
    wishes: tuple[Wish, ...] = ()
    heard: Heard = Heard()  # noqa: RUF009 (immutable)

    @property
    def headline(self) -> Text:
        """The first sentence of the study, in the form for a text about a division or for any other."""
        is_asked = self.project.tells_lots or self.replies.is_of_division
        return self.assessment.summary if is_asked else self.assessment.beside


@dataclass(frozen=True, kw_only=True)
class Brief(Study):
    """The input of a writer: a study, and how to write about it."""

    question: str
    language: Language
    prompt: Prompt
    token_limit: int | None = None
    """Maximum of the input and output tokens of all calls for the answer; None is no limit."""
    names: tuple[str, ...] = ()
    """Texts of publishers that may stand in the facts. A language model does not get them."""


class Passage(NamedTuple):
    """A sentence with its trailing white space, and the codes of the checks and facts that it cites."""

    text: str
    grounded_on: tuple[str, ...]


class Written(NamedTuple):
    """Passages about facts, and the sentences of the rules that they replace."""

    passages: tuple[Passage, ...] = ()
    replaced: frozenset[str] = frozenset()


class Usage(NamedTuple):
    """Tokens used."""

    input_tokens: int = 0
    output_tokens: int = 0
    is_estimated: bool = False
    """The server reported no usage, so the tokens are an estimate from the texts sent and received."""


@dataclass
class Meter:
    """The usage of one answer. The caller owns it, so that it can also read the usage of a cancelled call."""

    usage: Usage = field(default_factory=Usage)

    def add(self, usage: Usage) -> None:
        spent = self.usage
        self.usage = Usage(
            spent.input_tokens + usage.input_tokens,
            spent.output_tokens + usage.output_tokens,
            spent.is_estimated or usage.is_estimated,
        )

    def left(self, token_limit: int | None) -> int | None:
        """What is left of the limit of the answer; None if there is none."""
        spent = self.usage.input_tokens + self.usage.output_tokens
        return None if token_limit is None else max(0, token_limit - spent)


class ModelFailed(Exception):
    """A model gave no usable answer. `code` is the code of the warning."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def json_object(text: str) -> dict[str, Any] | None:
    """The JSON object of an answer, which may stand in a frame of words; None if there is none."""
    with suppress(ValueError, RecursionError):
        value = json.loads(text[text.index("{") : text.rindex("}") + 1])
        return value if isinstance(value, dict) else None
    return None


_LONG = 6
"""Letters of a word that common tokenizers have as one token."""
_WEIGHTS = (
    (re.compile(r"[^\W\d_]+"), 1.0),
    (re.compile(rf"(?<=[^\W\d_]{{{_LONG}}})[^\W\d_]"), 0.1),
    (re.compile(r"(?![a-zA-Z])[^\W\d_]"), 1.1),
    (re.compile(r"\d{1,3}"), 1.8),
    (re.compile(r"[^\w\s]+|_"), 1.1),
    (re.compile(r"\n+"), -0.5),
)
"""What each match adds to the number of tokens: a word, a letter after the sixth of a word, a letter that is not ASCII,
up to three digits, a run of punctuation, and a run of line ends. Fitted to French and English prompts, texts and JSON
with cl100k and Tekken, whose counts differ by up to 7 %.
"""


def estimate_tokens(text: str) -> int:
    """Returns about as many tokens as common tokenizers make of a text: within 5 % over several calls."""
    return max(0, round(sum(weight * sum(1 for _ in pattern.finditer(text)) for pattern, weight in _WEIGHTS)))
