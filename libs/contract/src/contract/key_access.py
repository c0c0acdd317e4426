"""Decides which endpoints an API key may call, and from which networks. Keys and the edge both apply these rules."""

from collections.abc import Collection, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from contract.endpoints import DIVIDE_LAND, EXPLICIT_SCOPES, LISTS, SCOPES

Network = IPv4Network | IPv6Network


class AccessDenial(NamedTuple):
    """The code of the problem, and the values of its sentence by name."""

    code: str
    facts: Mapping[str, str] = {}


def access_denial(
    endpoint: str,
    client_address: str,
    *,
    scopes: Collection[str],
    networks: Sequence[Network],
    is_assistant_disabled: bool,
) -> AccessDenial | None:
    """Returns the first reason to deny the request, or None if the key allows it.

    No scopes are all endpoints but EXPLICIT_SCOPES, and no networks are all addresses. Endpoints that no scope can name
    are always allowed.
    """
    scope = LISTS.get(endpoint, endpoint)
    needs_scope = scope in (SCOPES if scopes else EXPLICIT_SCOPES)
    if needs_scope and scope not in scopes:
        return AccessDenial("scope_denied", {"endpoint": scope})
    if networks and not _is_inside(networks, client_address):
        return AccessDenial("ip_denied")
    if is_assistant_disabled and endpoint == DIVIDE_LAND:
        return AccessDenial("assistant_denied")
    return None


def _is_inside(networks: Sequence[Network], address: str) -> bool:
    """Whether an address is in one of the networks. An IPv4-mapped IPv6 address counts as its IPv4 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in network for network in networks)
