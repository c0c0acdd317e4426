"""Writes the answer from the rules and, if there is a language model, puts its facts into the model's words."""

import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.models.base import Brief, Meter, ModelFailed, Passage
from assistant.models.rules import PROVIDER, RULES_NAME, passages
from assistant.writing.facts import facts_of
from assistant.writing.writer import Writer
from servicekit.languages import Text
from servicekit.parts import Attempt

if TYPE_CHECKING:
    from assistant.models.openai_chat import OpenAIChat

log = logging.getLogger(__name__)

_MODEL = Text("le texte du modèle de langage", "the language model's text")


@dataclass
class Answer:
    """The text so far, who wrote it and what it cost."""

    text: str = ""
    grounded_on: tuple[str, ...] = ()
    provider: str = ""
    model: str = ""
    meter: Meter = field(default_factory=Meter)
    notices: tuple[str, ...] = ()
    """The codes of warnings that go to the partner with the answer."""


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
    "model_not_used": Text(
        "Le texte du modèle de langage n’a pas été retenu : la réponse est rédigée à partir des règles.",
        "The language model's text was not kept: the answer is written from the rules.",
    ),
    "token_limit_reached": Text(
        "L’allocation de la clé ne suffit pas au modèle de langage : la réponse est rédigée à partir des règles.",
        "The key's allowance does not suffice for the language model: the answer is written from the rules.",
    ),
}
"""Every warning of the assistant, by code."""


async def write_answer(brief: Brief, model: "OpenAIChat | None", answer: Answer) -> AsyncGenerator[str]:
    """Yields the sentences of the rules' answer at once. Then a language model may put its facts into other words.

    `answer` is updated as the text is written, so that the caller has the writer and the cost even if it stops early.
    The rules write alone if `model` is None, if it fails, or if no fact answers the questions. Tokens that a failed
    model used stay counted.
    """
    answer.provider, answer.model = PROVIDER, RULES_NAME
    cited: list[Passage] = []
    for passage in passages(brief):
        cited.append(passage)
        answer.text += passage.text
        yield passage.text
    _finish(answer, cited, brief)
    if model is None or not (facts := facts_of(brief)):
        return
    code = "model_failed"
    with Attempt(_MODEL):
        try:
            writer = Writer(model, brief.prompt, facts, brief.language)
            written = await writer.write(answer.meter, brief.token_limit)
        except ModelFailed as failure:
            code = failure.code
            log.warning("model failed", extra={"code": code, "reason": str(failure), "model": model.name})
        else:
            answer.provider, answer.model = model.provider, model.name
            _finish(answer, list(passages(brief, written)), brief)
            return
    answer.notices = (code,)


def _finish(answer: Answer, written: Sequence[Passage], brief: Brief) -> None:
    answer.text = "".join(passage.text for passage in written)
    cited = {code for passage in written for code in passage.grounded_on}
    answer.grounded_on = tuple(check.code for check in brief.assessment.checks if check.code in cited)
