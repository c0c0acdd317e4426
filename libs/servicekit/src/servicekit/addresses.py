"""Client addresses as limits count them."""

from ipaddress import IPv4Address, IPv6Network, ip_address

SUBSCRIBER_BITS = 64
"""The part of an IPv6 address that one subscriber has."""


def network_of(address: str, bits: int = SUBSCRIBER_BITS) -> str:
    """Who an address is counted as: an IPv4 address as itself, also where it is written as IPv6, else its network."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((int(parsed), bits), strict=False))
