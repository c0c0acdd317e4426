"""Decides which endpoints an API key may call, and from which networks. Keys and the edge both apply these rules."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from contract.endpoints import DIVIDE_LAND, EXPLICIT_SCOPES, LISTS, SCOPES
from servicekit.limits import Network, is_inside


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
    if networks and not is_inside(client_address, networks):
        return AccessDenial("ip_denied")
    if is_assistant_disabled and endpoint == DIVIDE_LAND:
        return AccessDenial("assistant_denied")
    return None
