"""Logs with the service, the request id and the trace id: one JSON object per line, or text for a terminal."""

import logging
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TextIO

from pythonjsonlogger.json import JsonFormatter

from servicekit import standard_error, tracing
from servicekit.context import request_id
from servicekit.settings import Settings


class _RequestFilter(logging.Filter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def filter(self, record: logging.LogRecord) -> bool:
        record.service = self._service
        record.request_id = request_id.get() or None
        record.trace_id = tracing.trace_id()
        return True


_output: TextIO | None = None


def output() -> TextIO:
    """The stream of log lines: standard error, or what it was before `configure_server`."""
    return _output or sys.stderr


def configure_server(service: str, settings: Settings) -> None:
    """Configures the logs of a server. In JSON, lines that libraries write to standard error become log lines.

    Call it once.
    """
    global _output  # noqa: PLW0603 (there is one standard error)
    handler = configure(service, settings)
    if settings.log_format == "json":
        _output = standard_error.redirect(partial(_line, handler))
        handler.setStream(_output)


def _line(handler: logging.Handler, record: logging.LogRecord) -> str:
    """The text of a line that others wrote; empty if the log level hides it. Takes no lock of the log."""
    handler.filter(record)
    return handler.format(record) if logging.getLogger(record.name).isEnabledFor(record.levelno) else ""


def configure(service: str, settings: Settings) -> logging.StreamHandler[TextIO]:
    """Writes all log records of this process to standard error. Records have a trace id if traces are on by now.

    Returns the handler.
    """
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False  # no line has them
    handler = logging.StreamHandler(output())
    handler.addFilter(_RequestFilter(service))
    if settings.log_format == "json":
        trace_id = "{trace_id}" if tracing.active() is not None else ""
        handler.setFormatter(
            JsonFormatter(
                f"{{asctime}}{{levelname}}{{service}}{{name}}{{message}}{{request_id}}{trace_id}",
                style="{",
                rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
                datefmt="%Y-%m-%dT%H:%M:%S%z",
                json_ensure_ascii=False,
            )
        )
    else:
        handler.setFormatter(logging.Formatter(f"{service:9} %(levelname)-7s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level)
    for noisy in ("httpx", "httpcore", "httpx2", "httpcore2", "alembic"):
        logging.getLogger(noisy).setLevel(max(root.level, logging.WARNING))
    return handler


PAUSE_S = 300.0


class LogLimit:
    """Lets through the first line of each fault, and then one line per pause. Thread-safe.

    It keeps the name of each fault, so there must be few of them.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_lines: dict[str, tuple[float, int]] = {}
        """The time of the last line by the name of the fault, and the number of lines suppressed since then."""
        self._lock = threading.Lock()

    def take(self, name: str) -> int | None:
        """The number of lines that were suppressed since the last line of this fault; None to suppress this one too."""
        with self._lock:
            now = self._clock()
            logged_at, suppressed = self._last_lines.get(name, (now - PAUSE_S, 0))
            if now - logged_at < PAUSE_S:
                self._last_lines[name] = logged_at, suppressed + 1
                return None
            self._last_lines[name] = now, 0
            return suppressed
