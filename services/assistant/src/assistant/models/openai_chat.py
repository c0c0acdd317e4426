"""Writes the answer with a language model, over the chat-completions protocol.

Each sentence is checked against the facts before it is sent. A sentence that they do not support ends the attempt.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import httpx2
import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionMessageParam

from assistant.models.base import Brief, Meter, ModelFailed, Passage, Usage
from assistant.models.grounding import Grounding, Ungrounded
from assistant.models.prompt_variables import prompt_variables
from assistant.models.rules import leads_with_verdict, remainder
from assistant.models.tokens import estimate_tokens
from assistant.prompts.loader import Message
from assistant.text import split_sentences
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


@dataclass(frozen=True)
class ChatOptions:
    """Options of a call: streaming, the maximum output, and the server's name for that limit."""

    stream: bool = True
    max_output_tokens: int = 1_200
    token_parameter: str = "max_tokens"  # noqa: S105 (a parameter's name)


class _Retryable(Exception):
    """The call failed before any text arrived. A retry may succeed."""


@dataclass
class _Attempt:
    """The state of one call: the received text, and the usage that the server reports."""

    prompt_tokens: int
    received: str = ""
    finish_reason: str | None = None
    reported: CompletionUsage | None = None
    is_cancelled: bool = False
    """The caller no longer waits for the answer."""

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
    """A ChatModel for any server with the protocol: OpenAI, Mistral, vLLM, Ollama and others."""

    provider = "openai"

    def __init__(
        self, name: str, api_key: str, base_url: str | None = None, options: ChatOptions | None = None
    ) -> None:
        self.name = name
        self._options = options or ChatOptions()
        self.client = openai.AsyncOpenAI(
            api_key=api_key,
            base_url=base_url or "https://api.openai.com/v1",
            max_retries=0,
            timeout=openai.Timeout(DEFAULT_DEADLINE_S, connect=CONNECT_S),
        )

    async def close(self) -> None:
        await self.client.close()

    async def write(self, brief: Brief, meter: Meter) -> AsyncGenerator[Passage]:
        """Yields the model's sentences, the replies that they leave out, and what is not answered. Raises ModelFailed.

        If the text asks about the division, or something stands against it, the summary comes first, with the first
        valid sentence. So a model that fails before it needs no reset.
        """
        remaining = remaining_s()
        ends = time.monotonic() + (DEFAULT_DEADLINE_S if remaining is None else remaining - RULES_RESERVE_S)
        messages = brief.prompt.fill(prompt_variables(brief))
        attempt = _Attempt(sum(estimate_tokens(message.content) for message in messages))
        max_tokens = self._allowance(brief, attempt)
        grounding, cited = Grounding(brief), set[str]()
        opening = f"**{brief.assessment.summary.read(brief.language)}**\n\n" if leads_with_verdict(brief) else ""
        try:
            async with aclosing(self._text(messages, max_tokens, ends, attempt)) as pieces:
                async for sentence in _sentences(pieces):
                    passage = grounding.check(sentence)
                    cited.update(passage.grounded_on)
                    yield passage._replace(text=opening + passage.text)
                    opening = ""
        except Ungrounded as problem:
            raise ModelFailed("model_ungrounded", str(problem)) from problem
        except (asyncio.CancelledError, GeneratorExit):
            attempt.is_cancelled = True
            raise
        finally:
            meter.add(attempt.usage())
        if not cited:
            raise ModelFailed("model_ungrounded", "no sentence cites a fact")
        lead = "\n"
        for passage in remainder(brief, cited):
            yield passage._replace(text=lead + passage.text)
            lead = ""

    def _allowance(self, brief: Brief, attempt: _Attempt) -> int:
        """The maximum of output tokens within the key's limit. Raises ModelFailed if it is too small for an answer."""
        if brief.token_limit is None:
            return self._options.max_output_tokens
        remaining_tokens = brief.token_limit - attempt.prompt_tokens
        if remaining_tokens < _MIN_OUTPUT_TOKENS:
            raise ModelFailed("token_limit_reached", f"{brief.token_limit} tokens do not suffice")
        return min(remaining_tokens, self._options.max_output_tokens)

    async def _text(
        self, messages: tuple[Message, ...], max_tokens: int, ends: float, attempt: _Attempt
    ) -> AsyncGenerator[str]:
        """Yields the text as it arrives. Retries once if the first call returned no text."""
        for is_last in (False, True):
            try:
                async with aclosing(self._call(messages, max_tokens, ends, attempt)) as pieces:
                    async for piece in pieces:
                        attempt.received += piece
                        yield piece
                if attempt.finish_reason != "stop":
                    reason = f"the answer ended early: {attempt.finish_reason}"
                    raise ModelFailed("model_failed", reason)
                return
            except _Retryable as problem:
                if is_last or time.monotonic() + RETRY_AFTER_S >= ends:
                    raise ModelFailed("model_failed", str(problem)) from problem
                log.info("retrying the call of the model", extra={"reason": str(problem)})
                await asyncio.sleep(RETRY_AFTER_S)

    async def _call(
        self, messages: tuple[Message, ...], max_tokens: int, ends: float, attempt: _Attempt
    ) -> AsyncGenerator[str]:
        """One call. Raises _Retryable, ModelFailed."""
        try:
            if self._options.stream:
                async with aclosing(self._call_streaming(messages, max_tokens, ends, attempt)) as pieces:
                    async for piece in pieces:
                        yield piece
            else:
                yield await asyncio.wait_for(self._call_once(messages, max_tokens, attempt), _left(ends))
            if not attempt.received and attempt.finish_reason is None:
                raise _Retryable("the answer was empty")
        except (TimeoutError, openai.APITimeoutError) as error:
            raise ModelFailed("model_timeout", "no answer in time") from error
        except openai.APIStatusError as error:
            reason = f"the server answered {error.status_code}"
            if error.status_code == _TOO_MANY_REQUESTS or error.status_code >= _SERVER_ERROR:
                raise _Retryable(reason) from error
            raise ModelFailed("model_failed", reason) from error
        except (openai.OpenAIError, httpx2.HTTPError, ValueError, TypeError, AttributeError, LookupError) as error:
            # the built-in ones: the client does not validate the response
            reason = f"the call broke: {type(error).__name__}"
            if attempt.received:
                raise ModelFailed("model_failed", reason) from error
            raise _Retryable(reason) from error

    async def _call_streaming(
        self, messages: tuple[Message, ...], max_tokens: int, ends: float, attempt: _Attempt
    ) -> AsyncGenerator[str]:
        call = self.client.chat.completions.create(
            model=self.name,
            messages=params(messages),
            stream=True,
            stream_options={"include_usage": True},
            extra_body={self._options.token_parameter: max_tokens},
        )
        with tracing.requested(str(self.client.base_url)):  # until the answer begins
            stream = await asyncio.wait_for(call, _left(ends))
        try:
            chunks = aiter(stream)
            while True:
                try:
                    chunk = await asyncio.wait_for(anext(chunks), _left(ends))
                except StopAsyncIteration:
                    return
                attempt.reported = chunk.usage or attempt.reported
                for choice in chunk.choices[:1]:
                    attempt.finish_reason = choice.finish_reason or attempt.finish_reason
                    if choice.delta.content:
                        yield choice.delta.content
        finally:
            await stream.close()

    async def _call_once(self, messages: tuple[Message, ...], max_tokens: int, attempt: _Attempt) -> str:
        with tracing.requested(str(self.client.base_url)):
            completion = await self.client.chat.completions.create(
                model=self.name,
                messages=params(messages),
                extra_body={self._options.token_parameter: max_tokens},
            )
        attempt.reported = completion.usage
        choice = completion.choices[0]
        attempt.finish_reason = choice.finish_reason
        return choice.message.content or ""


async def _sentences(pieces: AsyncGenerator[str]) -> AsyncGenerator[str]:
    """Joins pieces into whole sentences. Yields the last one only after the pieces end without error."""
    pending = ""
    async for piece in pieces:
        *whole, pending = _with_citations(split_sentences(pending + piece)) or [""]
        for sentence in whole:
            yield sentence
    if pending.strip():
        yield pending


def _with_citations(sentences: list[str]) -> list[str]:
    """The sentences, with a citation after a full stop joined to the sentence before it."""
    joined: list[str] = []
    for sentence in sentences:
        if joined and sentence.startswith("["):
            joined[-1] += sentence
        else:
            joined.append(sentence)
    return joined


def params(messages: tuple[Message, ...]) -> list[ChatCompletionMessageParam]:
    system, user = messages
    return [{"role": "system", "content": system.content}, {"role": "user", "content": user.content}]


def _left(ends: float) -> float:
    return max(0.0, ends - time.monotonic())
