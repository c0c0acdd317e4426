"""Authorizes every request under /api/v1, before it answers 404 or 405 and before it reads a body.

The route of a request is looked up and called here. It gives the required credential and the endpoint that keys meters.
Without a route, the path alone gives the credential, and the answer is 404 or 405.
"""

import logging
import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.parse import parse_qsl

from prometheus_client import Counter
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from contract import key_text
from contract.endpoints import DIVIDE_LAND, OTHER, PAGES, SUGGEST, WEIGHTS
from contract.problem_codes import PROBLEMS
from edge.access import PUBLIC, Access, Admission, PathClass, admit, default_access
from edge.admin.credentials import caller_of, refuse_cross_origin
from edge.clients.admin import AdminClient
from edge.leases.decisions import Denied, Grant, RequestKind, refusal
from edge.leases.leases import Leases, RequestKey
from edge.metering.outcomes import OutcomeLog
from edge.metering.spool import SpoolFull
from edge.middleware.attempts import AddressLimit, CredentialLimit
from edge.middleware.capacity import Capacity
from edge.middleware.client_address import Networks, client_address
from edge.middleware.headers import IS_HEAD
from edge.middleware.metered import MeteredRequest, Settlement
from edge.problems import Problem
from edge.responses import to_response
from edge.routing import PathRoutes, PlainRoute, RouteTable
from servicekit.languages import Text

log = logging.getLogger(__name__)

KEY_HEADER = "x-api-key"
_RAW_KEY_HEADER = KEY_HEADER.encode()
_PAID = frozenset(endpoint for endpoint, units in WEIGHTS.items() if units) | {SUGGEST}
"""Endpoints whose answers may cost units. A HEAD is not answered by them, since it costs nothing."""
_BEARER = b"bearer "
_IDEMPOTENCY_HEADER = b"idempotency-key"
_KEY_PARAMETERS = frozenset({"x-api-key", "api_key", "apikey"})
_MAX_QUERY_FIELDS = 100
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f-\x9f]")

_refused = Counter("edge_keys_refused", "Requests without a usable key.", ["code"])
_refused.labels("invalid_key")  # from 0, so that a rate includes the first one


@dataclass(frozen=True)
class Authorization:
    routes: RouteTable
    leases: Leases
    outcomes: OutcomeLog
    admin: AdminClient
    capacity: Capacity
    open_routes: AddressLimit
    credentials: CredentialLimit
    trusted_proxies: Networks

    async def __call__(
        self, scope: Scope, receive: Receive, send: Send, wrap: Callable[[ASGIApp], ASGIApp] | None = None
    ) -> None:
        """`wrap` gives the application that runs instead of the route, when the request has been authorized."""
        try:
            _refuse_control_characters(scope)
            path = self.routes.lookup(scope["path"])
            route = path.by_method.get(scope["method"])
            access = _access_of(route, scope) if route is not None else _access_without_route(scope["path"], path)
            app: ASGIApp
            if route is not None and scope.get(IS_HEAD) and access.endpoint in _PAID:
                access, app = Access(PathClass.KEY, OTHER), _head_response()
            elif route is None:
                app = to_response(_no_route(path), scope["path"])
            else:
                app = route.handle if wrap is None else wrap(route.handle)
                scope["path_params"] = path.path_params
            if access.path_class is not PathClass.OUTSIDE:
                _refuse_key_in_query(scope)
            await self.authorize(app, access, scope, receive, send)
        except Problem as problem:
            await to_response(problem, scope["path"])(scope, receive, send)

    async def authorize(self, app: ASGIApp, access: Access, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs an application with the access of a route. Raises Problem if the request is refused."""
        match access.path_class:
            case PathClass.KEY:
                with ExitStack() as occupied:
                    await self._authorize_key(app, access.endpoint, occupied, scope, receive, send)
            case PathClass.AGENT:
                address = client_address(scope, self.trusted_proxies)
                _take_bearer(scope)
                api_key = self._api_key(scope, address)
                if denied := self.leases.over_rate(api_key, RequestKind(OTHER, address)):
                    raise refusal(denied)  # before its message is read
                with self.capacity.agents.share(key=api_key):
                    await self._decide(api_key, RequestKind(OTHER, address, goes_on=True))
                    admit(scope, PathClass.AGENT)
                    await app(scope, receive, send)
            case PathClass.ADMIN:
                with self.capacity.admin.slot():
                    await self._authorize_admin(app, scope, receive, send)
            case PathClass.OPEN:
                address = client_address(scope, self.trusted_proxies)
                self.open_routes.take(address)
                with self.capacity.unauthenticated_slot(address):
                    await app(scope, receive, send)
            case _:
                await app(scope, receive, send)

    async def _authorize_key(
        self, app: ASGIApp, endpoint: str, occupied: ExitStack, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Runs the request with what is `occupied`: a slot, and shares of its key and its partner."""
        started = time.perf_counter()
        slot = occupied.enter_context(self.capacity.requests.slot())
        address = client_address(scope, self.trusted_proxies)
        api_key = self._api_key(scope, address)
        reserves_line = endpoint == DIVIDE_LAND and any(name == _IDEMPOTENCY_HEADER for name, _ in scope["headers"])
        kind = RequestKind(endpoint, address, reserves_line)
        try:
            self.outcomes.hold()
        except SpoolFull as error:
            log.error("no space for outcomes", extra={"reason": str(error)})
            raise Problem("unavailable") from error
        try:
            grant = await self._decide(api_key, kind)
        except BaseException:
            self.outcomes.release()
            raise
        request_key = RequestKey(self.leases, api_key, kind._replace(reserves_line=False, goes_on=True))
        admission = Admission(grant, endpoint, request_key, grant.rate_limits, reserves_line=reserves_line)
        admit(scope, admission)
        try:
            occupied.enter_context(self.capacity.shares.share(key=grant.key_id, partner=grant.partner_id))
        except Problem as problem:
            app = to_response(problem, scope["path"])
        settlement = Settlement(self.outcomes, admission, started)
        await MeteredRequest(app, settlement, admission, slot, receive, send)(scope)

    async def _decide(self, api_key: str, kind: RequestKind) -> Grant:
        """Decides a request of a key. Does not wait if its lease covers the request. Raises Problem."""
        decision = self.leases.decide(api_key, kind)
        if decision is None:
            with self.capacity.undecided.share(key=api_key):
                decision = await self.credentials.verify(
                    kind.client_address, api_key, lambda: self.leases.wait(api_key, kind), _is_issued
                )
        if isinstance(decision, Grant):
            return decision
        if not _is_issued(decision):
            _refused.labels("invalid_key").inc()
        raise refusal(decision)

    async def _authorize_admin(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        caller = caller_of(connection, self.trusted_proxies)
        if not caller.bearer_token:
            refuse_cross_origin(connection)
        credential = caller.bearer_token or caller.session_token
        if not credential:
            raise Problem("sign_in_required")
        refusal = await self.credentials.verify(
            caller.client_address,
            credential,
            lambda: self.admin.refusal_of(caller),
            lambda refusal: refusal is None or refusal.code != "sign_in_required",
        )
        if refusal is not None:
            raise refusal
        admit(scope, PathClass.ADMIN)
        await app(scope, receive, send)

    def _api_key(self, scope: Scope, address: str) -> str:
        """The key of the request. If it is not usable, counts an attempt of the address and raises Problem."""
        try:
            return _api_key(scope)
        except Problem:
            self.open_routes.take(address)
            raise


def _is_issued(decision: Grant | Denied) -> bool:
    """Whether the key exists, even if the request is denied."""
    return isinstance(decision, Grant) or decision.denial.code != "invalid_key"


def _access_of(route: PlainRoute, scope: Scope) -> Access:
    """The access of a route. A further page of a list is an endpoint of its own."""
    parameter, pages = PAGES.get(route.access.endpoint, ("", ""))
    if not pages or not any(name == parameter for name, _ in parse_qsl(scope["query_string"].decode("latin-1"))):
        return route.access
    return Access(PathClass.KEY, pages)


def _access_without_route(path: str, routes: PathRoutes) -> Access:
    """The access that a 404 or 405 of this path needs."""
    if routes.by_method and all(route.access == PUBLIC for route in routes.by_method.values()):
        return PUBLIC
    return default_access(path)


def _head_response() -> Response:
    """200 without a length: that of the answer to GET is not known."""
    response = Response()
    del response.headers["content-length"]
    return response


def _no_route(path: PathRoutes) -> Problem:
    if not path.by_method:
        return Problem("not_found", Text("Ce chemin n’existe pas.", "This path does not exist."))
    methods = {*path.by_method, *({"HEAD"} if "GET" in path.by_method else ())}
    allowed = ", ".join(sorted(methods))
    return Problem(
        "method_not_allowed",
        Text(f"Ce chemin répond à {allowed}.", f"This path answers {allowed}."),
        headers={"allow": allowed},
    )


def _refuse_control_characters(scope: Scope) -> None:
    """Raises Problem if the decoded path contains a control character."""
    if _CONTROL_CHARACTER.search(scope["path"]):
        raise Problem(
            "invalid_payload",
            Text("Le chemin contient un caractère de contrôle.", "The path holds a control character."),
        )


def _refuse_key_in_query(scope: Scope) -> None:
    query: bytes = scope["query_string"]
    if not query:
        return
    try:
        fields = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=_MAX_QUERY_FIELDS)
    except ValueError:
        detail = Text(
            f"L’adresse a plus de {_MAX_QUERY_FIELDS} paramètres.",
            f"The address has more than {_MAX_QUERY_FIELDS} parameters.",
        )
        raise Problem("invalid_payload", detail) from None
    for name, value in fields:
        lowered = name.lower()
        if (
            lowered in _KEY_PARAMETERS
            or (lowered == "key" and value.startswith("lp_"))
            or key_text.is_well_formed(value)
        ):
            raise Problem(
                "invalid_payload",
                Text(
                    f"Une clé ne s’envoie jamais dans l’adresse : mettez-la dans l’en-tête {KEY_HEADER}, et "
                    "remplacez celle-ci, car des journaux ont pu la garder.",
                    f"A key is never sent in the address: put it in the {KEY_HEADER} header, and replace this one, "
                    "since logs may have kept it.",
                ),
            )


def _take_bearer(scope: Scope) -> None:
    """Puts the key of `Authorization: Bearer`, which is all that some agents can send, into the header of keys.

    Raises Problem if both headers are there.
    """
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    tokens = [
        value[len(_BEARER) :]
        for name, value in headers
        if name == b"authorization" and value[: len(_BEARER)].lower() == _BEARER
    ]
    if not tokens:
        return
    if any(name == _RAW_KEY_HEADER for name, _ in headers):
        raise Problem(
            "invalid_payload",
            Text(
                f"La clé se met dans {KEY_HEADER} ou dans Authorization, pas dans les deux.",
                f"The key is sent in {KEY_HEADER} or in Authorization, not in both.",
            ),
        )
    scope["headers"] = [header for header in headers if header[0] != b"authorization"]
    scope["headers"] += [(_RAW_KEY_HEADER, token) for token in tokens]


def _api_key(scope: Scope) -> str:
    values: list[str] = [value.decode("latin-1") for name, value in scope["headers"] if name == _RAW_KEY_HEADER]
    if len(values) > 1:
        raise Problem(
            "invalid_payload",
            Text(
                f"L’en-tête {KEY_HEADER} est envoyé plusieurs fois.", f"The {KEY_HEADER} header is sent several times."
            ),
        )
    if not values or not values[0].strip():
        _refused.labels("missing_key").inc()
        raise Problem(
            "missing_key",
            Text(f"L’en-tête {KEY_HEADER} est obligatoire ici.", f"The {KEY_HEADER} header is required here."),
        )
    key = values[0].strip()
    if len(key) > key_text.MAX_LENGTH or not key.isascii() or not key_text.is_well_formed(key):
        _refused.labels("invalid_key").inc()
        raise Problem("invalid_key", PROBLEMS["invalid_key"].detail)
    return key
