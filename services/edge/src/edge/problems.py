"""Every error that the edge answers: RFC 9457 problems, and the one table of their codes.

Any code below a handler may raise `Problem`. Only `to_response` writes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson
from starlette.responses import Response

from servicekit.context import request_id
from servicekit.errors import Violation
from servicekit.languages import Text, language

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
    retry: bool = False
    """Whether the answer always has Retry-After."""


PROBLEMS: Mapping[str, ProblemType] = {
    "invalid_json": ProblemType(400, Text("Le corps n'est pas du JSON valide", "The body is not valid JSON")),
    "invalid_payload": ProblemType(400, Text("Requête invalide", "Invalid request")),
    "missing_key": ProblemType(401, Text("Clé d'API manquante", "API key missing")),
    "invalid_key": ProblemType(401, Text("Clé d'API invalide", "Invalid API key")),
    "revoked_key": ProblemType(401, Text("Clé d'API révoquée", "API key revoked")),
    "expired_key": ProblemType(401, Text("Clé d'API expirée", "API key expired")),
    "sign_in_required": ProblemType(401, Text("Connexion requise", "Sign-in required")),
    "invalid_credentials": ProblemType(401, Text("Identifiants incorrects", "Wrong credentials")),
    "totp_required": ProblemType(401, Text("Code à usage unique requis", "One-time code required")),
    "invalid_totp": ProblemType(401, Text("Code à usage unique incorrect", "Wrong one-time code")),
    "invalid_token": ProblemType(401, Text("Jeton invalide", "Invalid token")),
    "scope_denied": ProblemType(
        403, Text("Point d'accès hors du périmètre de la clé", "Endpoint not in the key's scope")
    ),
    "ip_denied": ProblemType(403, Text("Adresse IP non autorisée", "IP address not allowed")),
    "assistant_denied": ProblemType(
        403, Text("Assistant non autorisé pour cette clé", "Assistant not allowed for this key")
    ),
    "role_denied": ProblemType(403, Text("Rôle insuffisant", "Role not sufficient")),
    "totp_enrolment_required": ProblemType(
        403, Text("Second facteur à activer d'abord", "Second factor to be enrolled first")
    ),
    "csrf_failed": ProblemType(403, Text("Jeton anti-CSRF absent ou incorrect", "CSRF token missing or wrong")),
    "not_found": ProblemType(404, Text("Introuvable", "Not found")),
    "address_not_found": ProblemType(404, Text("Adresse introuvable", "Address not found")),
    "place_missing": ProblemType(404, Text("Commune manquante", "Commune missing")),
    "commune_needed": ProblemType(404, Text("Commune à préciser", "Commune to be named")),
    "parcel_not_found": ProblemType(404, Text("Parcelle introuvable", "Parcel not found")),
    "parcel_retired": ProblemType(404, Text("Parcelle supprimée du cadastre", "Parcel retired from the cadastre")),
    "method_not_allowed": ProblemType(405, Text("Méthode non autorisée", "Method not allowed")),
    "conflict": ProblemType(409, Text("Conflit", "Conflict")),
    "setup_closed": ProblemType(409, Text("L'installation est déjà faite", "Setup is closed")),
    "idempotency_mismatch": ProblemType(
        409, Text("Clé d'idempotence déjà utilisée autrement", "Idempotency key used for another request")
    ),
    "idempotency_in_progress": ProblemType(
        409,
        Text("Requête en cours avec cette clé d'idempotence", "Request with this idempotency key in progress"),
        retry=True,
    ),
    "payload_too_large": ProblemType(413, Text("Corps trop volumineux", "Payload too large")),
    "unsupported_media_type": ProblemType(415, Text("Type de contenu non pris en charge", "Unsupported media type")),
    "rate_limited": ProblemType(429, Text("Trop de requêtes", "Too many requests"), retry=True),
    "quota_exhausted": ProblemType(429, Text("Quota épuisé", "Quota exhausted"), retry=True),
    "assistant_allowance_exhausted": ProblemType(
        429, Text("Allocation de l'assistant épuisée", "Assistant allowance exhausted"), retry=True
    ),
    "spend_cap_reached": ProblemType(429, Text("Plafond de dépense atteint", "Spend cap reached"), retry=True),
    "sign_in_throttled": ProblemType(429, Text("Trop de tentatives", "Too many attempts"), retry=True),
    "internal": ProblemType(500, Text("Erreur interne", "Internal error")),
    "not_implemented": ProblemType(501, Text("Pas encore disponible", "Not available yet")),
    "upstream_failed": ProblemType(502, Text("Un service interne a échoué", "An internal service failed")),
    "unavailable": ProblemType(503, Text("Service momentanément indisponible", "Temporarily unavailable"), retry=True),
    "commune_loading": ProblemType(503, Text("Commune en cours de chargement", "Commune being loaded"), retry=True),
    "source_unavailable": ProblemType(
        503, Text("Source de données injoignable", "Data source unreachable"), retry=True
    ),
    "deadline_exceeded": ProblemType(504, Text("Délai dépassé", "Deadline exceeded")),
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


def to_response(problem: Problem, path: str) -> Response:
    kind = PROBLEMS[problem.code]
    headers = {"content-language": language.get(), "cache-control": "no-store", **problem.headers}
    retry_after_s = problem.retry_after_s
    if retry_after_s is None and kind.retry:
        retry_after_s = DEFAULT_RETRY_S
    if retry_after_s is not None:
        headers["retry-after"] = str(retry_after_s)
    return Response(orjson.dumps(problem_json(problem, path)), kind.status, headers, MEDIA_TYPE)
