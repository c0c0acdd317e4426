"""Admits a call if the caller's token is known, its certificate names the same caller, and it may use the method."""

import logging
from collections.abc import Collection, Mapping
from typing import Any

import grpc
from prometheus_client import Counter

from servicekit.callers import Callers
from servicekit.logs import LogLimit

log = logging.getLogger(__name__)

_UNKNOWN = "unknown"
_NAMES = "x509_subject_alternative_name"

_refused = Counter("rpc_server_refused", "Calls refused before they began.", ["caller", "reason"])


class Refused(Exception):
    """The status and its message are the arguments."""


class Admission:
    """`methods` contains the callers of each method by its path. Nobody may use a method that is missing."""

    def __init__(self, callers: Callers, methods: Mapping[str, Collection[str]], *, is_mutual: bool) -> None:
        self.callers = callers
        """May be replaced at any time."""
        self._methods = methods
        self._is_mutual = is_mutual
        self._log_limit = LogLimit()

    def admit(self, method: str, token: str | bytes, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """Raises Refused. `method` is the path of a method that exists."""
        caller = self.callers.caller_of(token)
        if caller is None:
            raise self._refuse(_UNKNOWN, "token", method, context)
        if self._is_mutual and caller.encode() not in (context.auth_context() or {}).get(_NAMES, ()):
            raise self._refuse(caller, "certificate", method, context)
        if caller not in self._methods.get(method, ()):
            raise self._refuse(caller, "method", method, context)

    def _refuse(self, caller: str, reason: str, method: str, context: grpc.aio.ServicerContext[Any, Any]) -> Refused:
        _refused.labels(caller, reason).inc()
        if (suppressed := self._log_limit.take(f"{caller} {reason} {method}")) is not None:
            facts = {"caller": caller, "reason": reason, "method": method, "peer": context.peer()}
            log.warning("a call was refused", extra={**facts, "suppressed": suppressed})
        if reason == "method":
            return Refused(grpc.StatusCode.PERMISSION_DENIED, f"{caller} may not use this method")
        detail = "the token is missing or unknown" if reason == "token" else "the token and the certificate differ"
        return Refused(grpc.StatusCode.UNAUTHENTICATED, detail)
