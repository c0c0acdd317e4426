"""The errors of keys. Callers receive them by code.

KeysError
  NotFound
  Conflict: IdempotencyMismatch, SetupClosed
  SignInRequired, InvalidCredentials, TotpRequired, InvalidTotp, InvalidSetupToken, InvalidInvitation
  SingleSignOnFailed, SingleSignOnDenied
  CsrfFailed
  RoleDenied: TotpEnrolmentRequired
  SignInThrottled, VisitorKeysUsed
  WrongPeppers
  Unavailable: Blocked, ClockWrong
"""

from servicekit.errors import ServiceError


class KeysError(ServiceError):
    """Root of the tree."""


class NotFound(KeysError, code="not_found"):
    """There is no such record."""


class Conflict(KeysError, code="conflict"):
    """The record's state does not allow it, or its name is taken."""


class IdempotencyMismatch(Conflict, code="idempotency_mismatch"):
    """The same Idempotency-Key came with another request."""


class SetupClosed(Conflict, code="setup_closed"):
    """The first owner exists."""


class SignInRequired(KeysError, code="sign_in_required"):
    """There is no session or token, or it has expired."""


class InvalidCredentials(KeysError, code="invalid_credentials"):
    """The account or the password is wrong. The message does not say which."""


class TotpRequired(KeysError, code="totp_required"):
    """The password is right, and a one-time code is required."""


class InvalidTotp(KeysError, code="invalid_totp"):
    """The one-time code is wrong, or was used before."""


class InvalidSetupToken(KeysError, code="invalid_token"):
    """The setup token is wrong or expired."""


class InvalidInvitation(KeysError, code="invalid_invitation"):
    """The token of the invitation is wrong, or the invitation has ended."""


class SingleSignOnFailed(KeysError, code="single_sign_on_failed"):
    """The sign-in at the identity provider is not proven."""


class SingleSignOnDenied(KeysError, code="single_sign_on_denied"):
    """The provider gives the account no role, it is disabled, or another account has its address."""


class CsrfFailed(KeysError, code="csrf_failed"):
    """A change by session came without its CSRF token."""


class RoleDenied(KeysError, code="role_denied"):
    """The caller's role does not allow it."""


class TotpEnrolmentRequired(RoleDenied, code="totp_enrolment_required"):
    """The session may only enrol a second factor."""


class SignInThrottled(KeysError, code="sign_in_throttled"):
    """Too many attempts failed."""


class VisitorKeysUsed(KeysError, code="rate_limited"):
    """The network, or all visitors together, have all the keys that they may have."""


class WrongPeppers(KeysError, code="wrong_peppers"):
    """The peppers do not match the database. Raised at the start only."""


class Unavailable(KeysError, code="unavailable"):
    """The database did not answer. Nothing was done."""


class Blocked(Unavailable):
    """Another transaction held a lock for too long. Nothing was done."""


class ClockWrong(Unavailable):
    """The clock may be wrong. Nothing was done."""
