"""The commands. Results go to standard output, progress and problems to standard error; a failure gives status 1."""

from importlib import import_module

import click

_WHERE = {
    "serve": "serving.serve",
    "migrate": "store.migrate",
    "import": "importing.import_",
    "status": "store.status",
    "refresh": "refreshing.refresh",
    "demo": "demo.demo",
}
"""Each command's module beside this one, and its name there."""


class _Commands(click.Group):
    """Imports a command's module when that is asked for: what serving needs takes longer to import than a commune does
    to load.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_WHERE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _WHERE:
            return None
        module, name = _WHERE[cmd_name].split(".")
        command: click.Command = getattr(import_module(f"land.cli.{module}"), name)
        return command


@click.group(cls=_Commands)
def main() -> None:
    """Facts about French land: addresses, parcels, history. Settings come from LAND_* variables."""
