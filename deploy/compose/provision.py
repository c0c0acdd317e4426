"""Creates the missing secrets of an installation, and sets the owner of each volume.

Each folder of /volumes is the volume of one Compose container, so that a container can read only its own secrets:

    land, keys, assistant   callers (digests of the tokens of those who may call) and database-url
    land                    also georisques-token, for the service of risks, and openai-api-key, for a second reader
    keys                    also peppers, and oidc-client-secret, for an identity provider
    keys-mail               database-url of keys, and mail-password, for the programs of keys that send
    assistant               also openai-api-key, for the server of a model
    edge                    land-token, keys-token, assistant-token
    *-db                    password; readable by all users, since the user of the database differs between images
    *-state                 files that the service writes

With the name of a secret as argument, such as `keys/peppers`, replaces that secret with standard input. The commands
replace tokens while the services run: see service_tokens.py.

If SECRETS_DIR is set, the same folders are made there instead, for their owner only: the source of the secrets of a
cluster (docs/clusters.md).
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import service_tokens

from secret_files import SecretMissing, password, peppers, replace, write_once

_FOLDER = os.environ.get("SECRETS_DIR")
VOLUMES = Path(_FOLDER or "/volumes")
PEPPERS = "keys/peppers"
COMMANDS: dict[str, Callable[[Path], None]] = {
    "rotate-tokens": service_tokens.rotate,
    "retire-tokens": service_tokens.retire,
}
SERVICE_USER = 10001
"""User id in the image of every service."""


def main() -> None:
    if _FOLDER:
        for name in ("edge", "land", "keys", "keys-mail", "assistant", "land-db", "keys-db", "assistant-db"):
            (VOLUMES / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    match sys.argv[1:]:
        case []:
            try:
                _make_what_is_missing()
            except SecretMissing as error:
                sys.exit(str(error))
        case [command] if command in COMMANDS:
            COMMANDS[command](VOLUMES)
        case [name] if (VOLUMES / name).is_file() or name == PEPPERS:
            replace(VOLUMES / name, sys.stdin.read().strip() + "\n")
        case _:
            commands = " | ".join(COMMANDS)
            sys.exit(f"usage: docker compose run --rm --no-TTY secrets [{commands} | VOLUME/NAME < FILE]")
    for folder in () if _FOLDER else VOLUMES.iterdir():
        if not folder.name.endswith("-db"):
            _hand_over(folder, writable=folder.name.endswith("-state"))


def _make_what_is_missing() -> None:
    """Creates the peppers first: if the database password exists, the peppers must exist too."""
    peppers(VOLUMES / PEPPERS, is_in_use=(VOLUMES / "keys-db" / "password").exists())
    service_tokens.create(VOLUMES)
    for service in ("land", "keys", "assistant"):
        secret = write_once(VOLUMES / f"{service}-db" / "password", password, mode=0o444)
        address = f"postgresql+psycopg://{service}:{secret}@{service}-db:5432/{service}"
        write_once(VOLUMES / service / "database-url", lambda: address)  # noqa: B023 (called at once)
    write_once(VOLUMES / "keys-mail" / "database-url", lambda: (VOLUMES / "keys" / "database-url").read_text().strip())
    write_once(VOLUMES / "keys-mail" / "mail-password", lambda: "")
    write_once(VOLUMES / "keys" / "oidc-client-secret", lambda: "")
    for secret in ("assistant/openai-api-key", "land/openai-api-key", "land/georisques-token"):
        write_once(VOLUMES / secret, lambda: "")


def _hand_over(folder: Path, *, writable: bool) -> None:
    folder.chmod(0o700 if writable else 0o500)
    os.chown(folder, SERVICE_USER, SERVICE_USER)
    if not writable:
        for file in folder.iterdir():
            file.chmod(0o400)
            os.chown(file, SERVICE_USER, SERVICE_USER)


if __name__ == "__main__":
    main()
