"""`land webhooks`: pushes the events of watches to the endpoints of partners."""

import signal
import threading

import click

from contract.messages.land import EVENT
from land.cli.engines import open_command_store
from land.events.public_network import PublicNetwork
from land.events.sending import THREADS, Sender
from land.rpc.watches import event_message
from land.settings import LoadingSettings
from land.store.events import Event
from servicekit import logs


@click.command()
def webhooks() -> None:
    """Pushes events to the endpoints of partners until SIGTERM or SIGINT. Needs LAND_WEBHOOK_KEY.

    Several of these processes share the work. Each endpoint gets its events in order.
    """
    settings = LoadingSettings.load()
    logs.configure("land", settings)
    if settings.webhook_key is None:
        raise click.ClickException("LAND_WEBHOOK_KEY is not set: no events are sent")
    engine = open_command_store(settings.database_url, 2 * THREADS + 1)
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    key = settings.webhook_key.get_secret_value().encode()
    Sender(engine, key, settings.data_dir / "locks", _message, PublicNetwork()).run(ending.is_set)


def _message(event: Event) -> dict[str, object]:
    return dict(EVENT.write(event_message(event)))
