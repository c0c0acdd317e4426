"""The command line of keys."""

import click

from servicekit.commands import lazy_group

_COMMANDS = {
    "serve": "keys.cli.serving.serve",
    "mail": "keys.cli.sending.mail",
    "webhooks": "keys.cli.sending.webhooks",
    "migrate": "keys.cli.commands.migrate",
    "create-key": "keys.cli.commands.create_key",
    "revoke-key": "keys.cli.commands.revoke_key",
    "list-keys": "keys.cli.commands.list_keys",
    "correct-bill": "keys.cli.commands.correct_bill",
    "record-backup": "keys.cli.commands.record_backup",
    "access-state": "keys.cli.commands.access_state",
    "check-restored": "keys.cli.commands.check_restored",
    "setup-token": "keys.cli.commands.setup_token",
    "reset-password": "keys.cli.commands.reset_password",
    "erase-partner": "keys.cli.commands.erase_partner",
    "erase-admin": "keys.cli.commands.erase_admin",
}


@click.group(cls=lazy_group(_COMMANDS))
def main() -> None:
    """Manages API keys and counts their usage. Settings are read from KEYS_* variables."""
