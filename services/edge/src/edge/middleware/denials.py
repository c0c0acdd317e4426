"""The answers for requests that keys denies."""

import logging
from collections.abc import Callable, Mapping, Sequence

from edge.access import Grant
from edge.clients.keys import Decision, Denial, RateLimit
from edge.middleware.headers import rate_limit_headers
from edge.problems import PROBLEMS, Problem
from servicekit.languages import Text

log = logging.getLogger(__name__)

INVALID_KEY = Text("La clé n’est pas valide.", "The key is not valid.")
DENIALS = {
    "invalid_key": INVALID_KEY,
    "revoked_key": Text("Cette clé a été révoquée.", "This key was revoked."),
    "expired_key": Text("Cette clé a expiré.", "This key has expired."),
    "scope_denied": Text("Cette clé n’ouvre pas ce point d’accès.", "This key does not open this endpoint."),
    "ip_denied": Text(
        "Cette clé n’est pas admise depuis cette adresse IP.", "This key is not allowed from this IP address."
    ),
    "assistant_denied": Text(
        "La politique de cette clé ne permet pas cet appel à l’assistant.",
        "This key's policy does not allow this call of the assistant.",
    ),
    "rate_limited": Text("Trop de requêtes : réessayez plus tard.", "Too many requests: try again later."),
    "quota_exhausted": Text("Le quota du mois est épuisé.", "The month's quota is exhausted."),
    "assistant_allowance_exhausted": Text(
        "L’allocation de l’assistant pour ce mois est épuisée.", "The month's assistant allowance is exhausted."
    ),
    "idempotency_mismatch": Text(
        "Cette clé d’idempotence a déjà servi à une autre requête : utilisez-en une nouvelle.",
        "This idempotency key was used for another request: use a new one.",
    ),
    "deadline_exceeded": Text("La réservation de ce fichier a pris fin.", "The reservation of this file has ended."),
    "spend_cap_reached": Text("Le plafond de dépense du mois est atteint.", "The month's spend cap is reached."),
}


def _quota(units: str, left: str) -> Text:
    plural = "" if units == "1" else "s"
    return Text(
        f"Cette requête coûte {units} unité{plural} ; il en reste {left} ce mois-ci.",
        f"This request takes {units} unit{plural}; {left} of this month's are left.",
    )


def _rate(per_minute: str, burst: str) -> Text:
    return Text(
        f"Cette clé permet {per_minute} requêtes par minute, dont {burst} d’affilée : réessayez plus tard.",
        f"This key allows {per_minute} requests a minute, {burst} of them at once: try again later.",
    )


def _scope(endpoint: str) -> Text:
    return Text(
        f"Cette clé n’ouvre pas le point d’accès {endpoint}.", f"This key does not open the endpoint {endpoint}."
    )


def _spend_cap(cap: str) -> Text:
    return Text(
        f"Cette requête dépasserait le plafond de dépense du mois, {cap.replace('.', ',')}\N{NO-BREAK SPACE}EUR.",
        f"This request would pass the month's spend cap of EUR {cap}.",
    )


def _allowance(of: str) -> Text:
    what = {"calls": Text("d’appels", "calls"), "tokens": Text("de jetons", "tokens")}[of]
    return Text(
        f"L’allocation {what.fr} de l’assistant pour ce mois est épuisée.",
        f"The month's allowance of assistant {what.en} is exhausted.",
    )


def _mismatch(subject: str) -> Text:
    return {
        "used_up": Text(
            "Cette clé d’idempotence a servi dix fois, ou il y a plus de 24 heures : utilisez-en une nouvelle.",
            "This idempotency key was used ten times, or more than 24 hours ago: use a new one.",
        )
    }[subject]


def _subject(subject: str) -> Text:
    return {"partner": Text("L’accès de ce partenaire est désactivé.", "This partner's access is disabled.")}[subject]


_DETAILS: Mapping[str, Callable[..., Text]] = {
    "quota_exhausted": _quota,
    "rate_limited": _rate,
    "scope_denied": _scope,
    "spend_cap_reached": _spend_cap,
    "assistant_allowance_exhausted": _allowance,
    "revoked_key": _subject,
    "idempotency_mismatch": _mismatch,
}
"""Sentences with the facts of a denial."""


def _detail(denial: Denial) -> Text | str:
    """The denial in both languages, with its facts if keys sent all that the sentence needs."""
    try:
        return _DETAILS[denial.code](**denial.facts)
    except (KeyError, TypeError):
        return DENIALS.get(denial.code, denial.detail)


def granted(decision: Decision) -> Grant:
    """Returns the grant. Raises a denial as a Problem."""
    if isinstance(decision.result, Denial):
        raise refusal(decision.result, decision.rate_limits)
    return decision.result


def refusal(denial: Denial, rate_limits: Sequence[RateLimit]) -> Problem:
    """The problem of a denial."""
    if denial.code not in PROBLEMS:
        log.error("keys sent an unknown denial code", extra={"code": denial.code})
        return Problem("upstream_failed")
    headers = rate_limit_headers(rate_limits)
    return Problem(denial.code, _detail(denial), retry_after_s=denial.retry_after_s, headers=headers)
