"""Passwords at rest: Argon2id with the parameters that RFC 9106 recommends second (64 MiB, 3 passes, 4 lanes)."""

import os
from base64 import b64encode

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION
from argon2.profiles import RFC_9106_LOW_MEMORY

from keys.values import checks
from keys.values.checks import require


class Passwords:
    """Hashes and verifies passwords. Each call uses 64 MiB of memory: run few at once."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)
        self._dummy_hash = _dummy_hash(self._hasher)

    def hash(self, password: str) -> str:
        return self._hasher.hash(password)

    def verify(self, password: str, password_hash: str | None) -> bool:
        """Whether the password matches the hash. Without a hash it does the work of a wrong password."""
        try:
            is_right = self._hasher.verify(password_hash or self._dummy_hash, password)
        except (VerificationError, InvalidHashError):
            return False
        return is_right and password_hash is not None


def _dummy_hash(hasher: PasswordHasher) -> str:
    """Returns random bytes in the form of a hash. To verify a password with it costs as much as with a real one. To
    compute one would use 64 MiB in every process at its start.
    """
    salt, digest = (b64encode(os.urandom(count)).decode().rstrip("=") for count in (hasher.salt_len, hasher.hash_len))
    parameters = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v={ARGON2_VERSION}${parameters}${salt}${digest}"


def normalized_email(email: str) -> str:
    """Returns the address in lower case, without surrounding spaces. Raises InvalidPayload if it is malformed."""
    require(checks.email, email, "/email")
    return email.strip().lower()
