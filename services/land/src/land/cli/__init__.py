"""Land's command line. Results go to standard output, progress and problems to standard error. Failure is status 1."""

import click

from servicekit.commands import lazy_group

_COMMANDS = {
    "serve": "land.cli.serving.serve",
    "migrate": "land.cli.store.migrate",
    "import": "land.cli.importing.import_",
    "status": "land.cli.store.status",
    "refresh": "land.cli.refreshing.refresh",
    "webhooks": "land.cli.webhooks.webhooks",
    "read-regulation": "land.cli.regulation.read_regulation",
    "demo": "land.cli.importing.demo",
}


@click.group(cls=lazy_group(_COMMANDS))
def main() -> None:
    """Facts about French land: addresses, parcels, history. LAND_* variables hold the settings."""
