"""Passwords at rest: Argon2id with the parameters that RFC 9106 recommends second (64 MiB, 3 passes, 4 lanes)."""

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

from keys import checks
from keys.checks import require


class Passwords:
    """Hashes and verifies passwords. Each call uses 64 MiB of memory: run few at once."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)
        self._dummy_hash = self._hasher.hash("nobody's password")

    def hash(self, password: str) -> str:
        return self._hasher.hash(password)

    def verify(self, password: str, known: str | None) -> bool:
        """Whether the password matches the hash. Without a hash it does the work of a wrong password."""
        try:
            is_right = self._hasher.verify(known or self._dummy_hash, password)
        except (VerificationError, InvalidHashError):
            return False
        return is_right and known is not None


def normalized_email(email: str) -> str:
    """Returns the address in lower case, without surrounding spaces. Raises InvalidPayload if it is malformed."""
    require(checks.email, email, "/email")
    return email.strip().lower()
