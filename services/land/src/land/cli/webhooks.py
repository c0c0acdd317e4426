"""`land webhooks`: pushes the events of watches to the endpoints of partners."""

from collections.abc import Sequence

import click
from sqlalchemy import Connection

from contract.messages.land import EVENT
from land.cli.store import open_command_store
from land.rpc.watches import event_message
from land.settings import LoadingSettings
from land.store import events
from land.store.events import Event
from servicekit import logs
from servicekit.commands import run_until_signalled
from servicekit.webhooks.public_network import PublicNetwork
from servicekit.webhooks.sending import CONNECTIONS, Message, Sender

EXAMPLE = EVENT.write(
    event_message(
        Event(
            id=0,
            owner="",
            created_at="2026-01-02T03:04:05Z",
            kind="sale",
            before=None,
            after=b'{"date_mutation": "2025-06-30", "nature_mutation": "Vente", "valeur_fonciere": 250000}',
            dataset="dvf",
            previous_edition="2025-04",
            edition="2025-10",
            commune_codes="00001",
            parcel_ids="00001000AA0001",
            watch_ids="",
        )
    )
)
"""An event of the demo commune, for tests of endpoints."""


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
    sender = Sender(engine, events.webhooks, settings.webhook_secret, event_messages, EXAMPLE, network)
    run_until_signalled(sender.run)


def event_messages(connection: Connection, owner: str, after: int, limit: int) -> Sequence[Message]:
    return [
        Message(event.id, str(event.id), f"land.{event.kind}", event.created_at, EVENT.write(event_message(event)))
        for event in events.events_after(connection, owner, after, limit)
    ]
