"""Traces of a client, a server and a database, as a collector receives them."""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any

import grpc
import otlp
import pytest
from psycopg import sql
from sqlalchemy import text

import databases
from landpartner.assistant.v1 import assistant_pb2, assistant_pb2_grpc
from servicekit import context, tracing
from servicekit.callers import entry
from servicekit.database import open_engine
from servicekit.errors import InvalidPayload
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_server import Registration, RpcServer
from servicekit.settings import RpcSettings
from servicekit.spans import Spans

NAME = "landpartner.assistant.v1.AssistantService"
METHOD = f"{NAME}/DivideLand"
SECRET = "12 rue de la Paix"


class Servicer(assistant_pb2_grpc.AssistantServiceServicer):
    """Reads a question from a database."""

    def __init__(self, folder: Path) -> None:
        self.engine = open_engine(f"sqlite:///{folder / 'test.sqlite'}")
        self.contexts: list[tuple[str, str | None]] = []

    async def DivideLand(  # noqa: N802
        self, request: assistant_pb2.DivideLandRequest, _: Any
    ) -> assistant_pb2.DivideLandResponse:
        self.contexts.append((context.request_id.get(), tracing.trace_id()))
        if request.question == "invalid":
            raise InvalidPayload(SECRET)
        with self.engine.begin() as connection:
            connection.execute(text("SELECT :question"), {"question": request.question})
        with tracing.requested(f"https://files.example/search?q={SECRET}"):
            return assistant_pb2.DivideLandResponse()

    async def StreamDivideLand(  # noqa: N802
        self, request: assistant_pb2.DivideLandRequest, _: Any
    ) -> AsyncIterator[assistant_pb2.StreamDivideLandResponse]:
        yield assistant_pb2.StreamDivideLandResponse()

    async def WriteDxf(  # noqa: N802
        self, request: assistant_pb2.WriteDxfRequest, _: Any
    ) -> assistant_pb2.WriteDxfResponse:
        return assistant_pb2.WriteDxfResponse()


@pytest.fixture
def collector() -> Iterator[otlp.Collector]:
    with otlp.collector() as collector:
        yield collector


@pytest.fixture
def spans(collector: otlp.Collector, monkeypatch: pytest.MonkeyPatch) -> Spans:
    """The tracer of this process, for one test. `close` it before the spans are read."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=secret")
    monkeypatch.setattr("servicekit.tracing._spans", None)
    tracing.configure("servicekit")
    active = tracing.active()
    assert active is not None
    return active


async def ask(servicer: Servicer, spans: Spans, questions: list[str]) -> None:
    """Calls once for each question, in a trace of a request of its own."""
    registration = Registration(
        NAME,
        lambda server: assistant_pb2_grpc.add_AssistantServiceServicer_to_server(servicer, server),
        {"edge": ["DivideLand"]},
    )
    server = RpcServer(RpcSettings(callers=entry("edge", "right")), [registration], {})
    channel = open_channel(f"127.0.0.1:{await server.start()}")
    stub = assistant_pb2_grpc.AssistantServiceStub(channel)
    outgoing = Outgoing("right")
    try:
        for number, question in enumerate(questions):
            context.request_id.set(f"request-{number}")
            with spans.received() as span:
                try:
                    await stub.DivideLand(assistant_pb2.DivideLandRequest(question=question), **outgoing(30.0))
                except grpc.aio.AioRpcError:
                    spans.answered(span, "POST", "/divide", 400)
                else:
                    spans.answered(span, "POST", "/divide", 200)
    finally:
        await channel.close(30.0)
        await server.stop()
        servicer.engine.dispose()
        spans.close()


async def test_a_request_is_one_trace_without_its_values(
    tmp_path: Path, collector: otlp.Collector, spans: Spans
) -> None:
    servicer = Servicer(tmp_path)
    await ask(servicer, spans, [SECRET, "invalid"])
    by_trace: dict[str, list[otlp.Received]] = {}
    for received in collector.spans:
        by_trace.setdefault(received.trace_id, []).append(received)
    (first, second) = (by_trace[str(trace_id)] for _, trace_id in servicer.contexts)
    names = {received.name: received for received in first}
    assert {"POST /divide", METHOD, "SELECT", "HTTP files.example"} <= names.keys()
    parents = {received.span.span_id: received for received in first}
    path, at = [], names["SELECT"]
    while at.span.parent_span_id:
        at = parents[at.span.parent_span_id]
        path.append((at.name, otlp.Span.SpanKind.Name(at.span.kind)))
    assert path == [(METHOD, "SPAN_KIND_SERVER"), (METHOD, "SPAN_KIND_CLIENT"), ("POST /divide", "SPAN_KIND_SERVER")]
    assert names["POST /divide"].attributes["landpartner.request_id"] == "request-0"
    assert names["HTTP files.example"].span.parent_span_id == names["SELECT"].span.parent_span_id

    failed = {received.span.kind: received for received in second if received.name == METHOD}
    assert {received.attributes["rpc.grpc.status_code"] for received in failed.values()} == {3}
    assert {received.span.status.code for received in failed.values()} == {otlp.Status.STATUS_CODE_ERROR}
    assert [identifier for identifier, _ in servicer.contexts] == ["request-0", "request-1"]
    assert "rue" not in "".join(str(received.span) for received in collector.spans)
    assert ("authorization", "secret") in collector.metadata


async def test_a_batch_and_its_requests_link_to_each_other(collector: otlp.Collector, spans: Spans) -> None:
    with spans.received():
        first = spans.current()
        with spans.received():
            second = spans.current()
            with spans.batch("resolve", [first, second]):
                pass
    spans.close()
    batch = next(received.span for received in collector.spans if received.name == "resolve")
    requests = {received.span.span_id: received.span for received in collector.spans if received.name == "request"}
    assert {link.span_id for link in batch.links} == requests.keys()
    assert batch.parent_span_id in requests
    (other,) = (span for identifier, span in requests.items() if identifier != batch.parent_span_id)
    assert [link.span_id for link in other.links] == [batch.span_id]


async def test_work_that_outlives_its_request_stays_in_its_trace(collector: otlp.Collector, spans: Spans) -> None:
    context.request_id.set("cause")
    with spans.received():
        cause, trace_id = copy_context(), tracing.trace_id()
    context.request_id.set("another")
    with tracing.continued("load", cause):
        assert (context.request_id.get(), tracing.trace_id()) == ("cause", trace_id)
    assert context.request_id.get() == "another"
    spans.close()
    assert {received.trace_id for received in collector.spans} == {trace_id}


def test_nothing_is_traced_outside_of_a_request(tmp_path: Path, collector: otlp.Collector, spans: Spans) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'test.sqlite'}")
    with engine.begin() as connection, tracing.requested("https://files.example"):
        connection.execute(text("SELECT 1"))
    engine.dispose()
    assert spans.calling("/service/Method", {}) is None
    spans.close()
    assert not collector.spans


@pytest.mark.docker
def test_statements_of_the_driver_and_commits_are_traced_on_postgresql(
    tmp_path_factory: pytest.TempPathFactory, collector: otlp.Collector, spans: Spans
) -> None:
    with databases.server(tmp_path_factory) as server, databases.database(server, "tracing") as url:
        engine = open_engine(url)
        with spans.received(), engine.begin() as connection:
            connection.execute(text("SELECT :secret"), {"secret": SECRET})
            driver: Any = connection.connection.driver_connection
            driver.execute(sql.SQL("SELECT {}").format(sql.Literal(SECRET)))
            with driver.pipeline():
                driver.execute("CREATE TEMPORARY TABLE numbers (a int)")
                driver.cursor().executemany("INSERT INTO numbers VALUES (%(a)s)", [{"a": 1}, {"a": 2}])
        engine.dispose()
    spans.close()
    statements = {span.name for span in collector.spans if span.attributes.get("db.system.name") == "postgresql"}
    assert {"SELECT", "STATEMENT", "CREATE numbers", "INSERT numbers", "COMMIT"} <= statements
    assert "rue" not in "".join(str(received.span) for received in collector.spans)


def test_a_collector_that_is_gone_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with otlp.collector() as gone:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", gone.endpoint)
    monkeypatch.setattr("servicekit.tracing._spans", None)
    tracing.configure("servicekit")
    spans = tracing.active()
    assert spans is not None
    for _ in range(10_000):  # more than the queue takes
        with spans.received():
            pass
    spans.close()


def test_without_an_endpoint_nothing_of_opentelemetry_is_imported() -> None:
    program = (
        "import sys; from servicekit import database, logs, rpc_client, rpc_server, tracing; tracing.configure('land');"
        "assert tracing.active() is None; sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EXPORTER_OTLP_ENDPOINT", "collector:4317"),
        ("EXPORTER_OTLP_ENDPOINT", "http://user:secret@collector:4317"),
        ("EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
        ("TRACES_SAMPLER_ARG", "2"),
    ],
)
def test_a_wrong_setting_ends_the_process_with_its_name(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(f"OTEL_{name}", value)
    with pytest.raises(SystemExit):
        tracing.configure("land")
    assert capsys.readouterr().err.startswith(f"OTEL_{name}: ")
