"""The client address and the scheme of a request. Forwarded headers count only from trusted proxies."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from starlette.datastructures import Headers
from starlette.types import Scope

Networks = Sequence[IPv4Network | IPv6Network]


def client_address(scope: Scope, trusted: Networks) -> str:
    """The address of the client; an empty string if there is none, as on a Unix socket.

    Takes the last address of X-Forwarded-For that is not a trusted proxy. A client can forge the addresses before it.
    """
    peer = _peer(scope)
    if not is_trusted(peer, trusted):
        return peer
    for hop in reversed(_forwarded(scope)):
        if _parse(hop) is None:
            return peer
        if not is_trusted(hop, trusted):
            return str(_parse(hop))
        peer = hop
    return peer


def is_https(scope: Scope, trusted: Networks) -> bool:
    forwarded = Headers(scope=scope).get("x-forwarded-proto", "") if is_trusted(_peer(scope), trusted) else ""
    return "https" in (scope["scheme"], forwarded.strip().lower())


def _peer(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""


def _forwarded(scope: Scope) -> list[str]:
    joined = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
    return [hop.strip() for hop in joined.split(",") if hop.strip()]


def is_trusted(address: str, trusted: Networks) -> bool:
    parsed = _parse(address)
    return parsed is not None and any(parsed in network for network in trusted)


@lru_cache(maxsize=4096)
def _parse(address: str) -> IPv4Address | IPv6Address | None:
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed
