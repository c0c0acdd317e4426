"""Commands for `deploy/backups`: what a restored database brings back."""

import json
import sys

import click

from keys.admin import restoring
from keys.cli.errors import report_errors
from keys.clock import system_clock
from keys.issuing.hashing import Peppers
from keys.settings import IssuingSettings, StoreSettings
from keys.store import access_state as states
from keys.store import pepper_checks
from keys.store.audit import COMMAND_LINE
from keys.store.change import changing
from keys.store.database import Database


@click.command("access-state")
def access_state() -> None:
    """Print who has access and what was counted, as JSON without secrets."""
    with report_errors(), _database(StoreSettings.load()).reading() as connection:
        click.echo(json.dumps(states.access_state(connection, system_clock())))


@click.command("check-restored")
@click.option("--withdraw", is_flag=True, help="Withdraw again what was withdrawn since the backup.")
def check_restored(withdraw: bool) -> None:
    """Check a restored database and its peppers. Standard input is the `access-state` of the database that it replaces,
    or empty. Prints the differences as JSON.
    """
    settings = IssuingSettings.load()
    peppers = Peppers.parse(settings.peppers.get_secret_value())
    replaced = json.loads(sys.stdin.read() or "null")
    with report_errors(), changing(_database(settings), system_clock, COMMAND_LINE) as change:
        pepper_checks.check(change.connection, peppers)
        found = {}
        if replaced is not None:
            found = restoring.differences(states.access_state(change.connection, change.now), replaced)
            if withdraw:
                restoring.withdraw(change, found, replaced)
    click.echo(json.dumps(found, ensure_ascii=False))


def _database(settings: StoreSettings) -> Database:
    return Database(settings.database_url.get_secret_value())
