"""`keys mail` and `keys webhooks`: the programs that send what happened, to people and to programs."""

import click

from keys.cli.errors import fail
from keys.rpc.event_messages import EXAMPLE, event_messages
from keys.settings import MailSettings, SenderSettings
from keys.store import event_tables
from keys.store.database import Database
from keys.upkeep.mailing import Mailer
from keys.values.clock import system_clock
from servicekit import logs
from servicekit.commands import run_until_signalled
from servicekit.webhooks.public_network import PublicNetwork
from servicekit.webhooks.sending import CONNECTIONS, Sender


@click.command()
def mail() -> None:
    """Send mails until SIGTERM or SIGINT. Needs KEYS_MAIL_HOST and KEYS_MAIL_FROM. Several processes share the work."""
    settings = MailSettings.load()
    logs.configure("keys", settings)
    if not settings.mail_host or not settings.mail_from:
        fail("KEYS_MAIL_HOST and KEYS_MAIL_FROM are not set: no mail is sent")
    database = Database(settings.database_url.get_secret_value(), pool_size=1)
    run_until_signalled(Mailer(database, settings, system_clock).run)


@click.command()
def webhooks() -> None:
    """Push events to the endpoints of partners until SIGTERM or SIGINT. Needs KEYS_WEBHOOK_KEY.

    Several processes share the work. Each endpoint gets its events in order.
    """
    settings = SenderSettings.load()
    logs.configure("keys", settings)
    if not settings.webhook_secret:
        fail("KEYS_WEBHOOK_KEY is not set: no events are sent")
    engine = Database(settings.database_url.get_secret_value(), pool_size=CONNECTIONS).engine
    network = PublicNetwork.of(settings)
    sender = Sender(engine, event_tables.webhooks, settings.webhook_secret, event_messages, EXAMPLE, network)
    run_until_signalled(sender.run)
