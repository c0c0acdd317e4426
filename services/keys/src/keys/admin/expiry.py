"""The expiry of keys and tokens."""

from datetime import datetime, timedelta

from keys.checks import Fault, refuse
from keys.clock import LATEST
from servicekit.languages import Text


def check_expiry(expires_at: datetime | None, now: datetime, longest: timedelta | None = None) -> None:
    """Raises InvalidPayload for an instant that is not in the future, or is further ahead than `longest`."""
    if expires_at is None:
        return
    if expires_at <= now:
        raise refuse("/expires_at", Fault("out_of_range", Text("cet instant est passé", "this instant is past")))
    if expires_at > (LATEST if longest is None else now + longest):
        detail = Text("cet instant est trop lointain", "this instant is too far ahead")
        raise refuse("/expires_at", Fault("out_of_range", detail))
