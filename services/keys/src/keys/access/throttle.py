"""How attempts to get in are slowed down.

Counted per account and address together, per address, and per account. The last is held against addresses alone from
which the account never signed in: so nobody locks a victim out from afar, and many addresses gain nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

FORGOTTEN_AFTER = timedelta(minutes=30)
_LONGEST_WAIT_S = 900


@dataclass(frozen=True)
class Limit:
    """One thing that attempts are counted for. From `free` failures on, each doubles the time until the next."""

    subject: str
    free: int


def limits_of_sign_in(email: str, address: str, *, is_known_address: bool) -> Sequence[Limit]:
    limits = [Limit(f"pair {address} {email}", 5), Limit(f"address {address}", 20)]
    return limits if is_known_address else [*limits, Limit(f"account {email}", 50)]


def limits_of_setup(address: str) -> Sequence[Limit]:
    return [Limit(f"setup {address}", 5), Limit(f"address {address}", 20)]


def wait_s(limit: Limit, failures: int, last_at: datetime, now: datetime) -> int:
    """Seconds until another attempt is looked at; 0 where it is now."""
    if failures < limit.free or now - last_at >= FORGOTTEN_AFTER:
        return 0
    wait = min(_LONGEST_WAIT_S, 1 << min(failures - limit.free, 10))
    return max(0, wait - int((now - last_at).total_seconds()))
