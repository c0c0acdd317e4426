"""The errors of keys. Callers receive them by code.

- KeysError
  - NotFound: there is no such record
  - Conflict: the record's state does not allow it, or its name is taken
    - IdempotencyMismatch: the same Idempotency-Key came with another request
    - SetupClosed: the first owner exists
  - SignInRequired: no session or token, or an expired one
  - InvalidCredentials: the account or the password is wrong; the message does not say which
  - TotpRequired: the password is right, and a one-time code is required
  - InvalidTotp: the one-time code is wrong, or was used before
  - InvalidSetupToken: the setup token is wrong or expired
  - InvalidInvitation: the token of the invitation is wrong, or the invitation has ended
  - SingleSignOnFailed: the sign-in at the identity provider is not proven
  - SingleSignOnDenied: the provider gives the account no role, it is disabled, or another account has its address
  - CsrfFailed: a change by session without its CSRF token
  - RoleDenied: the caller's role does not allow it
    - TotpEnrolmentRequired: the session may only enrol a second factor
  - SignInThrottled: too many attempts failed
  - VisitorKeysUsed: the network, or all visitors together, have all the keys that they may have
  - WrongPeppers: the peppers do not match the database; at the start only
  - Unavailable: the database did not answer; nothing was done
    - Blocked: another transaction held a lock for too long; nothing was done
    - ClockWrong: the clock may be wrong; nothing was done
"""

from servicekit.errors import ServiceError


class KeysError(ServiceError):
    """Root of the tree."""


class NotFound(KeysError):
    code = "not_found"


class Conflict(KeysError):
    code = "conflict"


class IdempotencyMismatch(Conflict):
    code = "idempotency_mismatch"


class SetupClosed(Conflict):
    code = "setup_closed"


class SignInRequired(KeysError):
    code = "sign_in_required"


class InvalidCredentials(KeysError):
    code = "invalid_credentials"


class TotpRequired(KeysError):
    code = "totp_required"


class InvalidTotp(KeysError):
    code = "invalid_totp"


class InvalidSetupToken(KeysError):
    code = "invalid_token"


class InvalidInvitation(KeysError):
    code = "invalid_invitation"


class SingleSignOnFailed(KeysError):
    code = "single_sign_on_failed"


class SingleSignOnDenied(KeysError):
    code = "single_sign_on_denied"


class CsrfFailed(KeysError):
    code = "csrf_failed"


class RoleDenied(KeysError):
    code = "role_denied"


class TotpEnrolmentRequired(RoleDenied):
    code = "totp_enrolment_required"


class SignInThrottled(KeysError):
    code = "sign_in_throttled"


class VisitorKeysUsed(KeysError):
    code = "rate_limited"


class WrongPeppers(KeysError):
    code = "wrong_peppers"


class Unavailable(KeysError):
    code = "unavailable"


class Blocked(Unavailable):
    pass


class ClockWrong(Unavailable):
    pass
