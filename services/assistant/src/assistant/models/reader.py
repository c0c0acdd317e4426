"""Has a language model read a text, and choose cards of law. It gets a JSON schema, and neither facts nor tools."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import openai

from assistant.models.base import Meter, Usage, estimate_tokens
from assistant.models.choice import RESPONSE_FORMAT, choice_messages
from assistant.models.openai_chat import BROKEN, OpenAIChat
from assistant.models.reader_messages import messages_for, response_format
from assistant.prompts.loader import Message
from assistant.questions.answers import OpenAsk
from servicekit.context import remaining_s

log = logging.getLogger(__name__)

_ANSWER_RESERVE_S = 1.0
"""Part of the deadline that is reserved for the answer."""
_MOST_OUTPUT_TOKENS = 2_000
_REFUSALS = (400, 404, 415, 422)
"""With these statuses servers refuse an unknown `response_format`."""


class ModelReader:
    """Reads with a server of the chat-completions protocol."""

    def __init__(self, chat: OpenAIChat, timeout_s: float) -> None:
        self._chat = chat
        self._timeout_s = timeout_s
        self._takes_schema = True
        """False after the server refused a schema and answered without one."""

    async def read(self, text: str, meter: Meter, token_limit: int | None = None) -> str:
        """Returns what the text says, as `reader_messages` asks for it, unchecked."""
        return await self._ask(partial(messages_for, text), response_format(), meter, token_limit)

    async def choose(self, question: str, asks: Sequence[OpenAsk], meter: Meter, token_limit: int | None = None) -> str:
        """Returns which cards answer the asks, as `choice` asks for it, unchecked."""
        return await self._ask(partial(choice_messages, question, asks), RESPONSE_FORMAT, meter, token_limit)

    async def _ask(
        self, messages_of: Callable[..., tuple[Message, ...]], form: dict[str, Any], meter: Meter,
        token_limit: int | None,
    ) -> str:  # fmt: skip
        """Returns the answer of the model. It is empty if the server is slow or wrong, or if the key's limit of tokens
        is too small. Adds the tokens to `meter`, also if the call is cancelled.
        """
        remaining = remaining_s()
        timeout_s = self._timeout_s if remaining is None else min(self._timeout_s, remaining - _ANSWER_RESERVE_S)
        ends = time.monotonic() + timeout_s
        options = [True, False] if self._takes_schema else [False]
        for is_structured in options:
            messages = messages_of(is_structured=is_structured)
            sent_form = form if is_structured else None
            most = _MOST_OUTPUT_TOKENS
            if token_limit is not None:
                most = min(most, token_limit - _prompt_tokens(messages, sent_form))
            left_s = ends - time.monotonic()
            if most <= 0 or left_s <= 0:
                break
            try:
                answer = await self._call(messages, most, left_s, meter, sent_form)
            except openai.APIStatusError as error:
                log.warning("text not read by the model", extra={"reason": f"the server answered {error.status_code}"})
                if error.status_code not in _REFUSALS:
                    break
            except (TimeoutError, *BROKEN) as error:
                log.warning("text not read by the model", extra={"reason": type(error).__name__})
                break
            else:
                self._takes_schema = is_structured
                return answer
        return ""

    async def _call(
        self,
        messages: tuple[Message, ...],
        most_tokens: int,
        timeout_s: float,
        meter: Meter,
        form: dict[str, Any] | None,
    ) -> str:
        """One call. Raises TimeoutError and BROKEN."""
        sent = Usage(_prompt_tokens(messages, form), 0, is_estimated=True)
        used = Usage()
        try:
            parameters = {} if form is None else {"response_format": form}
            completion = await self._chat.create(messages, most_tokens, timeout_s, **parameters)
            answer = completion.choices[0].message.content or ""
            reported = completion.usage
            used = (
                sent._replace(output_tokens=estimate_tokens(answer))
                if reported is None
                else Usage(reported.prompt_tokens, reported.completion_tokens)
            )
        except (TimeoutError, asyncio.CancelledError, openai.APITimeoutError):
            used = sent  # the server may have read the text
            raise
        finally:
            meter.add(used)
        return answer


def _prompt_tokens(messages: tuple[Message, ...], form: dict[str, Any] | None) -> int:
    schema = "" if form is None else str(form)
    return sum(estimate_tokens(message.content) for message in messages) + estimate_tokens(schema)
