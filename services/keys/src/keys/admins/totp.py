"""One-time codes of a second factor (RFC 6238): six digits, a new one every 30 seconds.

The secret is derived from a salt and the pepper. The database alone is not enough to compute a code.
"""

import base64
import hmac
from datetime import datetime

import pyotp

from keys.store import attempts, second_factors
from keys.store.change import Transaction
from keys.store.second_factors import SecondFactor
from keys.values import throttle
from keys.values.clock import microseconds
from keys.values.hashing import Peppers

STEP_S = 30
SALT_BYTES = 32
ISSUER = "Land partner service"
_SECRET_BYTES = 20
"""RFC 4226, section 4, R6."""
_TOLERATED_STEPS = (-1, 0, 1)
"""RFC 6238, section 5.2: tolerates clock differences and the time to type."""


def secret_of(peppers: Peppers, factor: SecondFactor) -> str:
    """Returns the secret in base32."""
    derived = peppers.derive(factor.pepper_version, b"totp\0" + factor.salt + factor.admin_id.encode())
    return base64.b32encode(derived[:_SECRET_BYTES]).decode()


def uri(secret: str, email: str) -> str:
    """Returns the otpauth:// address for authenticator apps."""
    return pyotp.TOTP(secret, interval=STEP_S).provisioning_uri(name=email, issuer_name=ISSUER)


def matching_step(secret: str, code: str, now: datetime) -> int | None:
    """Returns the time step of the code: the current one, the one before or the one after. None for any other code."""
    codes = pyotp.TOTP(secret, interval=STEP_S)
    current = microseconds(now) // (STEP_S * 1_000_000)
    digits = "".join(code.split()).encode()
    matching = None
    for offset in _TOLERATED_STEPS:
        step = current + offset
        if hmac.compare_digest(codes.generate_otp(step).encode(), digits):
            matching = step
    return matching


def use(transaction: Transaction, peppers: Peppers, factor: SecondFactor, code: str) -> bool:
    """Whether the code is right and was not used before. Counts a wrong code as a failure. Raises SignInThrottled."""
    limits = throttle.limits_of_code(factor.admin_id)
    attempts.begin(transaction.connection, limits, transaction.now)
    step = matching_step(secret_of(peppers, factor), code, transaction.now)
    if step is None or not second_factors.use_step(transaction.connection, factor.admin_id, step):
        return False
    attempts.succeed(transaction.connection, limits)
    return True
