"""Land's command line. Results go to standard output, progress and problems to standard error. Failure is status 1."""

from importlib import import_module

import click

_COMMANDS = {
    "serve": "serving.serve",
    "migrate": "store.migrate",
    "import": "importing.import_",
    "status": "store.status",
    "refresh": "refreshing.refresh",
    "demo": "demo.demo",
}
"""The module and the function of each command."""


class _Commands(click.Group):
    """Imports the module of a command only when the command runs: importing the server takes longer than loading a
    commune.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, name = _COMMANDS[cmd_name].split(".")
        command: click.Command = getattr(import_module(f"land.cli.{module}"), name)
        return command


@click.group(cls=_Commands)
def main() -> None:
    """Facts about French land: addresses, parcels, history. LAND_* variables hold the settings."""
