"""Calls a language model over the chat-completions protocol."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam

from assistant.models.base import Meter, ModelFailed, Usage, estimate_tokens
from assistant.prompts.loader import Message
from servicekit import tracing
from servicekit.context import remaining_s

log = logging.getLogger(__name__)

CONNECT_S = 5.0
DEFAULT_DEADLINE_S = 25.0
RULES_RESERVE_S = 1.0
"""Part of the deadline that is reserved for the rules as fallback."""
RETRY_AFTER_S = 0.2
_MIN_OUTPUT_TOKENS = 200
_TOO_MANY_REQUESTS, _SERVER_ERROR = 429, 500
BROKEN = (openai.OpenAIError, httpx2.HTTPError, ValueError, TypeError, AttributeError, LookupError)
"""What a call may raise; the built-in ones, because the client does not validate the response."""


@dataclass(frozen=True)
class ChatOptions:
    """Options of a call. `token_parameter` is the server's name for the maximum output. Without streaming,
    `first_words_s` is the time until the whole answer.
    """

    stream: bool = True
    max_output_tokens: int = 1_200
    token_parameter: str = "max_tokens"  # noqa: S105 (a parameter's name)
    first_words_s: float = 3.0


class _Retryable(Exception):
    """The call failed before any text arrived. A retry may succeed."""


@dataclass
class _Attempt:
    """The state of one call: its limits on the monotonic clock, the text, and the usage that the server reports."""

    prompt_tokens: int
    ends: float
    first_words_until: float
    received: str = ""
    finish_reason: str | None = None
    reported: CompletionUsage | None = None
    is_cancelled: bool = False
    """The caller no longer waits for the answer."""

    def left_s(self) -> float:
        """Seconds left until the next words must be there."""
        return max(0.0, (self.ends if self.received else self.first_words_until) - time.monotonic())

    def add(self, chunk: ChatCompletionChunk) -> None:
        self.reported = chunk.usage or self.reported
        for choice in chunk.choices[:1]:
            self.finish_reason = choice.finish_reason or self.finish_reason
            self.received += choice.delta.content or ""

    def usage(self) -> Usage:
        """The usage reported so far, or else an estimate from the texts sent and received.

        A call that failed without any text costs nothing. A cancelled call counts, since the server may have read it.
        """
        if self.reported is not None:
            return Usage(self.reported.prompt_tokens, self.reported.completion_tokens)
        if not self.received and not self.is_cancelled:
            return Usage()
        return Usage(self.prompt_tokens, estimate_tokens(self.received), is_estimated=True)


class OpenAIChat:
    """A language model on any server with the protocol: OpenAI, Mistral, vLLM, Ollama and others."""

    provider = "openai"

    def __init__(
        self, name: str, api_key: str, base_url: str | None = None, options: ChatOptions | None = None
    ) -> None:
        self.name = name
        self._options = options or ChatOptions()
        self._client = openai.AsyncOpenAI(
            api_key=api_key,
            base_url=base_url or "https://api.openai.com/v1",
            max_retries=0,
            timeout=openai.Timeout(DEFAULT_DEADLINE_S, connect=CONNECT_S),
        )

    async def close(self) -> None:
        await self._client.close()

    async def complete(self, messages: Sequence[Message], meter: Meter, token_limit: int | None = None) -> str:
        """Returns the answer to the messages, and adds its usage to the meter, also if it fails. Raises ModelFailed."""
        started, remaining = time.monotonic(), remaining_s()
        ends = started + (DEFAULT_DEADLINE_S if remaining is None else remaining - RULES_RESERVE_S)
        attempt = _Attempt(
            sum(estimate_tokens(message.content) for message in messages),
            ends,
            min(ends, started + self._options.first_words_s),
        )
        max_tokens = self._allowance(token_limit, attempt)
        try:
            await self._answer(messages, max_tokens, attempt)
        except asyncio.CancelledError:
            attempt.is_cancelled = True
            raise
        finally:
            meter.add(attempt.usage())
        return attempt.received

    def _allowance(self, token_limit: int | None, attempt: _Attempt) -> int:
        """The maximum of output tokens within the key's limit. Raises ModelFailed if it is too small for an answer."""
        if token_limit is None:
            return self._options.max_output_tokens
        remaining_tokens = token_limit - attempt.prompt_tokens
        if remaining_tokens < _MIN_OUTPUT_TOKENS:
            raise ModelFailed("token_limit_reached", f"{token_limit} tokens do not suffice")
        return min(remaining_tokens, self._options.max_output_tokens)

    async def _answer(self, messages: Sequence[Message], max_tokens: int, attempt: _Attempt) -> None:
        """Receives the answer. Retries once if the first call returned no text. Raises ModelFailed."""
        for is_last in (False, True):
            try:
                await self._call(messages, max_tokens, attempt)
            except _Retryable as problem:
                if is_last or time.monotonic() + RETRY_AFTER_S >= attempt.first_words_until:
                    raise ModelFailed("model_failed", str(problem)) from problem
                log.info("retrying the call of the model", extra={"reason": str(problem)})
                await asyncio.sleep(RETRY_AFTER_S)
            else:
                break
        if attempt.finish_reason != "stop":
            raise ModelFailed("model_failed", f"the answer ended early: {attempt.finish_reason}")

    async def _call(self, messages: Sequence[Message], max_tokens: int, attempt: _Attempt) -> None:
        """One call. Raises _Retryable, ModelFailed."""
        try:
            await (self._stream if self._options.stream else self._receive)(messages, max_tokens, attempt)
            if not attempt.received and attempt.finish_reason is None:
                raise _Retryable("the answer was empty")
        except (TimeoutError, openai.APITimeoutError) as error:
            raise ModelFailed("model_timeout", "no answer in time") from error
        except openai.APIStatusError as error:
            reason = f"the server answered {error.status_code}"
            if error.status_code == _TOO_MANY_REQUESTS or error.status_code >= _SERVER_ERROR:
                raise _Retryable(reason) from error
            raise ModelFailed("model_failed", reason) from error
        except BROKEN as error:
            reason = f"the call broke: {type(error).__name__}"
            if attempt.received:
                raise ModelFailed("model_failed", reason) from error
            raise _Retryable(reason) from error

    async def _stream(self, messages: Sequence[Message], max_tokens: int, attempt: _Attempt) -> None:
        call = self._client.chat.completions.create(
            model=self.name,
            messages=_params(messages),
            stream=True,
            stream_options={"include_usage": True},
            extra_body={self._options.token_parameter: max_tokens},
        )
        with tracing.requested(str(self._client.base_url)):
            stream = await asyncio.wait_for(call, attempt.left_s())
            try:
                chunks = aiter(stream)
                while chunk := await asyncio.wait_for(anext(chunks, None), attempt.left_s()):
                    attempt.add(chunk)
            finally:
                await stream.close()

    async def _receive(self, messages: Sequence[Message], max_tokens: int, attempt: _Attempt) -> None:
        completion = await self.create(messages, max_tokens, attempt.left_s())
        attempt.reported = completion.usage
        choice = completion.choices[0]
        attempt.finish_reason = choice.finish_reason
        attempt.received = choice.message.content or ""

    async def create(
        self, messages: Sequence[Message], max_tokens: int, timeout_s: float, **parameters: Any
    ) -> ChatCompletion:
        """One call without streaming. Raises TimeoutError and BROKEN; what it returns may lack members."""
        call = self._client.chat.completions.create(
            model=self.name,
            messages=_params(messages),
            extra_body={self._options.token_parameter: max_tokens, **parameters},
        )
        with tracing.requested(str(self._client.base_url)):
            return await asyncio.wait_for(call, timeout_s)


def _params(messages: Sequence[Message]) -> list[ChatCompletionMessageParam]:
    system, user = messages
    return [{"role": "system", "content": system.content}, {"role": "user", "content": user.content}]
