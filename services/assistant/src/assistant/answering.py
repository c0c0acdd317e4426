"""Has the answer written: by the model where the policy and the settings allow it, else, or when it fails, by the "
"rules."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import NamedTuple

from assistant.models.base import Brief, ChatModel, ModelFailed, Passage, Usage
from assistant.models.rules import RulesModel
from assistant.text import Text

log = logging.getLogger(__name__)


class Notice(NamedTuple):
    """Something that the partner is told beside the answer."""

    code: str
    detail: Text


@dataclass(frozen=True)
class Delta:
    """One sentence more."""

    text: str


@dataclass(frozen=True)
class Reset:
    """The deltas so far are void: the rules start over."""

    reason: Text


@dataclass
class Answer:
    """The whole answer, and who wrote it."""

    text: str = ""
    grounded_on: tuple[str, ...] = ()
    provider: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    notices: tuple[Notice, ...] = ()


MODEL_MISSING = Notice(
    "model_unavailable",
    Text(
        "Aucun modèle de langage n'est configuré : la réponse est rédigée à partir des règles.",
        "No language model is set up: the answer is written from the rules.",
    ),
)
_FAILURES = {
    "model_failed": Text(
        "Le modèle de langage n'a pas répondu comme attendu : la réponse est rédigée à partir des règles.",
        "The language model did not answer as expected: the answer is written from the rules.",
    ),
    "model_timeout": Text(
        "Le modèle de langage n'a pas répondu à temps : la réponse est rédigée à partir des règles.",
        "The language model did not answer in time: the answer is written from the rules.",
    ),
    "model_ungrounded": Text(
        "Le modèle de langage a affirmé ce que les faits n'établissent pas : la réponse est rédigée à partir des "
        "règles.",
        "The language model stated what the facts do not bear: the answer is written from the rules.",
    ),
    "token_limit_reached": Text(
        "L'allocation de la clé ne suffit pas au modèle de langage : la réponse est rédigée à partir des règles.",
        "The key's allowance does not suffice for the language model: the answer is written from the rules.",
    ),
}


async def write_answer(brief: Brief, model: ChatModel | None) -> AsyncGenerator[Delta | Reset | Answer]:
    """Yields deltas, a reset where the model failed after some, and the whole answer last.

    `model` is None where the rules alone may write. Tokens that a failed model spent stay counted.
    """
    answer = Answer()
    if model is not None:
        try:
            async with aclosing(_written_by(model, brief, answer)) as parts:
                async for part in parts:
                    yield part
        except ModelFailed as failure:
            log.warning("model failed", extra={"code": failure.code, "reason": str(failure), "model": model.name})
            notice = Notice(failure.code, _FAILURES[failure.code])
            if answer.text:
                yield Reset(notice.detail)
            answer = Answer(usage=failure.usage, notices=(notice,))
        else:
            yield answer
            return
    async for part in _written_by(RulesModel(), brief, answer):
        yield part
    yield answer


async def _written_by(model: ChatModel, brief: Brief, answer: Answer) -> AsyncGenerator[Delta]:
    answer.provider, answer.model = model.provider, model.name
    grounds: dict[str, None] = {}
    async with aclosing(model.write(brief)) as parts:
        async for part in parts:
            if isinstance(part, Passage):
                answer.text += part.text
                grounds.update(dict.fromkeys(part.grounded_on))
                yield Delta(part.text)
            else:
                spent = answer.usage
                answer.usage = Usage(spent.input_tokens + part.input_tokens, spent.output_tokens + part.output_tokens)
    order = [check.code for check in brief.assessment.checks]
    answer.grounded_on = tuple(code for code in order if code in grounds)
