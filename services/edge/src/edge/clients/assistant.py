"""Client of the assistant: the assessment of a division, and an answer based on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Literal, NamedTuple

import grpc

from contract.messages.assistant import ANSWER, PROMPT, QUICK_ASSESSMENT
from contract.messages.schemas import Json
from edge.clients.errors import answered, problem_of
from edge.clients.land import LandUnit
from edge.leases.decisions import Grant
from landpartner.assistant.v1 import assistant_pb2, assistant_pb2_grpc
from landpartner.keys.v1 import keys_pb2
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.assistant.v1.assistant_pb2_grpc import AssistantServiceAsyncStub

SERVICE = "landpartner.assistant.v1.AssistantService"
_RULES = "rules"
"""The provider name of answers from rules, without a language model."""

_MODES = {
    keys_pb2.ASSISTANT_MODE_RULES: assistant_pb2.ASSISTANT_MODE_RULES,
    keys_pb2.ASSISTANT_MODE_MODEL: assistant_pb2.ASSISTANT_MODE_MODEL,
}


class TokenUse(NamedTuple):
    """The tokens of an answer, and whether rules or a model wrote it."""

    input_tokens: int
    output_tokens: int
    by: Literal["rules", "model"]


class Division(NamedTuple):
    """The three parts of the answer that come from the assistant, its tokens, and the drawing if it was asked for."""

    prompt: Json
    quick_assessment: Json
    answer: Json
    tokens: TokenUse
    drawing: assistant_pb2.Drawing


class Event(NamedTuple):
    """One event of a streamed answer. Only the last one has `tokens`."""

    name: str
    data: Json
    tokens: TokenUse | None = None


class AssistantClient:
    """Each call raises Problem if the assistant is not available. Calls are not retried, since they may cost money."""

    def __init__(self, channel: grpc.aio.Channel, outgoing: Outgoing) -> None:
        self._stub: AssistantServiceAsyncStub = assistant_pb2_grpc.AssistantServiceStub(channel)
        self._outgoing = outgoing

    async def divide(
        self,
        unit: LandUnit,
        request: assistant_pb2.DivideLandRequest,
        grant: Grant,
        *,
        deadline_s: float,
        with_drawing: bool = False,
        in_conic_zone: bool = False,
    ) -> Division:
        """`request` has the question and the project."""
        request = _request(unit, request, grant)
        request.with_drawing, request.in_conic_zone = with_drawing, in_conic_zone
        response = await answered(self._stub.DivideLand(request, **self._outgoing(deadline_s)), "assistant")
        return Division(
            PROMPT.write(assistant_pb2.PromptEvent(prompt=response.prompt, warnings=response.warnings)),
            QUICK_ASSESSMENT.write(response.quick_assessment),
            ANSWER.write(response.answer),
            _tokens(response.prompt),
            response.drawing,
        )

    async def write_dxf(self, drawing: assistant_pb2.Drawing, rank: int, *, deadline_s: float) -> bytes:
        """The proposal of this rank as a DXF file."""
        request = assistant_pb2.WriteDxfRequest(drawing=drawing, rank=rank)
        return (await answered(self._stub.WriteDxf(request, **self._outgoing(deadline_s)), "assistant")).content

    async def stream(
        self, unit: LandUnit, request: assistant_pb2.DivideLandRequest, grant: Grant, *, deadline_s: float
    ) -> AsyncGenerator[Event]:
        """Like `divide`, as the events that docs/guide/en.md names.

        The events are received as fast as the assistant sends them. So a client that reads slowly does not exceed the
        deadline of the call.
        """
        request = _request(unit, request, grant)
        call = self._stub.StreamDivideLand(request, **self._outgoing(deadline_s))
        received: asyncio.Queue[assistant_pb2.StreamDivideLandResponse | None] = asyncio.Queue()

        async def receive() -> None:
            try:
                async for response in call:
                    received.put_nowait(response)
            finally:
                received.put_nowait(None)

        receiving = asyncio.create_task(receive())
        try:
            while (response := await received.get()) is not None:
                if (event := _event(response)) is not None:
                    yield event
            await receiving  # raises the error that ended it
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "assistant") from error
        finally:
            call.cancel()
            receiving.cancel()  # without a wait: at a shutdown, the outcome is written before the spool is closed


def _request(unit: LandUnit, request: assistant_pb2.DivideLandRequest, grant: Grant) -> assistant_pb2.DivideLandRequest:
    """The request with the land and the policy of the key."""
    mode = _MODES.get(grant.assistant_mode, assistant_pb2.ASSISTANT_MODE_DISABLED)
    policy = assistant_pb2.AssistantPolicy(mode=mode, token_limit=grant.token_limit)
    filled = assistant_pb2.DivideLandRequest(land_unit=unit.message, policy=policy, key_id=grant.key_id)
    filled.MergeFrom(request)
    return filled


def _tokens(prompt: assistant_pb2.Prompt) -> TokenUse:
    by: Literal["rules", "model"] = "rules" if prompt.provider == _RULES else "model"
    return TokenUse(prompt.usage.input_tokens, prompt.usage.output_tokens, by)


def _event(response: assistant_pb2.StreamDivideLandResponse) -> Event | None:
    """None for what an assistant of another version sends besides."""
    match response.WhichOneof("event"):
        case "quick_assessment":
            return Event("quick_assessment", QUICK_ASSESSMENT.write(response.quick_assessment))
        case "answer_delta":
            return Event("answer.delta", {"text": response.answer_delta})
        case "answer":
            return Event("answer", ANSWER.write(response.answer))
        case "prompt":
            return Event("prompt", PROMPT.write(response.prompt), _tokens(response.prompt.prompt))
    return None
