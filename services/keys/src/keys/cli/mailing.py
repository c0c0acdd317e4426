"""`keys mail`: sends the mails about events and invitations."""

import signal
import threading

import click

from keys.cli.errors import fail
from keys.clock import system_clock
from keys.events.mailing import Mailer
from keys.settings import MailSettings
from keys.store.database import Database
from servicekit import logs


@click.command()
def mail() -> None:
    """Send mails until SIGTERM or SIGINT. Needs KEYS_MAIL_HOST and KEYS_MAIL_FROM. Several processes share the work."""
    settings = MailSettings.load()
    logs.configure("keys", settings)
    if not settings.mail_host or not settings.mail_from:
        fail("KEYS_MAIL_HOST and KEYS_MAIL_FROM are not set: no mail is sent")
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    Mailer(Database(settings.database_url.get_secret_value(), pool_size=1), settings, system_clock).run(ending.is_set)
