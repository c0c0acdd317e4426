"""How attempts to get in are slowed down.

Counted per account and network together, per network, and per account. A network is an IPv4 address, or the /64 of an
IPv6 address, which is what one subscriber has. The count per account is held only against networks from which the
account never signed in: so nobody locks a victim out from afar, and many networks gain nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from servicekit.addresses import network_of

FORGOTTEN_AFTER = timedelta(minutes=30)
_LONGEST_WAIT_S = 900
_SITE_BITS = 48
"""The most that one subscriber is usually given: 65,536 networks of /64."""


@dataclass(frozen=True)
class Limit:
    """One thing that attempts are counted for. From `free` failures on, each doubles the time until the next."""

    subject: str
    free: int


def limits_of_sign_in(email: str, address: str, *, is_known_network: bool) -> Sequence[Limit]:
    limits = [Limit(f"pair {network_of(address)} {email}", 5), *_limits_of_network(address)]
    return limits if is_known_network else [*limits, Limit(f"account {email}", 50)]


def limits_of_setup(address: str) -> Sequence[Limit]:
    return [Limit(f"setup {network_of(address)}", 5), *_limits_of_network(address)]


def limits_of_code(admin_id: str) -> Sequence[Limit]:
    """Of one-time codes, which only those guess who have the password: held against every network."""
    return [Limit(f"code {admin_id}", 10)]


def _limits_of_network(address: str) -> list[Limit]:
    """A site of many networks is slowed down before an account is, so that no site alone slows an account."""
    network, site = network_of(address), network_of(address, _SITE_BITS)
    limits = [Limit(f"address {network}", 20)]
    return limits if site == network else [*limits, Limit(f"site {site}", 30)]


def wait_s(limit: Limit, failures: int, last_at: datetime, now: datetime) -> int:
    """Seconds until another attempt is looked at; 0 where it is now."""
    if failures < limit.free or now - last_at >= FORGOTTEN_AFTER:
        return 0
    wait = min(_LONGEST_WAIT_S, 1 << min(failures - limit.free, 10))
    return max(0, wait - int((now - last_at).total_seconds()))
