"""Writes the answer with the language model or, if there is none or it fails, from the rules."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import NamedTuple

from assistant.models.base import Brief, ChatModel, Meter, ModelFailed
from assistant.models.rules import RulesModel
from servicekit.languages import Text
from servicekit.parts import Attempt

log = logging.getLogger(__name__)

_MODEL = Text("le texte du modèle de langage", "the language model's text")


class Notice(NamedTuple):
    """A warning that goes to the partner with the answer."""

    code: str
    detail: Text


@dataclass(frozen=True)
class Delta:
    """One sentence of the answer, as it is streamed."""

    text: str


@dataclass(frozen=True)
class Reset:
    """The client must discard the deltas so far. The rules write a new answer."""

    reason: Text


@dataclass
class Answer:
    """The text so far, who wrote it and what it cost."""

    text: str = ""
    grounded_on: tuple[str, ...] = ()
    provider: str = ""
    model: str = ""
    meter: Meter = field(default_factory=Meter)
    notices: tuple[Notice, ...] = ()


NOTICES = {
    "part_failed": Text(
        "À cause d’un défaut du service, il manque à la réponse : {part}.",
        "Because of a defect of the service, the answer lacks: {part}.",
    ),
    "model_unavailable": Text(
        "Aucun modèle de langage n’est configuré : la réponse est rédigée à partir des règles.",
        "No language model is set up: the answer is written from the rules.",
    ),
    "model_failed": Text(
        "Le modèle de langage n’a pas répondu comme attendu : la réponse est rédigée à partir des règles.",
        "The language model did not answer as expected: the answer is written from the rules.",
    ),
    "model_timeout": Text(
        "Le modèle de langage n’a pas répondu à temps : la réponse est rédigée à partir des règles.",
        "The language model did not answer in time: the answer is written from the rules.",
    ),
    "model_ungrounded": Text(
        "Le modèle de langage a affirmé ce que les faits n’établissent pas : la réponse est rédigée à partir des "
        "règles.",
        "The language model stated what the facts do not bear: the answer is written from the rules.",
    ),
    "token_limit_reached": Text(
        "L’allocation de la clé ne suffit pas au modèle de langage : la réponse est rédigée à partir des règles.",
        "The key's allowance does not suffice for the language model: the answer is written from the rules.",
    ),
}
"""Every warning of the assistant, by code."""
MODEL_MISSING = Notice("model_unavailable", NOTICES["model_unavailable"])


async def write_answer(brief: Brief, model: ChatModel | None, answer: Answer) -> AsyncGenerator[Delta | Reset]:
    """Yields the deltas, and a reset if the model fails after the first one.

    `answer` is updated as the text is written, so that the caller has the writer and the cost even if it stops early.
    If `model` is None, or if no fact answers the questions, only the rules write. Tokens that a failed model used stay
    counted.
    """
    if model is not None and (brief.replies.is_general or brief.replies.answered):
        code = "model_failed"
        with Attempt(_MODEL):
            try:
                async with aclosing(_write_with(model, brief, answer)) as parts:
                    async for part in parts:
                        yield part
            except ModelFailed as failure:
                code = failure.code
                log.warning("model failed", extra={"code": code, "reason": str(failure), "model": model.name})
            else:
                return
        notice = Notice(code, NOTICES[code])
        if answer.text:
            yield Reset(notice.detail)
        answer.text, answer.notices = "", (notice,)
    async for part in _write_with(RulesModel(), brief, answer):
        yield part


async def _write_with(model: ChatModel, brief: Brief, answer: Answer) -> AsyncGenerator[Delta]:
    answer.provider, answer.model = model.provider, model.name
    cited: set[str] = set()
    async with aclosing(model.write(brief, answer.meter)) as passages:
        async for passage in passages:
            answer.text += passage.text
            cited.update(passage.grounded_on)
            yield Delta(passage.text)
    order = [check.code for check in brief.assessment.checks]
    answer.grounded_on = tuple(code for code in order if code in cited)
