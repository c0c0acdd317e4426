"""A collector of traces: receives OTLP over gRPC, and keeps the spans."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

__all__ = ["Collector", "Received", "Span", "Status", "collector"]


@dataclass(frozen=True)
class Received:
    """A span, with the service that sent it."""

    service: str
    span: Span

    @property
    def name(self) -> str:
        return self.span.name

    @property
    def trace_id(self) -> str:
        return self.span.trace_id.hex()

    @property
    def attributes(self) -> Mapping[str, Any]:
        return {
            attribute.key: getattr(attribute.value, attribute.value.WhichOneof("value") or "")
            for attribute in self.span.attributes
        }


@dataclass
class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    port: int = 0
    spans: list[Received] = field(default_factory=list)
    metadata: list[tuple[str, str]] = field(default_factory=list)

    def Export(  # noqa: N802
        self, request: trace_service_pb2.ExportTraceServiceRequest, context: Any
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        self.metadata += context.invocation_metadata()
        for resource in request.resource_spans:
            names = {attribute.key: attribute.value.string_value for attribute in resource.resource.attributes}
            for scope in resource.scope_spans:
                self.spans += [Received(names["service.name"], span) for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def collector() -> Iterator[Collector]:
    receiver = Collector()
    server = grpc.server(ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(receiver, server)  # type: ignore[no-untyped-call]
    receiver.port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield receiver
    finally:
        server.stop(None).wait()
