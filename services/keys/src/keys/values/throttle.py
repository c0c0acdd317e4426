"""Limits on failed attempts to sign in.

Attempts are counted per account and network together, per network, and per account. A network is an IPv4 address, or
the /64 of an IPv6 address, which one subscriber has. The limit per account applies only to networks from which the
account never signed in. So an attacker elsewhere cannot lock the account's owner out, and gains nothing from many
networks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from servicekit.limits import network_of

FAILURE_LIFETIME = timedelta(minutes=30)
_LONGEST_WAIT_S = 900
_SITE_BITS = 48
"""One subscriber usually has at most a /48: 65,536 networks of /64."""


@dataclass(frozen=True)
class Limit:
    """One counter of attempts. From `free` failures on, each failure doubles the wait before the next attempt."""

    subject: str
    free: int


def limits_of_sign_in(email: str, address: str, *, is_known_network: bool) -> Sequence[Limit]:
    limits = [Limit(f"pair {network_of(address)} {email}", 5), *_limits_of_network(address)]
    return limits if is_known_network else [*limits, Limit(f"account {email}", 50)]


def limits_of(purpose: str, address: str) -> Sequence[Limit]:
    """The limits of attempts that name no account: `setup`, `invitation` or `single sign-on`."""
    return [Limit(f"{purpose} {network_of(address)}", 5), *_limits_of_network(address)]


def limits_of_code(admin_id: str) -> Sequence[Limit]:
    """The limits of one-time codes. They apply to every network, since only a client with the right password tries
    codes.
    """
    return [Limit(f"code {admin_id}", 10)]


def _limits_of_network(address: str) -> list[Limit]:
    """A /48 reaches its limit before an account does, so that one /48 alone cannot slow an account down."""
    network, site = network_of(address), network_of(address, _SITE_BITS)
    limits = [Limit(f"address {network}", 20)]
    return limits if site == network else [*limits, Limit(f"site {site}", 30)]


def wait_s(limit: Limit, failures: int, last_at: datetime, now: datetime) -> int:
    """Seconds until another attempt is accepted; 0 if it is accepted now."""
    if failures < limit.free or now - last_at >= FAILURE_LIFETIME:
        return 0
    wait = min(_LONGEST_WAIT_S, 1 << min(failures - limit.free, 10))
    return max(0, wait - int((now - last_at).total_seconds()))
