"""What the embedded installation asks of land's command line."""

import json
from collections.abc import Mapping

from embedded.processes import run_command

DEMO_COMMUNE = "00001"
DEMO_REQUEST = json.dumps({"label": "1 rue de l'Église 00001 Demo"})
_DEMO_DATASETS = {
    "ban",
    "cadastre-parcels",
    "dvf",
    "sitadel-housing",
    "sitadel-premises",
    "sitadel-development",
    "sitadel-demolition",
}


def load_demo(environment: Mapping[str, str]) -> None:
    """Writes and loads the demo commune, where land does not have all of it."""
    status = run_command(["land", "status", "--unit", DEMO_COMMUNE], environment)
    loaded = {line.split()[0] for line in status.splitlines() if line.strip()}
    if not loaded >= _DEMO_DATASETS:
        run_command(["land", "demo"], environment)
