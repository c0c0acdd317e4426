"""The feed of events, as a message."""

from keys import texts
from keys.errors import NotFound
from keys.events import records
from keys.keys import records as key_records
from keys.rpc.convert import message
from keys.store.change import Transaction
from landpartner.keys.v1 import keys_pb2


def list_events(transaction: Transaction, request: keys_pb2.ListKeyEventsRequest) -> keys_pb2.ListKeyEventsResponse:
    """Returns the events that the key may see: those of the partner's keys of its mode. Raises NotFound if there is no
    such key.
    """
    connection = transaction.connection
    asking = key_records.find(connection, request.key_id, transaction.now)
    if asking is None:
        raise NotFound(texts.NO_SUCH_KEY)
    last_id = int(request.after or 0)
    events = records.after(connection, asking.partner.id, asking.mode, last_id, request.page_size)
    return keys_pb2.ListKeyEventsResponse(
        events=[message(keys_pb2.KeyEvent, event, id=str(event.id)) for event in events],
        next_after=str(events[-1].id) if events else request.after,
    )
