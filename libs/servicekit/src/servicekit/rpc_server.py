"""The gRPC server of every service: admission of callers, request id, language, deadline, errors, metrics, health
and graceful shutdown.
"""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

import asyncio
import logging
import signal
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health_aio
from prometheus_client import Counter, Gauge, Histogram, start_http_server

from servicekit import rpc_errors, tracing
from servicekit.admission import Admission, Refused
from servicekit.callers import Callers
from servicekit.context import (
    REQUEST_ID_HEADER,
    REQUESTER_HEADER,
    accept_request_ids,
    accept_requester,
    deadline,
    request_id,
    requester,
)
from servicekit.errors import Overloaded, ServiceError
from servicekit.files import follow
from servicekit.health import LIVENESS, HealthProbe
from servicekit.languages import LANGUAGE_HEADER, accept_language, language
from servicekit.parts import failed_parts
from servicekit.sampling import Reading, Sampler
from servicekit.settings import RpcSettings
from servicekit.tls import Certificates
from servicekit.workers import RETRY_AFTER_S, TOO_MUCH_WORK

log = logging.getLogger(__name__)

TOKEN_HEADER = "x-service-token"  # noqa: S105 (the header's name)
MAX_MESSAGE_BYTES = 32 * 1024 * 1024
KEEPALIVE_MS = 30_000
"""Clients send a ping when a connection with a call under way is silent for so long. Servers accept pings that come
twice as often, since a delayed ping is closer to the next one. They close a connection that sends more.
"""
_OPEN_PREFIXES = ("/grpc.health.v1.",)
_CANCELLATION_S = 1.0
"""More than the time from a failed write to the cancellation of a call whose client has left."""

_calls = Counter("rpc_server_calls", "Calls answered.", ["method", "status"])
_seconds = Histogram(
    "rpc_server_seconds",
    "Time to answer a call.",
    ["method"],
    buckets=(0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 5, 10, 30),
)
_serving = Gauge("rpc_server_serving", "1 while the service can work, else 0.")


@dataclass(frozen=True)
class Registration:
    """One gRPC service: its full name, the function that adds it to a server, and the methods of each caller."""

    name: str
    add_to: Callable[[grpc.aio.Server], None]
    methods_of: Mapping[str, Collection[str]]

    def callers_of(self) -> dict[str, set[str]]:
        """The callers of each method, by its path."""
        callers: dict[str, set[str]] = {}
        for caller, methods in self.methods_of.items():
            for method in methods:
                callers.setdefault(f"/{self.name}/{method}", set()).add(caller)
        return callers


class BackgroundTask(Protocol):
    """Work that runs in separate threads from the start to the stop of the server."""

    def start(self) -> None:
        """Starts the threads."""

    def end(self) -> None:
        """Requests the end without waiting for it."""


class RpcServer:
    """Serves the services on one port. Between `start` and `stop`, health is SERVING while the probe succeeds. `probe`
    raises if the service cannot work, for example without its database. The health of `liveness` ignores the probe.
    """

    def __init__(
        self,
        settings: RpcSettings,
        services: Sequence[Registration],
        statuses: rpc_errors.StatusTable,
        background_tasks: Sequence[BackgroundTask] = (),
        probe: Callable[[], None] | None = None,
        readings: Sequence[Reading] = (),
        missing: Sequence[str] = (),
    ) -> None:
        """`readings` set metrics at intervals. The health of what is `missing` is NOT_SERVING: settings without which
        the service works in part.
        """
        self._settings = settings
        self._probe = HealthProbe(probe, self._set_health, settings.health_interval_s) if probe is not None else None
        self._missing = missing
        self._background_tasks = [*background_tasks, Sampler(readings)]
        self._health = health_aio.HealthServicer()
        self._names = [service.name for service in services]
        callers_of = {path: callers for service in services for path, callers in service.callers_of().items()}
        self.certificates = None if settings.tls_dir is None else Certificates(settings.tls_dir)
        is_mutual = self.certificates is not None
        self._admission = Admission(Callers.parse(settings.callers), callers_of, is_mutual=is_mutual)
        self._following: list[asyncio.Task[None]] = []
        self._server = grpc.aio.server(
            interceptors=[_CallInterceptor(self._admission, statuses, settings.max_concurrent_calls)],
            options=[
                ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
                ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
                ("grpc.max_connection_age_ms", settings.connection_max_age_s * 1000),
                ("grpc.max_connection_age_grace_ms", int(settings.drain_s * 1000)),
                ("grpc.http2.min_ping_interval_without_data_ms", KEEPALIVE_MS // 2),
                ("grpc.keepalive_permit_without_calls", 1),  # a ping may arrive just after the last call has ended
                ("grpc.so_reuseport", 0),
            ],
        )
        for service in services:
            service.add_to(self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)

    async def start(self) -> int:
        """Starts to listen. Returns the port. Raises OSError if the address is in use."""
        address = f"{self._settings.host}:{self._settings.port}"
        try:
            port = (
                self._server.add_insecure_port(address)
                if self.certificates is None
                else self._server.add_secure_port(address, self.certificates.server_credentials())
            )
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}") from error
        await self._server.start()
        if (file := self._settings.file_of("callers")) is not None:
            self._following.append(asyncio.create_task(follow([file], partial(self._read_callers, file))))
        if self.certificates is not None:
            self._following.append(asyncio.create_task(follow(self.certificates.files, self.certificates.read)))
        for task in self._background_tasks:
            task.start()
        await self._health.set(LIVENESS, health_pb2.HealthCheckResponse.SERVING)
        for name in self._missing:
            await self._health.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)
        if self._probe is not None:
            await self._probe.start()
        else:
            await self._set_health(True)
        log.info("listening", extra={"host": self._settings.host, "port": port})
        return port

    def _read_callers(self, file: Path) -> None:
        self._admission.callers = Callers.parse(file.read_text(encoding="utf-8"))

    async def _set_health(self, is_serving: bool) -> None:
        answers = health_pb2.HealthCheckResponse
        _serving.set(is_serving)
        for name in ("", *self._names):
            await self._health.set(name, answers.SERVING if is_serving else answers.NOT_SERVING)

    async def stop(self) -> None:
        """Refuses new calls, waits for running calls up to `drain_s`, then closes."""
        for following in self._following:
            following.cancel()
        if self._probe is not None:
            await self._probe.stop()
        await self._health.enter_graceful_shutdown()
        for task in self._background_tasks:
            task.end()
        await self._server.stop(self._settings.drain_s)

    async def serve_until_signalled(self) -> None:
        """Serves until SIGTERM or SIGINT, then stops gracefully."""
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        for signum in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(signum, stopping.set)
        if self._settings.metrics_port is not None:
            start_http_server(self._settings.metrics_port, self._settings.host)
        await self.start()
        await stopping.wait()
        log.info("draining")
        await self.stop()


class _CallInterceptor(grpc.aio.ServerInterceptor):
    """Wraps every handler: admits the caller, sets request id, language and deadline, maps errors, records metrics.

    It limits the concurrent calls itself, since gRPC's own limit would also refuse the health checks of a busy service.
    """

    def __init__(self, admission: Admission, statuses: rpc_errors.StatusTable, max_calls: int) -> None:
        self._admission = admission
        self._statuses = statuses
        self._max_calls = max_calls
        self._running = 0
        self._wrapped: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        """The wrapped handlers by method: only methods that exist."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        method = handler_call_details.method
        if (wrapped := self._wrapped.get(method)) is not None:
            return wrapped
        handler: Any = await continuation(handler_call_details)
        if handler is None or method.startswith(_OPEN_PREFIXES):
            return handler  # type: ignore[no-any-return]
        self._wrapped[method] = wrapped = self._wrap(handler, method)
        return wrapped

    def _wrap(self, handler: Any, method: str) -> grpc.RpcMethodHandler[Any, Any]:
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(
                self._unary(handler.unary_unary, method), handler.request_deserializer, handler.response_serializer
            )
        if handler.unary_stream is not None:
            return grpc.unary_stream_rpc_method_handler(
                self._stream(handler.unary_stream, method), handler.request_deserializer, handler.response_serializer
            )
        raise ValueError(f"{method}: a method takes one request")

    def _unary(self, behaviour: Callable[[Any, Any], Awaitable[Any]], method: str) -> Callable[[Any, Any], Any]:
        serve = self._serve(method)

        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            async with serve(context):
                return await behaviour(request, context)

        return call

    def _stream(self, behaviour: Callable[[Any, Any], AsyncGenerator[Any]], method: str) -> Callable[[Any, Any], Any]:
        serve = self._serve(method)

        async def respond(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncGenerator[Any]:
            async with serve(context), aclosing(behaviour(request, context)) as responses:
                async for response in responses:
                    yield response

        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
            # gRPC would leave the generator of a cancelled call to the garbage collector, which ends it in another task
            async with aclosing(respond(request, context)) as responses:
                async for response in responses:
                    try:
                        await context.write(response)
                    except grpc.aio.InternalError:
                        # gRPC cancels this call as soon as it knows that its client has left; else this is an error
                        await asyncio.sleep(_CANCELLATION_S)
                        raise

        return call

    def _serve(self, method: str) -> Callable[[grpc.aio.ServicerContext[Any, Any]], AbstractAsyncContextManager[None]]:
        """The context manager of the calls of a method. Looks up the labels of their metrics once."""
        count, duration = _calls.labels(method, "OK"), _seconds.labels(method)

        @asynccontextmanager
        async def serve(context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[None]:
            await self._admit(method, context)
            started_at = time.perf_counter()
            self._running += 1
            with tracing.served(method, context):
                try:
                    if self._running > self._max_calls:
                        raise Overloaded(TOO_MUCH_WORK, retry_after_s=RETRY_AFTER_S)
                    with deadline(context.time_remaining()):
                        yield
                except Exception as error:
                    await self._fail(error, method, context)
                finally:
                    self._running -= 1
            count.inc()
            duration.observe(time.perf_counter() - started_at)

        return serve

    async def _admit(self, method: str, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        metadata = dict(context.invocation_metadata() or ())
        try:
            self._admission.admit(method, metadata.get(TOKEN_HEADER, ""), context)
        except Refused as refused:
            await context.abort(*refused.args)
        headers = {name: value for name, value in metadata.items() if isinstance(value, str)}
        request_id.set(accept_request_ids(headers.get(REQUEST_ID_HEADER)))
        requester.set(accept_requester(headers.get(REQUESTER_HEADER)))
        language.set(accept_language(headers.get(LANGUAGE_HEADER)))
        failed_parts.set([])

    async def _fail(self, error: Exception, method: str, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        if isinstance(error, ServiceError):
            status = rpc_errors.status_of(error, self._statuses)
            _calls.labels(method, status.name).inc()
            encoded = rpc_errors.encode_status(error, status)
            await context.abort(status, str(error.detail), ((rpc_errors.DETAILS_KEY, encoded),))
        if isinstance(error, grpc.aio.AbortError):
            raise error
        _calls.labels(method, "INTERNAL").inc()
        log.exception("call failed", extra={"method": method})
        await context.abort(grpc.StatusCode.INTERNAL, "internal error")
