"""Instants as texts: RFC 3339, UTC, whole seconds."""

from datetime import UTC, datetime, timedelta


def utc_now(minus: timedelta = timedelta(0)) -> str:
    return f"{datetime.now(UTC) - minus:%Y-%m-%dT%H:%M:%SZ}"
