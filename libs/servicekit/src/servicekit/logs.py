"""Logs with the service, the request id and the trace id: one JSON object per line, or text for a terminal."""

import faulthandler
import logging

from pythonjsonlogger.json import JsonFormatter

from servicekit import tracing
from servicekit.context import request_id
from servicekit.settings import Settings


_STANDARD_ERROR = 2
"""The file descriptor: tests replace sys.stderr by an object without one."""


class _RequestFilter(logging.Filter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def filter(self, record: logging.LogRecord) -> bool:
        record.service = self._service
        record.request_id = request_id.get() or None
        record.trace_id = tracing.trace_id()
        return True


def configure(service: str, settings: Settings) -> None:
    """Writes all log records of this process to standard error. Records have a trace id if traces are on by now. A
    crash of the interpreter writes its stack.
    """
    faulthandler.enable(_STANDARD_ERROR)
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False  # no line has them
    handler = logging.StreamHandler()
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
