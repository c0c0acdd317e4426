"""Logs with the service, the request id and the trace id: one JSON object per line, or text for a terminal.

What others than the log handlers write to standard error is logged too: gRPC's core, other libraries in C, tracebacks.
File descriptor 2 becomes a pipe, and a thread reads its lines. Log handlers write to the descriptor that 2 was before.
"""

import atexit
import faulthandler
import fcntl
import logging
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TextIO

from pythonjsonlogger.json import JsonFormatter

from servicekit import tracing
from servicekit.context import request_id
from servicekit.settings import Settings

MAX_LINE_BYTES = 8_192
"""The rest of a longer line is dropped."""
PIPE_BYTES = 1 << 20
JOINED_WITHIN_S = 1.0
"""Processes that were started by this one may hold the pipe open for longer."""
_FD = 2
_READ_BYTES = 1 << 16
_ABSL_LINE = re.compile(r"([IWEF])\d{4} \d\d:\d\d:\d+\.\d+ +\d+ (\S+:\d+\] .*)", re.DOTALL)
_ABSL_LEVELS = {"I": logging.INFO, "W": logging.WARNING, "E": logging.ERROR, "F": logging.CRITICAL}


def redirect(format_line: Callable[[logging.LogRecord], str]) -> TextIO:
    """Formats a record of each line in a thread and writes the text. Returns a stream to the earlier descriptor.

    A full pipe drops lines: code in C that waits with the interpreter's lock would stop the thread that empties it.
    A crash of the interpreter writes its stack to the earlier descriptor. Call it once.
    """
    output = open(os.dup(_FD), "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115
    faulthandler.enable(output)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with suppress(AttributeError, OSError):  # not Linux, or no more than the default is allowed
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    os.dup2(writing, _FD)
    os.close(writing)
    reader = Thread(target=_read, args=(reading, output.fileno(), format_line), name="standard error", daemon=True)
    reader.start()

    def restore() -> None:
        sys.stderr.flush()
        os.dup2(output.fileno(), _FD)  # closes the pipe, so that the reader ends
        reader.join(JOINED_WITHIN_S)

    atexit.register(restore)
    return output


def _read(reading: int, writing: int, format_line: Callable[[logging.LogRecord], str]) -> None:
    def write(line: bytes) -> None:
        text = format_line(_record(line))
        if text:
            with suppress(OSError):  # nobody reads the log
                os.write(writing, f"{text}\n".encode())

    line = b""
    while read := os.read(reading, _READ_BYTES):
        *ends, beginning = read.split(b"\n")
        for end in ends:
            write(line + end)
            line = b""
        line = (line + beginning)[:MAX_LINE_BYTES]
    if line:
        write(line)


def _record(line: bytes) -> logging.LogRecord:
    text = line[:MAX_LINE_BYTES].decode(errors="backslashreplace")
    name, level = "stderr", logging.WARNING
    if absl := _ABSL_LINE.fullmatch(text):
        name, level, text = "grpc", _ABSL_LEVELS[absl[1]], absl[2]
    return logging.LogRecord(name, level, "", 0, text, None, None)


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
        _output = redirect(partial(_line, handler))
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
