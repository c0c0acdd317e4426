"""The events of a partner as messages: of its feed, and to push."""

from collections.abc import Sequence

from sqlalchemy import Connection

from contract.messages.keys import SHAPES
from keys.api_keys import changes as key_changes
from keys.rpc.convert import message
from keys.store import event_records
from keys.store.change import Transaction
from keys.store.event_records import KeyEvent
from keys.values.secret import KeyMode
from landpartner.keys.v1 import keys_pb2
from landpartner.webhooks.v1.webhooks_pb2 import Owner
from servicekit.webhooks.sending import Message

_SHAPE = SHAPES[keys_pb2.KeyEvent]
EXAMPLE = _SHAPE.write(
    keys_pb2.KeyEvent(
        id="0",
        kind=keys_pb2.KEY_EVENT_KIND_QUOTA,
        created_at="2026-01-02T03:04:05Z",
        key_id="00000000-0000-4000-8000-000000000000",
        month="2026-01",
        percent=80,
        amount="1000",
    )
)
"""An event for tests of endpoints."""


def list_events(transaction: Transaction, request: keys_pb2.ListKeyEventsRequest) -> keys_pb2.ListKeyEventsResponse:
    """Returns the events that the key may see: those of the partner's keys of its mode. Raises NotFound if there is no
    such key.
    """
    asking = key_changes.get(transaction, request.key_id)
    owner = event_records.owner_of(asking.partner.id, asking.mode)
    events = event_records.after(transaction.connection, owner, int(request.after or 0), request.page_size)
    return keys_pb2.ListKeyEventsResponse(
        events=map(_event, events),
        next_after=str(events[-1].id) if events else request.after,
    )


def owner_of_webhooks(owner: Owner) -> str:
    """The owner of the events that endpoints get."""
    return event_records.owner_of(owner.partner_id, KeyMode.TEST if owner.is_test else KeyMode.LIVE)


def event_messages(connection: Connection, owner: str, after: int, limit: int) -> Sequence[Message]:
    """Returns the events of an owner after an id. Their message ids differ from those of land's events."""
    events = [_event(event) for event in event_records.after(connection, owner, after, limit)]
    return [
        Message(int(event.id), f"keys-{event.id}", f"keys.{written['kind']}", event.created_at, written)
        for event in events
        for written in [_SHAPE.write(event)]
    ]


def _event(event: KeyEvent) -> keys_pb2.KeyEvent:
    return message(keys_pb2.KeyEvent, event, id=str(event.id))
