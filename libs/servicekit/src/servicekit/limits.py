"""What limits count: client addresses and their networks, and what is under way by any key.

A key without a count takes no memory.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeVar

Network = IPv4Network | IPv6Network
SUBSCRIBER_BITS = 64
"""Length of the network prefix that identifies one subscriber in IPv6."""


@lru_cache(maxsize=4096)
def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """None if it is no address. An IPv4-mapped IPv6 address counts as its IPv4 address."""
    try:
        parsed = ip_address(text)
    except ValueError:
        return None
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return mapped or parsed


def is_inside(address: str, networks: Sequence[Network]) -> bool:
    """Whether an address is in one of the networks."""
    parsed = parse_address(address)
    return parsed is not None and any(parsed in network for network in networks)


def network_of(address: str, bits: int = SUBSCRIBER_BITS) -> str:
    """Returns an IPv4 address unchanged, and the network of an IPv6 address."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(IPv6Network((int(parsed), bits), strict=False))
    return str(parsed or address)


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
