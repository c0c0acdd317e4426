"""Passwords at rest: Argon2id with the parameters that RFC 9106 recommends second (64 MiB, 3 passes, 4 lanes)."""

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

from servicekit.errors import InvalidPayload, Violation

PASSWORD_MIN_LENGTH = 12
PASSWORD_MAX_BYTES = 1_024
"""In UTF-8. All code that sets a password checks it here, so that the sign-in accepts it later."""
EMAIL_MAX_LENGTH = 254
"""RFC 5321, section 4.5.3.1.3."""


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


def check_password(password: str, pointer: str = "/password") -> None:
    """Raises InvalidPayload if the password is too short or too long."""
    size = len(password.encode(errors="surrogatepass"))
    if len(password) < PASSWORD_MIN_LENGTH or size > PASSWORD_MAX_BYTES:
        detail = f"has at least {PASSWORD_MIN_LENGTH} characters and at most {PASSWORD_MAX_BYTES} bytes"
        raise InvalidPayload("The password cannot be taken.", violations=[Violation(pointer, "length", detail)])


def normalized_email(email: str) -> str:
    """Returns the address in lower case, without surrounding spaces. Raises InvalidPayload if it is malformed."""
    address = email.strip().lower()
    local, _, domain = address.rpartition("@")
    is_plain = address.isprintable() and not any(sign.isspace() for sign in address)
    if not (local and "." in domain.strip(".") and is_plain and len(address) <= EMAIL_MAX_LENGTH):
        violation = Violation("/email", "malformed", "is an address such as ann@example.org")
        raise InvalidPayload("The email address cannot be taken.", violations=[violation])
    return address
