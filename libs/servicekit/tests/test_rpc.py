"""Server and client over a loopback connection."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from importlib.metadata import version
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from landpartner.assistant.v1 import assistant_pb2, assistant_pb2_grpc
from servicekit import context, rpc_client, rpc_server
from servicekit.callers import entry
from servicekit.errors import InvalidPayload, Overloaded, ServiceError, Violation
from servicekit.healthcheck import is_serving
from servicekit.languages import Language, Text, accept_language, in_language
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import RemoteError, decode
from servicekit.rpc_server import Registration, RpcServer
from servicekit.settings import RpcSettings

NAME = "landpartner.assistant.v1.AssistantService"
METHODS = {"edge": ("DivideLand", "StreamDivideLand"), "batch": ("DivideLand",)}
CALLERS = ",".join(entry(caller, token) for caller, token in (("edge", "right"), ("edge", "next"), ("batch", "other")))


class Gone(ServiceError):
    code = "parcel_retired"


class Servicer(assistant_pb2_grpc.AssistantServiceServicer):
    def __init__(self) -> None:
        self.waiting, self.go = asyncio.Event(), asyncio.Event()
        self.calls = 0
        self.ended: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        """When an endless stream has ended: whether its own task ended it."""

    async def DivideLand(  # noqa: N802
        self, request: assistant_pb2.DivideLandRequest, call: Any
    ) -> assistant_pb2.DivideLandResponse:
        self.calls += 1
        match request.question:
            case "invalid":
                raise InvalidPayload("wrong", violations=[Violation("/question", "too_long", "too long")])
            case "bilingual":
                text = Text("perdu", "lost")
                raise InvalidPayload(text, violations=[Violation("/question", "malformed", text.format())])
            case "gone":
                raise Gone("retired", retry_after_s=7, metadata={"successors": "A,B"})
            case "crash":
                raise RuntimeError("password=hunter2")
            case "overload":
                raise Overloaded("too much work", retry_after_s=1)
            case "wait":
                self.waiting.set()
                await self.go.wait()
                return assistant_pb2.DivideLandResponse(answer=assistant_pb2.Answer(text="waited"))
            case "connection":
                return assistant_pb2.DivideLandResponse(answer=assistant_pb2.Answer(text=call.peer()))
            case "connection, later":
                await self.go.wait()
                return assistant_pb2.DivideLandResponse(answer=assistant_pb2.Answer(text=call.peer()))
            case "echo":
                echo = f"{context.request_id.get()} {context.remaining_s()} {context.requester.get()}".strip()
                return assistant_pb2.DivideLandResponse(answer=assistant_pb2.Answer(text=echo))
        return assistant_pb2.DivideLandResponse()

    async def StreamDivideLand(  # noqa: N802
        self, request: assistant_pb2.DivideLandRequest, _: Any
    ) -> AsyncIterator[assistant_pb2.StreamDivideLandResponse]:
        if request.question == "endless":
            task = asyncio.current_task()
            try:
                while True:
                    yield assistant_pb2.StreamDivideLandResponse(answer_delta="x" * 1_000_000)
            finally:
                self.ended.set_result(asyncio.current_task() is task)
        yield assistant_pb2.StreamDivideLandResponse(answer_delta="one")
        raise Gone("retired")

    async def WriteDxf(  # noqa: N802
        self, request: assistant_pb2.WriteDxfRequest, _: Any
    ) -> assistant_pb2.WriteDxfResponse:
        return assistant_pb2.WriteDxfResponse()


@contextlib.asynccontextmanager
async def running(
    servicer: Servicer | None = None, max_concurrent_calls: int = 1_000
) -> AsyncIterator[tuple[RpcServer, str]]:
    settings = RpcSettings(callers=CALLERS, max_concurrent_calls=max_concurrent_calls)
    answering = servicer or Servicer()
    registration = Registration(
        NAME, lambda server: assistant_pb2_grpc.add_AssistantServiceServicer_to_server(answering, server), METHODS
    )
    server = RpcServer(settings, [registration], {Gone: grpc.StatusCode.NOT_FOUND})
    port = await server.start()
    try:
        yield server, f"127.0.0.1:{port}"
    finally:
        await server.stop()


async def ask(target: str, question: str, token: str = "right") -> assistant_pb2.DivideLandResponse:
    async with open_channel(target) as channel:
        stub = assistant_pb2_grpc.AssistantServiceStub(channel)
        return await stub.DivideLand(assistant_pb2.DivideLandRequest(question=question), **Outgoing(token)(60.0))


async def refusal(target: str, question: str) -> RemoteError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await ask(target, question)
    error = decode(caught.value)
    assert error is not None
    return error


def test_grpc_has_the_version_whose_insides_are_used() -> None:
    """`rpc_client` reads the status of an ended call by one step of `Call.code`. Compare it with another version before
    that is named here.
    """
    assert version("grpcio") == "1.85.1"


async def test_pings_of_a_silent_connection_do_not_close_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for module in (rpc_client, rpc_server):
        monkeypatch.setattr(module, "KEEPALIVE_MS", 1_000)
    servicer = Servicer()
    async with (
        running(servicer) as (_, target),
        open_channel(target) as calling,
        open_channel(target, follows_health=True) as watching,
    ):

        async def connection(channel: grpc.aio.Channel, question: str = "connection") -> str:
            request = assistant_pb2.DivideLandRequest(question=question)
            call = assistant_pb2_grpc.AssistantServiceStub(channel).DivideLand(request, **Outgoing("right")(60.0))
            return str((await call).answer.text)

        await asyncio.wait_for(watching.channel_ready(), 60)
        before = [await connection(calling), await connection(watching)]
        later = asyncio.create_task(connection(calling, "connection, later"))
        await asyncio.sleep(6)  # a server closes a connection at the third ping too many
        servicer.go.set()
        assert [await later, await connection(watching)] == before
        assert await connection(calling) == before[0]
    assert "too_many_pings" not in capfd.readouterr().err


async def test_a_closing_channel_waits_for_its_calls_up_to_the_grace() -> None:
    servicer = Servicer()
    async with running(servicer) as (_, target):
        for grace, is_answered in ((20.0, True), (0.1, False)):
            servicer.go.clear()
            channel = open_channel(target)
            stub = assistant_pb2_grpc.AssistantServiceStub(channel)
            request = assistant_pb2.DivideLandRequest(question="wait")
            call = stub.DivideLand(request, **Outgoing("right")(60.0))
            await servicer.waiting.wait()
            closing = asyncio.create_task(channel.close(grace))
            if is_answered:
                servicer.go.set()
            await closing
            assert (await call.code() is grpc.StatusCode.OK) == is_answered
            servicer.go.set()
            servicer.waiting.clear()


async def test_an_error_arrives_completely() -> None:
    async with running() as (_, target):
        error = await refusal(target, "gone")
        assert (error.code, error.detail, error.retry_after_s) == ("parcel_retired", "retired", 7)
        assert error.status is grpc.StatusCode.NOT_FOUND
        assert error.metadata == {"successors": "A,B"}
        error = await refusal(target, "invalid")
        assert list(error.violations) == [Violation("/question", "too_long", "too long")]


async def test_an_unexpected_error_reveals_no_details() -> None:
    async with running() as (_, target):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ask(target, "crash")
        assert caught.value.code() is grpc.StatusCode.INTERNAL
        assert "hunter2" not in str(caught.value.details())
        assert decode(caught.value) is None


async def test_an_unknown_token_is_refused_and_health_is_open() -> None:
    async with running() as (server, target):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ask(target, "echo", token="wrong")
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        async with open_channel(target) as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=NAME))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        await server.stop()


async def test_request_id_and_deadline_are_propagated() -> None:
    async with running() as (_, target):
        context.request_id.set("trace-1")
        with context.deadline(40.0):  # the call itself allows 60 s
            answer = await ask(target, "echo")
        request_id, remaining_s = answer.answer.text.split()
        assert request_id == "trace-1"
        assert 0 < float(remaining_s) < 50  # gRPC rounds up


@pytest.mark.parametrize(("call_language", "detail"), [("fr", "perdu"), ("en", "lost")])
async def test_an_error_is_in_the_language_of_the_call(call_language: Language, detail: str) -> None:
    async with running() as (_, target):
        with in_language(call_language), pytest.raises(grpc.aio.AioRpcError) as caught:
            await ask(target, "bilingual")
        error = decode(caught.value)
        assert error is not None
        assert (error.detail, [violation.detail for violation in error.violations]) == (detail, [detail])


def test_a_call_without_a_language_is_answered_in_french() -> None:
    assert [accept_language(header) for header in (None, "", "de", "fr", "en")] == ["fr", "fr", "fr", "fr", "en"]


def test_a_text_is_formatted_in_both_languages() -> None:
    text = Text("{what} et {count}", "{what} and {count}").format(what=Text("un", "one"), count="{0}")
    assert text == ("un et {0}", "one and {0}")


@pytest.mark.parametrize(("name", "requester"), [("key-1", "key-1"), ("", ""), ("two words", "")])
async def test_the_requester_is_propagated_if_its_name_is_safe(name: str, requester: str) -> None:
    async with running() as (_, target), open_channel(target) as channel:
        context.request_id.set("trace-1")
        stub = assistant_pb2_grpc.AssistantServiceStub(channel)
        request = assistant_pb2.DivideLandRequest(question="echo")
        answer = await stub.DivideLand(request, **Outgoing("right")(40.0, name))
        request_id, remaining_s, *received = answer.answer.text.split()
        assert (request_id, " ".join(received)) == ("trace-1", requester)
        assert 0 < float(remaining_s) < 50


async def test_a_stopped_replica_of_a_list_is_skipped() -> None:
    async with running() as (first, one), running() as (_, other):
        await first.stop()
        async with open_channel(f"{one},{other}", idempotent=[(NAME, "DivideLand")]) as channel:
            stub = assistant_pb2_grpc.AssistantServiceStub(channel)
            for _ in range(10):
                call = stub.DivideLand(assistant_pb2.DivideLandRequest(), **Outgoing("right")(60.0))
                assert await call == assistant_pb2.DivideLandResponse()


async def test_an_error_ends_a_stream() -> None:
    async with running() as (_, target), open_channel(target) as channel:
        stub = assistant_pb2_grpc.AssistantServiceStub(channel)
        call = stub.StreamDivideLand(assistant_pb2.DivideLandRequest(), **Outgoing("right")(60.0))
        got = []
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            async for event in call:
                got.append(event.answer_delta)
        assert got == ["one"]
        error = decode(caught.value)
        assert error is not None
        assert error.code == "parcel_retired"


async def test_a_stream_ends_in_its_task_when_the_client_leaves(caplog: pytest.LogCaptureFixture) -> None:
    servicer = Servicer()
    async with running(servicer) as (_, target), open_channel(target) as channel:
        stub = assistant_pb2_grpc.AssistantServiceStub(channel)
        request = assistant_pb2.DivideLandRequest(question="endless")
        call = stub.StreamDivideLand(request, **Outgoing("right")(60.0))
        await call.read()
        call.cancel()
        assert await asyncio.wait_for(servicer.ended, 60)
    assert not [record for record in caplog.records if record.levelno > logging.INFO]


async def test_running_calls_finish_before_the_server_stops() -> None:
    servicer = Servicer()
    async with running(servicer) as (server, target):
        answer = asyncio.create_task(ask(target, "wait"))
        await servicer.waiting.wait()
        stopping = asyncio.create_task(server.stop())
        await asyncio.sleep(0.05)
        assert not stopping.done()
        servicer.go.set()
        assert (await answer).answer.text == "waited"
        await stopping


async def test_an_overloaded_call_has_retry_after_and_is_not_retried() -> None:
    servicer = Servicer()
    async with running(servicer) as (_, target):
        async with open_channel(target, idempotent=[(NAME, "DivideLand")]) as channel:
            stub = assistant_pb2_grpc.AssistantServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.DivideLand(assistant_pb2.DivideLandRequest(question="overload"), **Outgoing("right")(60.0))
        error = decode(caught.value)
        assert error is not None
        assert (error.code, error.retry_after_s) == ("unavailable", 1)
        assert error.status is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert servicer.calls == 1


async def test_a_call_over_the_concurrency_limit_is_refused_at_once_and_health_is_not() -> None:
    servicer = Servicer()
    async with running(servicer, max_concurrent_calls=1) as (_, target):
        first = asyncio.create_task(ask(target, "wait"))
        await servicer.waiting.wait()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ask(target, "echo")
        error = decode(caught.value)
        assert error is not None
        assert (error.status, error.retry_after_s) == (grpc.StatusCode.RESOURCE_EXHAUSTED, 1)
        assert await asyncio.to_thread(is_serving, target)
        servicer.go.set()
        await first
        await ask(target, "echo")
