"""Secrets in files. Each is created at the first start and never overwritten."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path


class SecretMissing(Exception):
    """A secret of existing data is missing. With a new secret the data would be useless."""


def first_pepper() -> str:
    """Version 1 of the pepper in the hashes of API keys: 256 bits. To rotate it, append `,2:<hex>` by hand."""
    return f"1:{secrets.token_hex(32)}"


def password() -> str:
    """A database password of 192 bits that needs no quoting in a URL."""
    return secrets.token_urlsafe(24)


def peppers(path: Path, *, is_in_use: bool) -> str:
    """Returns the peppers of the file, and creates them at the first start. Raises SecretMissing if the file is missing
    but a database exists: with new peppers keys would refuse every API key.
    """
    if is_in_use and not path.exists():
        raise SecretMissing(
            f"{path.name} is missing, but the database of keys was used with it: restore {path} from its backup. "
            "Without it no key can be verified. To start anew, remove the database of keys as well."
        )
    return write_once(path, first_pepper)


def write_once(path: Path, make: Callable[[], str], mode: int = 0o600) -> str:
    """Returns the content of the file. Creates it atomically if it is missing."""
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        value = make()
    replace(path, value + "\n", mode)
    return value


def replace(path: Path, text: str, mode: int = 0o600) -> None:
    """Replaces the file atomically, with this mode. Root keeps its owner; a new file gets that of its folder."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        if os.geteuid() == 0:
            owner = (path if path.exists() else path.parent).stat()
            os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.chmod(mode)
    new.rename(path)
