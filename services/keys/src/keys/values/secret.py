"""API keys with their secrets: how they are made, read and shown. contract/key_text.py has their format."""

import secrets
from dataclasses import dataclass, field
from enum import StrEnum

from contract.key_text import (
    ALPHABET,
    ID_LENGTH,
    SECRET_BYTES,
    SECRET_LENGTH,
    base62,
    checksum,
    is_well_formed,
    public_id,
)

SHOWN_CHARACTERS = 4


class KeyMode(StrEnum):
    """A test key answers from the demo commune only and is never billed."""

    LIVE = "live"
    TEST = "test"

    @property
    def prefix(self) -> str:
        return f"lp_{self.value}_"


@dataclass(frozen=True)
class KeyText:
    """A whole, well-formed key. Its text is in no representation."""

    mode: KeyMode
    key_id: str
    text: str = field(repr=False)

    @property
    def ending(self) -> str:
        """The last characters, which may be shown."""
        return self.text[-SHOWN_CHARACTERS:]


def new_id() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


def compose(mode: KeyMode, key_id: str, secret: bytes) -> KeyText:
    """Returns the key of an id and 32 secret bytes."""
    body = f"{mode.prefix}{key_id}{base62(int.from_bytes(secret), SECRET_LENGTH)}"
    return KeyText(mode, key_id, body + checksum(body))


def generate(mode: KeyMode, key_id: str) -> KeyText:
    return compose(mode, key_id, secrets.token_bytes(SECRET_BYTES))


def parse(text: str) -> KeyText | None:
    """Returns the key, or None if the text is malformed or its checksum is wrong."""
    if not is_well_formed(text):
        return None
    mode = next(mode for mode in KeyMode if text.startswith(mode.prefix))
    return KeyText(mode, public_id(text), text)


def mask(mode: KeyMode, key_id: str, ending: str) -> str:
    """Returns the masked form of a key: prefix, public id and the last four characters."""
    return f"{mode.prefix}{key_id}...{ending}"
