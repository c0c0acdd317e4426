"""The command line of the edge."""

import click

from servicekit.commands import lazy_group

_COMMANDS = {"serve": "edge.cli.serving.serve", "replay-refused": "edge.cli.replaying.replay_refused"}


@click.group(cls=lazy_group(_COMMANDS))
def main() -> None:
    """Speaks HTTP to partners and admins."""
