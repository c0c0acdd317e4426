"""What limits count: the networks of client addresses, and what is under way by any key.

A key without a count takes no memory.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import TypeVar

SUBSCRIBER_BITS = 64
"""Length of the network prefix that identifies one subscriber in IPv6."""


def network_of(address: str, bits: int = SUBSCRIBER_BITS) -> str:
    """Returns an IPv4 address unchanged (IPv4-mapped IPv6 too), and the network of an IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((int(parsed), bits), strict=False))


K = TypeVar("K", bound=Hashable)


@contextmanager
def counted(counts: Counter[K], *keys: K) -> Iterator[None]:
    """Counts these keys while the block runs."""
    counts.update(keys)
    try:
        yield
    finally:
        for key in keys:
            subtract(counts, key)


def subtract(counts: Counter[K], key: K) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]
