"""A chat-completions server on loopback, with configurable answers and failures."""

from __future__ import annotations  # the async stub is a type only

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from readings import digest

from assistant.server import AssistantServer
from assistant.settings import AssistantSettings
from landpartner.assistant.v1 import assistant_pb2_grpc
from servicekit.callers import entry
from servicekit.rpc_client import open_channel

USAGE = {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": 366}


@dataclass
class Turn:
    """The answer to one call: a status, the text in pieces, and failures."""

    pieces: tuple[str, ...] = ()
    status: int = 200
    delay_s: float = 0.0
    """Delay before the first byte and between pieces."""
    cut: bool = False
    """Whether the server closes the connection after the pieces."""
    finish_reason: str | None = "stop"
    usage: dict[str, int] | None = field(default_factory=lambda: dict(USAGE))
    raw: str | None = None
    """The body, instead of the pieces."""
    refuses: str = ""
    """A member of the request with which the server answers 400."""


NO_CHOICE = NO_READING = Turn(("{}",), usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0})


class ChatServer:
    """Answers each call with the next turn, and repeats the last one. Keeps the requests.

    Calls that have a text read, or cards of law chosen, are answered by turns of their own.
    """

    def __init__(self, *turns: Turn) -> None:
        self.turns = list(turns)
        self.requests: list[dict[str, Any]] = []
        self.readings = [NO_READING]
        self.read_requests: list[dict[str, Any]] = []
        self.choices = [NO_CHOICE]
        self.choice_requests: list[dict[str, Any]] = []
        self.recorded: Mapping[str, str] = {}
        """Answers to readings by the digest of their messages. They come before the turns."""
        self.url = ""
        self.disconnected = asyncio.Event()
        """Set when a client disconnects before the answer is complete."""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                int(v) for k, _, v in (x.partition(":") for x in head.split("\r\n")) if k.lower() == "content-length"
            )
            request = json.loads(await reader.readexactly(length))
            of_kind = {"<text>": (self.read_requests, self.readings), "<asks>": (self.choice_requests, self.choices)}
            kind = request["messages"][-1]["content"][:6]
            requests, turns = of_kind.get(kind, (self.requests, self.turns))
            requests.append(request)
            turn = turns[min(len(requests), len(turns)) - 1]
            if answer_text := self.recorded.get(digest(request["messages"])):
                turn = Turn((answer_text,))
            if turn.refuses in request:
                turn = Turn(status=400)
            gone = asyncio.create_task(reader.read())
            answer = asyncio.create_task(self.answer(turn, writer, is_stream=bool(request.get("stream"))))
            await asyncio.wait({gone, answer}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                self.disconnected.set()
            for task in (gone, answer):
                task.cancel()
            await asyncio.gather(gone, answer, return_exceptions=True)
        writer.close()

    async def answer(self, turn: Turn, writer: asyncio.StreamWriter, *, is_stream: bool) -> None:
        await asyncio.sleep(turn.delay_s)
        stream = is_stream and turn.status == 200
        kind = "text/event-stream" if stream else "application/json"
        writer.write(f"HTTP/1.1 {turn.status} X\r\ncontent-type: {kind}\r\nconnection: close\r\n".encode())
        if stream:
            writer.write(b"transfer-encoding: chunked\r\n\r\n")
            for event in self.events(turn):
                writer.write(f"{len(event.encode()):x}\r\n".encode() + event.encode() + b"\r\n")
                await writer.drain()
                await asyncio.sleep(turn.delay_s)
            if not turn.cut:
                writer.write(b"0\r\n\r\n")
        else:
            body = turn.raw if turn.raw is not None else json.dumps(self.completion(turn))
            length = len(body.encode()) + (100 if turn.cut else 0)
            writer.write(f"content-length: {length}\r\n\r\n{body}".encode())
        await writer.drain()

    def events(self, turn: Turn) -> list[str]:
        if turn.raw is not None:
            return [turn.raw]
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in turn.pieces
        ]
        if turn.finish_reason:
            chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": turn.finish_reason}]})
        if turn.usage and not turn.cut:
            chunks.append({"choices": [], "usage": turn.usage})
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return [f"data: {json.dumps({**head, **chunk})}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"] * (
            not turn.cut
        )

    def completion(self, turn: Turn) -> dict[str, Any]:
        if turn.status != 200:
            return {"error": {"message": "no", "type": "x"}}
        message = {"role": "assistant", "content": "".join(turn.pieces)}
        choice = {"index": 0, "message": message, "finish_reason": turn.finish_reason}
        return {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": turn.usage,
        }


ServeChat = Callable[..., contextlib.AbstractAsyncContextManager[ChatServer]]


@pytest.fixture
def serve_chat() -> ServeChat:
    @contextlib.asynccontextmanager
    async def serving(*turns: Turn) -> AsyncIterator[ChatServer]:
        chat = ChatServer(*turns)
        server = await asyncio.start_server(chat.handle, "127.0.0.1", 0)
        chat.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        try:
            yield chat
        finally:
            server.close()

    return serving


@pytest.fixture
def turn() -> type[Turn]:
    return Turn


@contextlib.asynccontextmanager
async def running_model(
    database: str, chat_url: str, **settings: Any
) -> AsyncIterator[tuple[AssistantServer, assistant_pb2_grpc.AssistantServiceAsyncStub]]:
    server = AssistantServer(
        AssistantSettings(
            callers=entry("edge", "right"),
            database_url=database,
            drain_s=0.5,
            openai_model="writer-1",
            openai_base_url=chat_url,
            openai_api_key="sk-very-secret",
            **settings,
        )
    )
    server.runs.migrate()
    port = await server.rpc.start()
    try:
        async with open_channel(f"127.0.0.1:{port}") as channel:
            yield server, assistant_pb2_grpc.AssistantServiceStub(channel)
    finally:
        await server.rpc.stop()
        await server.close()


@pytest.fixture
def run_model() -> Callable[..., contextlib.AbstractAsyncContextManager[Any]]:
    """Runs the assistant with a model at an address."""
    return running_model
