"""Logs with the service and the request id: one JSON object per line, or text for a terminal."""

import logging
import sys

from pythonjsonlogger.json import JsonFormatter

from servicekit.context import request_id
from servicekit.settings import Settings


class _RequestIdFilter(logging.Filter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def filter(self, record: logging.LogRecord) -> bool:
        record.service = self._service
        record.request_id = request_id.get() or None
        return True


def configure(service: str, settings: Settings) -> None:
    """Writes all log records of this process to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_RequestIdFilter(service))
    if settings.log_format == "json":
        handler.setFormatter(
            JsonFormatter(
                "{asctime}{levelname}{service}{name}{message}{request_id}",
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
