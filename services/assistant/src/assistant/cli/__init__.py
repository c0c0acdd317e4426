"""The command line of the assistant."""

import click

from servicekit.commands import lazy_group

_COMMANDS = {
    "serve": "assistant.cli.serving.serve",
    "migrate": "assistant.cli.commands.migrate",
    "purge": "assistant.cli.commands.purge",
    "erase-keys": "assistant.cli.commands.erase_keys",
    "runs": "assistant.cli.commands.list_runs",
}


@click.group(cls=lazy_group(_COMMANDS))
def main() -> None:
    """Assesses the division of land and answers in plain language. Settings come from ASSISTANT_* variables."""
