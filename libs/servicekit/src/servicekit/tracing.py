"""Traces, if `OTEL_EXPORTER_OTLP_ENDPOINT` is set. Otherwise nothing of OpenTelemetry is imported, and each function
here is one comparison.

A trace starts where a request reaches the edge. Everything else makes a span only within a sampled request. Spans hold
no key, address, parameter of a statement, query of a URL or text of an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import Context
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from servicekit.context import assigned, request_id
from servicekit.settings import Variables

if TYPE_CHECKING:
    import grpc

    from servicekit.spans import Spans

_NO_SPAN: AbstractContextManager[None] = nullcontext()
_spans: Spans | None = None


class TracingSettings(Variables):
    """Variables of OpenTelemetry, the same for all services."""

    model_config = SettingsConfigDict(env_prefix="OTEL_", env_ignore_empty=True)

    exporter_otlp_endpoint: str | None = Field(None, pattern=r"^https?://[^/?#@]+/?$")
    """Collector that receives traces over OTLP/gRPC, such as `http://collector:4317`. Without it there are no traces.
    With `https`, the standard `OTEL_EXPORTER_OTLP_CERTIFICATE` names the file of the authority."""
    exporter_otlp_protocol: Literal["grpc"] = "grpc"
    """No other protocol is supported."""
    exporter_otlp_headers: SecretStr = SecretStr("")
    """Headers for the collector: `name=value,name=value`."""
    traces_sampler_arg: float = Field(1.0, ge=0, le=1)
    """Part of the requests that are traced. The edge decides, and the other services follow."""


def configure(service: str) -> None:
    """Turns traces on if the settings have an endpoint. Call it once, before the service is created."""
    global _spans  # noqa: PLW0603 (there is one process)
    settings = TracingSettings.load()
    if settings.exporter_otlp_endpoint is None:
        return
    from servicekit.spans import Spans  # noqa: PLC0415 (only for traces)

    _spans = Spans(service, settings)


def active() -> Spans | None:
    """The tracer of this process; None if traces are off."""
    return _spans


def trace_id() -> str | None:
    """The id of the current trace, for logs; None without one."""
    return None if _spans is None else _spans.trace_id()


def served(method: str, call: grpc.aio.ServicerContext[Any, Any]) -> AbstractContextManager[Any]:
    """A span of the server of a call."""
    return _NO_SPAN if _spans is None else _spans.served(method, call)


def requested(url: str) -> AbstractContextManager[Any]:
    """A span of an HTTP request to another host, without the path and the query."""
    return _NO_SPAN if _spans is None else _spans.requested(url)


@contextmanager
def continued(name: str, context: Context) -> Iterator[None]:
    """Runs the block for the request with this context, which it may outlive: with its request id and in its trace."""
    span = _NO_SPAN if _spans is None else _spans.continued(name, context)
    with assigned(request_id, context.get(request_id, "")), span:
        yield
