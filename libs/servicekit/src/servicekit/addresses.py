"""The networks by which limits count client addresses."""

from ipaddress import IPv4Address, IPv6Network, ip_address

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
