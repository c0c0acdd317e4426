"""The client address and the scheme of a request. Forwarded headers count only from trusted proxies."""

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from servicekit.limits import Network, is_inside, parse_address

Networks = Sequence[Network]


def client_address(scope: Scope, trusted: Networks) -> str:
    """The address of the client; an empty string if there is none, as on a Unix socket.

    Takes the last address of X-Forwarded-For that is not a trusted proxy. A client can forge the addresses before it.
    """
    peer = _peer(scope)
    if not is_inside(peer, trusted):
        return peer
    for hop in reversed(_forwarded(scope)):
        if parse_address(hop) is None:
            return peer
        if not is_inside(hop, trusted):
            return str(parse_address(hop))
        peer = hop
    return peer


def is_https(scope: Scope, trusted: Networks) -> bool:
    forwarded = Headers(scope=scope).get("x-forwarded-proto", "") if is_inside(_peer(scope), trusted) else ""
    return "https" in (scope["scheme"], forwarded.strip().lower())


def _peer(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""


def _forwarded(scope: Scope) -> list[str]:
    joined = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
    return [hop.strip() for hop in joined.split(",") if hop.strip()]
