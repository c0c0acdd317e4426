"""Hashes secrets with HMAC-SHA256 under a versioned pepper. The peppers are outside the database."""

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

PEPPER_MIN_BYTES = 32
_DIGEST = "sha256"


@dataclass(frozen=True)
class HashedSecret:
    """The stored digest of a secret, and the version of its pepper."""

    pepper_version: int
    digest: bytes = field(repr=False)


class Peppers:
    """The peppers by version. The newest hashes, and each of them verifies, so that peppers can be rotated."""

    def __init__(self, by_version: Mapping[int, bytes]) -> None:
        self._by_version = dict(by_version)
        self.newest = max(self._by_version)
        self._dummy_secret = HashedSecret(self.newest, secrets.token_bytes(hmac.new(b"", b"", _DIGEST).digest_size))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads `1:<hex>,2:<hex>`. Raises ValueError for any other text; the message repeats none of it."""
        peppers: dict[int, bytes] = {}
        for part in text.split(","):
            version, _, value = part.strip().partition(":")
            try:
                number, pepper = int(version), bytes.fromhex(value)
            except ValueError:
                raise ValueError("peppers are written version:hex, separated by commas") from None
            if len(pepper) < PEPPER_MIN_BYTES:
                raise ValueError(f"a pepper has at least {PEPPER_MIN_BYTES} bytes")
            if number in peppers:
                raise ValueError(f"pepper version {number} is given twice")
            peppers[number] = pepper
        return cls(peppers)

    def hash(self, secret: str | bytes) -> HashedSecret:
        return HashedSecret(self.newest, self._digest(self.newest, secret))

    def verify(self, secret: str | bytes, hashed: Sequence[HashedSecret]) -> bool:
        """Whether the secret matches a known one. Without known ones it does the work of a wrong secret."""
        right = False
        for candidate in hashed or (self._dummy_secret,):
            if candidate.pepper_version in self._by_version:
                right |= hmac.compare_digest(self._digest(candidate.pepper_version, secret), candidate.digest)
        return right

    def derive(self, version: int, purpose: bytes) -> bytes:
        """Returns 32 bytes that are derived from this pepper and the purpose."""
        return hmac.digest(self._by_version[version], b"derive\0" + purpose, _DIGEST)

    @property
    def versions(self) -> set[int]:
        return set(self._by_version)

    def _digest(self, version: int, secret: str | bytes) -> bytes:
        return hmac.digest(self._by_version[version], secret.encode() if isinstance(secret, str) else secret, _DIGEST)
