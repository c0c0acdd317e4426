"""Prepares each service: migrates its schema, loads the demo commune and creates a demo key."""

import json

from embedded.commands import run_commands
from embedded.installation import Installation

DEMO_REQUEST = json.dumps({"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"})
"""A request body for resolve, with an address of the demo commune."""

PREPARATION = {"land": [["migrate"], ["demo"]], "assistant": [["migrate"]], "keys": [["migrate"]]}
"""The commands that prepare the data of each service. To run them twice changes nothing."""
CREATE_DEMO_KEY = [
    "create-key", "--partner", "Demo", "--label", "Key of this machine", "--per-minute", "60000", "--burst", "6000",
]  # fmt: skip
"""A live key without a monthly quota."""


def prepare(installation: Installation, service: str) -> None:
    """Prepares land or the assistant."""
    run_commands(service, PREPARATION[service], installation.backend_environment(service))


def prepare_keys(installation: Installation, *, with_key: bool) -> tuple[str | None, str | None]:
    """Returns the new demo key, if one was created, and the setup token, until the first admin exists."""
    commands = [*PREPARATION["keys"], *([CREATE_DEMO_KEY] if with_key else []), ["setup-token"]]
    ended = run_commands("keys", commands, installation.backend_environment("keys"), last_may_fail=True)
    token = str(json.loads(ended[-1].output)["setup_token"]) if ended[-1].status == 0 else None
    return _secret(ended[1].output) if with_key else None, token


def create_demo_key(installation: Installation) -> str:
    """Creates a key and returns its secret, which is shown only once."""
    [ended] = run_commands("keys", [CREATE_DEMO_KEY], installation.backend_environment("keys"))
    return _secret(ended.output)


def _secret(printed: str) -> str:
    return str(json.loads(printed)["secret"])
