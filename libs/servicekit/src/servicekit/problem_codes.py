"""The codes of the problems that the edge answers, with their HTTP statuses and their texts.

Keys denies requests with some of these codes, and counts requests by all of them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from servicekit.languages import Text


class ProblemType(NamedTuple):
    status: int
    title: Text
    detail: Text | None = None
    """The sentence of a denial, or of a failed call to another service. Other problems have a detail of their own."""
    is_retried: bool = False
    """Whether the answer always has Retry-After."""


PROBLEMS: Mapping[str, ProblemType] = {
    "invalid_json": ProblemType(400, Text("Le corps n’est pas du JSON valide", "The body is not valid JSON")),
    "invalid_payload": ProblemType(400, Text("Requête invalide", "Invalid request")),
    "missing_key": ProblemType(401, Text("Clé d’API manquante", "API key missing")),
    "invalid_key": ProblemType(
        401, Text("Clé d’API invalide", "Invalid API key"), Text("La clé n’est pas valide.", "The key is not valid.")
    ),
    "revoked_key": ProblemType(
        401, Text("Clé d’API révoquée", "API key revoked"), Text("Cette clé a été révoquée.", "This key was revoked.")
    ),
    "expired_key": ProblemType(
        401, Text("Clé d’API expirée", "API key expired"), Text("Cette clé a expiré.", "This key has expired.")
    ),
    "sign_in_required": ProblemType(401, Text("Connexion requise", "Sign-in required")),
    "invalid_credentials": ProblemType(401, Text("Identifiants incorrects", "Wrong credentials")),
    "totp_required": ProblemType(401, Text("Code à usage unique requis", "One-time code required")),
    "invalid_totp": ProblemType(401, Text("Code à usage unique incorrect", "Wrong one-time code")),
    "invalid_token": ProblemType(401, Text("Jeton invalide", "Invalid token")),
    "invalid_invitation": ProblemType(401, Text("Invitation invalide", "Invalid invitation")),
    "scope_denied": ProblemType(
        403,
        Text("Point d’accès hors du périmètre de la clé", "Endpoint not in the key's scope"),
        Text("Cette clé n’ouvre pas ce point d’accès.", "This key does not open this endpoint."),
    ),
    "ip_denied": ProblemType(
        403,
        Text("Adresse IP non autorisée", "IP address not allowed"),
        Text("Cette clé n’est pas admise depuis cette adresse IP.", "This key is not allowed from this IP address."),
    ),
    "assistant_denied": ProblemType(
        403,
        Text("Assistant non autorisé pour cette clé", "Assistant not allowed for this key"),
        Text(
            "La politique de cette clé ne permet pas cet appel à l’assistant.",
            "This key's policy does not allow this call of the assistant.",
        ),
    ),
    "role_denied": ProblemType(403, Text("Rôle insuffisant", "Role not sufficient")),
    "totp_enrolment_required": ProblemType(
        403, Text("Second facteur à activer d’abord", "Second factor to be enrolled first")
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
    "setup_closed": ProblemType(409, Text("L’installation est déjà faite", "Setup is closed")),
    "idempotency_in_progress": ProblemType(
        409,
        Text("Requête en cours avec cette clé d’idempotence", "Request with this idempotency key in progress"),
        Text(
            "La première requête avec cette clé d’idempotence est en cours : réessayez plus tard.",
            "The first request with this idempotency key is running: try again later.",
        ),
        is_retried=True,
    ),
    "payload_too_large": ProblemType(413, Text("Corps trop volumineux", "Payload too large")),
    "unsupported_media_type": ProblemType(415, Text("Type de contenu non pris en charge", "Unsupported media type")),
    "idempotency_mismatch": ProblemType(
        422,
        Text("Clé d’idempotence déjà utilisée autrement", "Idempotency key used for another request"),
        Text(
            "Cette clé d’idempotence a déjà servi à une autre requête : utilisez-en une nouvelle.",
            "This idempotency key was used for another request: use a new one.",
        ),
    ),
    "rate_limited": ProblemType(
        429,
        Text("Trop de requêtes", "Too many requests"),
        Text("Trop de requêtes : réessayez plus tard.", "Too many requests: try again later."),
        is_retried=True,
    ),
    "quota_exhausted": ProblemType(
        429,
        Text("Quota épuisé", "Quota exhausted"),
        Text("Le quota du mois est épuisé.", "The month's quota is exhausted."),
        is_retried=True,
    ),
    "assistant_allowance_exhausted": ProblemType(
        429,
        Text("Allocation de l’assistant épuisée", "Assistant allowance exhausted"),
        Text("L’allocation de l’assistant pour ce mois est épuisée.", "The month's assistant allowance is exhausted."),
        is_retried=True,
    ),
    "spend_cap_reached": ProblemType(
        429,
        Text("Plafond de dépense atteint", "Spend cap reached"),
        Text("Le plafond de dépense du mois est atteint.", "The month's spend cap is reached."),
        is_retried=True,
    ),
    "sign_in_throttled": ProblemType(429, Text("Trop de tentatives", "Too many attempts"), is_retried=True),
    "internal": ProblemType(500, Text("Erreur interne", "Internal error")),
    "not_implemented": ProblemType(
        501,
        Text("Pas encore disponible", "Not available yet"),
        Text("Cette fonction n’est pas encore en service.", "This function is not in service yet."),
    ),
    "upstream_failed": ProblemType(
        502,
        Text("Un service interne a échoué", "An internal service failed"),
        Text("Un service interne a échoué.", "An internal service failed."),
    ),
    "unavailable": ProblemType(
        503,
        Text("Service momentanément indisponible", "Temporarily unavailable"),
        Text("Un service interne ne répond pas.", "An internal service does not answer."),
        is_retried=True,
    ),
    "commune_loading": ProblemType(
        503, Text("Commune en cours de chargement", "Commune being loaded"), is_retried=True
    ),
    "source_unavailable": ProblemType(
        503, Text("Source de données injoignable", "Data source unreachable"), is_retried=True
    ),
    "deadline_exceeded": ProblemType(
        504,
        Text("Délai dépassé", "Deadline exceeded"),
        Text("La réservation de ce fichier a pris fin.", "The reservation of this file has ended."),
    ),
}

_DENIALS: Mapping[str, Text] = {
    "quota_exhausted": Text(
        "Cette requête coûte {units} ; il en reste {left} ce mois-ci.",
        "This request takes {units}; {left} of this month's are left.",
    ),
    "rate_limited": Text(
        "Cette clé permet {per_minute} requêtes par minute, dont {burst} d’affilée : réessayez plus tard.",
        "This key allows {per_minute} requests a minute, {burst} of them at once: try again later.",
    ),
    "scope_denied": Text(
        "Cette clé n’ouvre pas le point d’accès {endpoint}.", "This key does not open the endpoint {endpoint}."
    ),
    "spend_cap_reached": Text(
        "Cette requête dépasserait le plafond de dépense du mois, {cap}\N{NO-BREAK SPACE}EUR.",
        "This request would pass the month's spend cap of EUR {cap}.",
    ),
    "assistant_allowance_exhausted": Text(
        "L’allocation {of} de l’assistant pour ce mois est épuisée.",
        "The month's allowance of assistant {of} is exhausted.",
    ),
    "revoked_key/partner": Text("L’accès de ce partenaire est désactivé.", "This partner's access is disabled."),
    "idempotency_mismatch/used_up": Text(
        "Cette clé d’idempotence a servi dix fois, ou il y a plus de 24 heures : utilisez-en une nouvelle.",
        "This idempotency key was used ten times, or more than 24 hours ago: use a new one.",
    ),
}
"""The sentences with the facts of a denial, by code, or by code and the fact `subject`."""
_ALLOWANCES: Mapping[str, Text] = {"calls": Text("d’appels", "calls"), "tokens": Text("de jetons", "tokens")}


def denial_detail(code: str, facts: Mapping[str, str]) -> Text | None:
    """The sentence of a denial, with its facts if keys sent all that the sentence needs.

    Returns None if this is not the code of a denial.
    """
    sentence = _DENIALS.get(f"{code}/{facts['subject']}" if "subject" in facts else code)
    if sentence is None:
        return PROBLEMS[code].detail
    values: dict[str, object] = dict(facts)
    if "units" in facts:
        plural = "" if facts["units"] == "1" else "s"
        values["units"] = Text(f"{facts['units']} unité{plural}", f"{facts['units']} unit{plural}")
    if "cap" in facts:
        values["cap"] = Text(facts["cap"].replace(".", ","), facts["cap"])
    try:
        if "of" in facts:
            values["of"] = _ALLOWANCES[facts["of"]]
        return sentence.format(**values)
    except KeyError:
        return PROBLEMS[code].detail
