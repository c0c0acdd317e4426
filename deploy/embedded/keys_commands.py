"""What the embedded installation asks of keys' command line."""

import json
from collections.abc import Mapping

from embedded.processes import CommandFailed, run_command

_DEMO_KEY = ("--partner", "Demo", "--label", "Key of this machine", "--per-minute", "60000", "--burst", "6000")


def create_demo_key(environment: Mapping[str, str]) -> str:
    """Makes a live key without a monthly quota and returns its secret, which is shown this once only."""
    return str(json.loads(run_command(["keys", "create-key", *_DEMO_KEY], environment))["secret"])


def setup_token(environment: Mapping[str, str]) -> str | None:
    """A fresh token that opens the setup of the first admin, or None when an admin has existed."""
    try:
        return run_command(["keys", "setup-token"], environment).strip() or None
    except CommandFailed:
        return None
