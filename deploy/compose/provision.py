"""Makes the secrets of a Compose installation where they are missing, and hands each volume to who uses it.

A folder of /volumes is one container's volume, so that a container sees its own secrets and no other's:

    land, keys, assistant   service-token, database-url; keys has its peppers too, assistant the key of a model's server
    edge                    service-token
    *-db                    password, readable by the database's own user, whose number differs from image to image
    *-state                 what a service writes

With the name of one secret, such as `keys/peppers`, it is replaced by what standard input holds.
"""

import os
import sys
from pathlib import Path

from secret_files import SecretMissing, password, peppers, replace, service_token, write_once

VOLUMES = Path("/volumes")
PEPPERS = "keys/peppers"
SERVICE_USER = 10001
"""The user of every service's image."""


def main() -> None:
    match sys.argv[1:]:
        case []:
            try:
                _make_what_is_missing()
            except SecretMissing as error:
                sys.exit(str(error))
        case [name] if (VOLUMES / name).is_file() or name == PEPPERS:
            replace(VOLUMES / name, sys.stdin.read().strip() + "\n")
        case _:
            sys.exit("usage: docker compose run --rm --no-TTY secrets [VOLUME/NAME < FILE]")
    for folder in VOLUMES.iterdir():
        if not folder.name.endswith("-db"):
            _hand_over(folder, writable=folder.name.endswith("-state"))


def _make_what_is_missing() -> None:
    """The peppers come first: where the database has a password already, they were there, too."""
    peppers(VOLUMES / PEPPERS, is_in_use=(VOLUMES / "keys-db" / "password").exists())
    token = write_once(VOLUMES / "edge" / "service-token", service_token)
    for service in ("land", "keys", "assistant"):
        secret = write_once(VOLUMES / f"{service}-db" / "password", password, mode=0o444)
        address = f"postgresql+psycopg://{service}:{secret}@{service}-db:5432/{service}"
        write_once(VOLUMES / service / "service-token", lambda: token)
        write_once(VOLUMES / service / "database-url", lambda: address)  # noqa: B023 (called at once)
    write_once(VOLUMES / "assistant" / "openai-api-key", lambda: "")


def _hand_over(folder: Path, *, writable: bool) -> None:
    folder.chmod(0o700 if writable else 0o500)
    os.chown(folder, SERVICE_USER, SERVICE_USER)
    if not writable:
        for file in folder.iterdir():
            file.chmod(0o400)
            os.chown(file, SERVICE_USER, SERVICE_USER)


if __name__ == "__main__":
    main()
