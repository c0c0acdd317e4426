"""Spans of OpenTelemetry, and their export. Import it only if traces are on."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

import atexit
import logging
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import Context
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import grpc
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
from opentelemetry.trace import Link, Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from prometheus_client import Counter

from servicekit.context import request_id

if TYPE_CHECKING:
    from servicekit.tracing import TracingSettings

log = logging.getLogger(__name__)

TRACE_HEADER = "traceparent"
REQUEST_ID = "landpartner.request_id"
MAX_QUEUED_SPANS = 4_096
"""Spans that wait for the collector. Further ones are dropped."""
MAX_EXPORTED_SPANS = 512
EXPORT_TIMEOUT_S = 5.0
"""Time of one batch with its retries. A service is killed that ends no later than 7 s after its requests."""
MAX_STATEMENT = 1_000
_OK = 0
_SERVER_ERROR = 500

_exports = Counter("trace_exports", "Batches of spans for the collector, by result.", ["result"])
for _result in ("accepted", "failed"):  # from 0, so that a rate includes the first one
    _exports.labels(_result)
_format = TraceContextTextMapPropagator()
_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE|JOIN|TABLE)\s+([\w.\"]+)", re.IGNORECASE)


class _Exporter(SpanExporter):
    """Counts the batches, and logs once if the collector stops or starts to accept them."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._has_failed = False
        self._is_ending = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        has_failed = self._exporter.export(spans) is not SpanExportResult.SUCCESS
        _exports.labels("failed" if has_failed else "accepted").inc()
        if has_failed and not self._has_failed:
            log.warning("traces are lost: the collector does not accept them")
        elif self._has_failed and not has_failed:
            log.info("the collector accepts traces again")
        self._has_failed = has_failed
        self._give_up()
        return SpanExportResult.FAILURE if has_failed else SpanExportResult.SUCCESS

    def end(self) -> None:
        """Interrupts the retries of a collector that does not answer, so that the process can end."""
        self._is_ending = True
        self._give_up()

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def _give_up(self) -> None:
        if self._is_ending and self._has_failed:
            self._exporter.shutdown()


class Spans:
    """Makes the spans of one process."""

    def __init__(self, service: str, settings: TracingSettings) -> None:
        for name in ("opentelemetry.exporter", "opentelemetry.sdk"):  # `_Exporter` logs once what they log each time
            logging.getLogger(name).setLevel(logging.CRITICAL)
        resource = Resource.create(
            {
                "service.namespace": "landpartner",
                "service.name": service,
                "service.version": version(service),
                "service.instance.id": socket.gethostname(),
            }
        )
        headers = settings.exporter_otlp_headers.get_secret_value() or None
        self._exporter = _Exporter(
            OTLPSpanExporter(settings.exporter_otlp_endpoint, headers=headers, timeout=EXPORT_TIMEOUT_S)
        )
        processor = BatchSpanProcessor(
            self._exporter, max_queue_size=MAX_QUEUED_SPANS, max_export_batch_size=MAX_EXPORTED_SPANS
        )
        sampler = ParentBasedTraceIdRatio(settings.traces_sampler_arg)
        self._provider = TracerProvider(sampler, resource, shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("servicekit")
        atexit.register(self.close)

    def close(self) -> None:
        """Exports the spans of the queue if the collector answers."""
        atexit.unregister(self.close)
        self._exporter.end()
        self._provider.shutdown()

    def trace_id(self) -> str | None:
        context = trace.get_current_span().get_span_context()
        return trace.format_trace_id(context.trace_id) if context.trace_flags.sampled else None

    @contextmanager
    def received(self) -> Iterator[Span]:
        """The span of a request of a partner: the root of a trace. A `traceparent` of the request is ignored: its
        sender could choose which requests are traced, and mix them into traces of others.
        """
        nothing = trace.set_span_in_context(trace.INVALID_SPAN)
        with self._span("request", SpanKind.SERVER, {}, context=nothing) as span:
            yield span

    def answered(self, span: Span, method: str, route: str, status: int) -> None:
        """Completes the span of `received`."""
        span.update_name(f"{method} {route}")
        span.set_attributes({"http.request.method": method, "http.route": route, REQUEST_ID: request_id.get()})
        span.set_attribute("http.response.status_code", status)
        if status >= _SERVER_ERROR:
            span.set_status(StatusCode.ERROR)

    @contextmanager
    def served(self, method: str, call: grpc.aio.ServicerContext[Any, Any]) -> Iterator[None]:
        """A span of the server of a call."""
        metadata = call.invocation_metadata() or ()
        parent = _format.extract({name: value for name, value in metadata if name == TRACE_HEADER})
        if not trace.get_current_span(parent).get_span_context().is_valid:
            yield
            return
        attributes = {**_method(method), REQUEST_ID: request_id.get()}
        with self._span(method[1:], SpanKind.SERVER, attributes, context=parent) as span:
            try:
                yield
            finally:
                _set_status(span, call.code())

    def calling(self, method: str, options: dict[str, Any]) -> Span | None:
        """The span of a call, within a request only. Adds its id to the metadata. Pass it to `called`."""
        if not trace.get_current_span().is_recording():
            return None
        span = self._tracer.start_span(method[1:], kind=SpanKind.CLIENT, attributes=_method(method))
        headers: dict[str, str] = {}
        _format.inject(headers, trace.set_span_in_context(span))
        options["metadata"] = (*(options.get("metadata") or ()), *headers.items())
        return span

    def called(self, span: Span, status: Any) -> None:
        """Ends the span of a call."""
        _set_status(span, status)
        span.end()

    @contextmanager
    def batch(self, name: str, requests: Sequence[Span]) -> Iterator[None]:
        """A span of a call for several requests, with links to and from their spans. It is in the trace of the first
        sampled one.
        """
        sampled = [span for span in requests if span.is_recording()]
        if not sampled:
            yield
            return
        links = [Link(span.get_span_context()) for span in sampled]
        parent = trace.set_span_in_context(sampled[0])
        attributes = {"landpartner.batch_size": len(requests), REQUEST_ID: request_id.get()}
        with self._span(name, SpanKind.INTERNAL, attributes, context=parent, links=links) as batch:
            for span in sampled[1:]:
                span.add_link(batch.get_span_context())
            yield

    def current(self) -> Span:
        return trace.get_current_span()

    def statement(self, system: str, text: str) -> AbstractContextManager[Any]:
        """A span of a statement, within a request only. Its text has no values."""
        return self._within_request(_summary(text), {"db.system.name": system, "db.query.text": text[:MAX_STATEMENT]})

    def requested(self, url: str) -> AbstractContextManager[Any]:
        """A span of an HTTP request to another host, within a request only."""
        host = urlsplit(url).hostname or ""
        return self._within_request(f"HTTP {host}", {"server.address": host})

    @contextmanager
    def continued(self, name: str, context: Context) -> Iterator[None]:
        parent = trace.set_span_in_context(context.run(trace.get_current_span))
        if not trace.get_current_span(parent).get_span_context().trace_flags.sampled:
            yield
            return
        with self._span(name, SpanKind.INTERNAL, {REQUEST_ID: request_id.get()}, context=parent):
            yield

    def _within_request(self, name: str, attributes: Mapping[str, Any]) -> AbstractContextManager[Any]:
        if not trace.get_current_span().is_recording():
            return nullcontext()
        return self._span(name, SpanKind.CLIENT, attributes)

    @contextmanager
    def _span(self, name: str, kind: SpanKind, attributes: Mapping[str, Any], **options: Any) -> Iterator[Span]:
        """A current span. The text of an error may contain personal data, so only its class is recorded."""
        with self._tracer.start_as_current_span(
            name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False, **options
        ) as span:
            try:
                yield span
            except Exception as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(StatusCode.ERROR)
                raise


def _method(method: str) -> Mapping[str, str]:
    return {"rpc.system": "grpc", "rpc.method": method[1:]}


def _set_status(span: Span, status: Any) -> None:
    """`status` is None before the end of a call, a number, or an item of grpc's enumeration."""
    code = status.value[0] if isinstance(status, grpc.StatusCode) else status or _OK
    span.set_attribute("rpc.grpc.status_code", code)
    if code != _OK:
        span.set_status(StatusCode.ERROR)


@lru_cache(maxsize=1_024)
def _summary(statement: str) -> str:
    """The operation and the first table of a statement."""
    operation = statement.split(None, 1)[0].upper() if statement.strip() else "statement"
    table = _TABLE.search(statement)
    return f"{operation} {table[1]}" if table else operation
