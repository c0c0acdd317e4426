"""What the embedded installation asks of land's command line."""

import json
from collections.abc import Mapping

from embedded.processes import run_command

DEMO_REQUEST = json.dumps({"label": "1 rue de l'Église 00001 Demo"})


def load_demo(environment: Mapping[str, str]) -> None:
    """Writes and loads the demo commune; says nothing and does nothing where it is loaded."""
    run_command(["land", "demo", "--load"], environment)
