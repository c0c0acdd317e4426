"""What each service needs before it can serve: its schema, and for a first look a demo commune and a key."""

import json
from dataclasses import dataclass

from embedded.commands import run_commands
from embedded.installation import Installation

DEMO_REQUEST = json.dumps({"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"})
"""A body for resolve that the demo commune answers with a parcel."""

_MIGRATE = ["migrate"]
_CREATE_DEMO_KEY = [
    "create-key", "--partner", "Demo", "--label", "Key of this machine", "--per-minute", "60000", "--burst", "6000",
]  # fmt: skip
"""A live key without a monthly quota."""


@dataclass(frozen=True)
class Access:
    """What lets somebody in: a fresh key where one was made, a setup token as long as no admin has existed."""

    api_key: str | None
    setup_token: str | None


def prepare_land(installation: Installation) -> None:
    """Loading the demo commune again changes nothing."""
    run_commands("land", [_MIGRATE, ["demo"]], installation.backend_environment("land"))


def prepare_assistant(installation: Installation) -> None:
    run_commands("assistant", [_MIGRATE], installation.backend_environment("assistant"))


def prepare_keys(installation: Installation, *, with_key: bool) -> Access:
    commands = [_MIGRATE, *([_CREATE_DEMO_KEY] if with_key else []), ["setup-token"]]
    ended = run_commands("keys", commands, installation.backend_environment("keys"), last_may_fail=True)
    token = str(json.loads(ended[-1].output)["setup_token"]) if ended[-1].status == 0 else None
    return Access(_secret(ended[1].output) if with_key else None, token)


def create_demo_key(installation: Installation) -> str:
    """Makes a key and returns its secret, which is shown this once only."""
    [ended] = run_commands("keys", [_CREATE_DEMO_KEY], installation.backend_environment("keys"))
    return _secret(ended.output)


def _secret(printed: str) -> str:
    return str(json.loads(printed)["secret"])
