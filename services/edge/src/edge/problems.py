"""Every error that the edge answers: RFC 9457 problems, and the one table of their codes.

Any code below a handler may raise `Problem`. Only `to_response` writes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from edge.access import note_problem
from servicekit.context import request_id
from servicekit.errors import Violation
from servicekit.languages import Text, language
from servicekit.problem_codes import STATUSES

MEDIA_TYPE = "application/problem+json"
MAX_VIOLATIONS = 20
"""An answer lists at most this many violations."""
DEFAULT_RETRY_S = 5
"""Retry-After if the cause of the error gives no time."""
CLIENT_CLOSED_REQUEST = 499
"""Status in logs and outcomes if the client disconnected before the answer was complete; never sent."""


class ProblemType(NamedTuple):
    status: int
    title: Text
    retry: bool
    """Whether the answer always has Retry-After."""


_TITLES: Mapping[str, Text] = {
    "invalid_json": Text("Le corps n’est pas du JSON valide", "The body is not valid JSON"),
    "invalid_payload": Text("Requête invalide", "Invalid request"),
    "missing_key": Text("Clé d’API manquante", "API key missing"),
    "invalid_key": Text("Clé d’API invalide", "Invalid API key"),
    "revoked_key": Text("Clé d’API révoquée", "API key revoked"),
    "expired_key": Text("Clé d’API expirée", "API key expired"),
    "sign_in_required": Text("Connexion requise", "Sign-in required"),
    "invalid_credentials": Text("Identifiants incorrects", "Wrong credentials"),
    "totp_required": Text("Code à usage unique requis", "One-time code required"),
    "invalid_totp": Text("Code à usage unique incorrect", "Wrong one-time code"),
    "invalid_token": Text("Jeton invalide", "Invalid token"),
    "invalid_invitation": Text("Invitation invalide", "Invalid invitation"),
    "scope_denied": Text("Point d’accès hors du périmètre de la clé", "Endpoint not in the key's scope"),
    "ip_denied": Text("Adresse IP non autorisée", "IP address not allowed"),
    "assistant_denied": Text("Assistant non autorisé pour cette clé", "Assistant not allowed for this key"),
    "role_denied": Text("Rôle insuffisant", "Role not sufficient"),
    "totp_enrolment_required": Text("Second facteur à activer d’abord", "Second factor to be enrolled first"),
    "csrf_failed": Text("Jeton anti-CSRF absent ou incorrect", "CSRF token missing or wrong"),
    "not_found": Text("Introuvable", "Not found"),
    "address_not_found": Text("Adresse introuvable", "Address not found"),
    "place_missing": Text("Commune manquante", "Commune missing"),
    "commune_needed": Text("Commune à préciser", "Commune to be named"),
    "parcel_not_found": Text("Parcelle introuvable", "Parcel not found"),
    "parcel_retired": Text("Parcelle supprimée du cadastre", "Parcel retired from the cadastre"),
    "method_not_allowed": Text("Méthode non autorisée", "Method not allowed"),
    "conflict": Text("Conflit", "Conflict"),
    "setup_closed": Text("L’installation est déjà faite", "Setup is closed"),
    "idempotency_mismatch": Text(
        "Clé d’idempotence déjà utilisée autrement", "Idempotency key used for another request"
    ),
    "idempotency_in_progress": Text(
        "Requête en cours avec cette clé d’idempotence", "Request with this idempotency key in progress"
    ),
    "payload_too_large": Text("Corps trop volumineux", "Payload too large"),
    "unsupported_media_type": Text("Type de contenu non pris en charge", "Unsupported media type"),
    "rate_limited": Text("Trop de requêtes", "Too many requests"),
    "quota_exhausted": Text("Quota épuisé", "Quota exhausted"),
    "assistant_allowance_exhausted": Text("Allocation de l’assistant épuisée", "Assistant allowance exhausted"),
    "spend_cap_reached": Text("Plafond de dépense atteint", "Spend cap reached"),
    "sign_in_throttled": Text("Trop de tentatives", "Too many attempts"),
    "internal": Text("Erreur interne", "Internal error"),
    "not_implemented": Text("Pas encore disponible", "Not available yet"),
    "upstream_failed": Text("Un service interne a échoué", "An internal service failed"),
    "unavailable": Text("Service momentanément indisponible", "Temporarily unavailable"),
    "commune_loading": Text("Commune en cours de chargement", "Commune being loaded"),
    "source_unavailable": Text("Source de données injoignable", "Data source unreachable"),
    "deadline_exceeded": Text("Délai dépassé", "Deadline exceeded"),
}
_RETRIED = frozenset(
    {
        "idempotency_in_progress",
        "rate_limited",
        "quota_exhausted",
        "assistant_allowance_exhausted",
        "spend_cap_reached",
        "sign_in_throttled",
        "unavailable",
        "commune_loading",
        "source_unavailable",
    }
)
PROBLEMS: Mapping[str, ProblemType] = {
    code: ProblemType(status, _TITLES[code], code in _RETRIED) for code, status in STATUSES.items()
}


@dataclass
class Problem(Exception):
    """An error answer. `code` is one of PROBLEMS; `detail` contains no secret.

    `members` are more members of the body, such as the successors of a retired parcel.
    """

    code: str
    detail: Text | str = ""
    violations: Sequence[Violation] = ()
    retry_after_s: int | None = None
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"

    @property
    def status(self) -> int:
        return PROBLEMS[self.code].status

    @property
    def title(self) -> Text:
        return PROBLEMS[self.code].title


def invalid(pointer: str, code: str, detail: Text) -> Problem:
    """A 400 for one member of the request."""
    return Problem("invalid_payload", detail, [Violation(pointer, code, str(detail))])


def problem_json(problem: Problem, path: str) -> dict[str, object]:
    kind = PROBLEMS[problem.code]
    body: dict[str, object] = {
        "type": f"urn:landpartner:problem:{problem.code}",
        "title": str(kind.title),
        "status": kind.status,
        "detail": str(problem.detail or kind.title),
        "instance": path,
        "code": problem.code,
        "request_id": request_id.get(),
        **problem.members,
    }
    if kind.status == 400 or problem.violations:  # noqa: PLR2004 (the contract: 400 always lists its violations)
        listed = problem.violations[:MAX_VIOLATIONS]
        body["errors"] = [{"pointer": v.pointer, "code": v.code, "detail": v.detail} for v in listed]
    return body


class _ProblemResponse(Response):
    media_type = MEDIA_TYPE

    def __init__(self, code: str, body: bytes, status: int, headers: Mapping[str, str]) -> None:
        super().__init__(body, status, headers)
        self._code = code

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        note_problem(scope, self._code)
        await super().__call__(scope, receive, send)


def to_response(problem: Problem, path: str) -> Response:
    kind = PROBLEMS[problem.code]
    headers = {"content-language": language.get(), "cache-control": "no-store", **problem.headers}
    retry_after_s = problem.retry_after_s
    if retry_after_s is None and kind.retry:
        retry_after_s = DEFAULT_RETRY_S
    if retry_after_s is not None:
        headers["retry-after"] = str(retry_after_s)
    return _ProblemResponse(problem.code, orjson.dumps(problem_json(problem, path)), kind.status, headers)
