"""`land webhooks`: pushes the events of watches to the endpoints of partners."""

from collections.abc import Sequence

import click
from sqlalchemy import Connection

from contract.messages.land import EVENT
from land.cli.engines import open_command_store
from land.rpc.watches import event_message
from land.settings import LoadingSettings
from land.store import events
from servicekit import logs
from servicekit.commands import run_until_signalled
from servicekit.webhooks.public_network import PublicNetwork
from servicekit.webhooks.sending import CONNECTIONS, Message, Sender


@click.command()
def webhooks() -> None:
    """Pushes events to the endpoints of partners until SIGTERM or SIGINT. Needs LAND_WEBHOOK_KEY.

    Several of these processes share the work. Each endpoint gets its events in order.
    """
    settings = LoadingSettings.load()
    logs.configure("land", settings)
    if not settings.webhook_secret:
        raise click.ClickException("LAND_WEBHOOK_KEY is not set: no events are sent")
    engine = open_command_store(settings.database_url, CONNECTIONS)
    network = PublicNetwork.of(settings)
    run_until_signalled(Sender(engine, events.webhooks, settings.webhook_secret, event_messages, network).run)


def event_messages(connection: Connection, owner: str, after: int, limit: int) -> Sequence[Message]:
    return [
        Message(event.id, str(event.id), f"land.{event.kind}", event.created_at, EVENT.write(event_message(event)))
        for event in events.events_after(connection, owner, after, limit)
    ]
