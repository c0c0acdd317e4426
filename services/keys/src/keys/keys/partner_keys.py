"""The keys that a partner sees and rotates itself: those of the partner and of the mode of the key that asks."""

from datetime import timedelta

from keys import texts
from keys.errors import NotFound
from keys.keys import changes as key_changes
from keys.keys import records as key_records
from keys.keys.hashing import Peppers
from keys.records import IssuedKey, KeyRecord
from keys.store.change import Change, Transaction


def partner_keys(transaction: Transaction, key_id: str) -> list[KeyRecord]:
    """Returns the keys that this key may see, itself included, the oldest first. Raises NotFound if there is no such
    key.
    """
    connection, now = transaction.connection, transaction.now
    asking = key_records.find(connection, key_id, now)
    if asking is None:
        raise NotFound(texts.NO_SUCH_KEY)
    return key_records.of_partner(connection, asking.partner.id, asking.mode, now)


def rotate(change: Change, peppers: Peppers, key_id: str, rotated_key_id: str, grace: timedelta) -> IssuedKey:
    """Gives one of the keys of `partner_keys` a new secret. Raises NotFound for another one, or Conflict if it is
    revoked or expired.
    """
    if all(key.id != rotated_key_id for key in partner_keys(change, key_id)):
        raise NotFound(texts.NO_SUCH_KEY)
    return key_changes.rotate(change, peppers, rotated_key_id, grace)
