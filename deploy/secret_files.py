"""Secrets in files: each made once, at the first start, and never overwritten."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path


class SecretMissing(Exception):
    """A secret is missing that data was written under: a new one would make that data useless."""


def service_token() -> str:
    """What every call between services carries: 256 bits, in hexadecimal."""
    return secrets.token_hex(32)


def first_pepper() -> str:
    """Version 1 of what keys' secrets are hashed with: 256 bits. Add `,2:<hex>` by hand to change it."""
    return f"1:{secrets.token_hex(32)}"


def password() -> str:
    """A database password that needs no quoting in an address: 192 bits."""
    return secrets.token_urlsafe(24)


def peppers(path: Path, *, is_in_use: bool) -> str:
    """The peppers of the file, which are made at the first start. Raises SecretMissing where a database was used with
    others: with new ones every key would be refused.
    """
    if is_in_use and not path.exists():
        raise SecretMissing(
            f"{path.name} is missing, but the database of keys was used with it: restore {path} from its backup. "
            "Without it no key can be verified. To start anew, remove the database of keys as well."
        )
    return write_once(path, first_pepper)


def write_once(path: Path, make: Callable[[], str], mode: int = 0o600) -> str:
    """The content of the file, which is made first where it is missing. A reader sees all of it or none."""
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        value = make()
    replace(path, value + "\n", mode)
    return value


def replace(path: Path, text: str, mode: int = 0o600) -> None:
    """Writes the file whole, with its mode, in place of what stood there."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.chmod(mode)
    new.rename(path)
