"""Keys made, revoked and rotated, each in one transaction with its line in the audit log."""

import ipaddress
from datetime import timedelta

from keys.admin.records import IssuedKey, KeyDraft, KeyRecord, KeyStatus
from keys.clock import Clock
from keys.errors import Conflict, NotFound
from keys.issuing import secret
from keys.issuing.hashing import Peppers
from keys.quota.policy import SCOPES
from keys.store import audit, key_records, partner_records
from keys.store.audit import Actor
from keys.store.database import Database
from keys.store.locking import lock
from servicekit.errors import InvalidPayload, Violation

MAX_NAME = 200


class Issuer:
    """Everything that changes a key's secret or status."""

    def __init__(self, database: Database, peppers: Peppers, clock: Clock) -> None:
        self._database = database
        self._peppers = peppers
        self._clock = clock

    def create(self, draft: KeyDraft, actor: Actor) -> IssuedKey:
        """Raises InvalidPayload with a pointer to each wrong member."""
        check(draft)
        key = secret.generate(draft.mode, secret.new_id())
        with self._database.writing() as connection:
            now = self._clock()
            partner = partner_records.find_or_create(connection, draft.partner, now)
            key_records.add(connection, draft, partner.id, key, hashed=self._peppers.hash(key.text), now=now)
            changes = {"partner": partner.name, "label": draft.label, "mode": draft.mode.value}
            audit.write(connection, actor, "key.create", key.key_id, changes=changes, now=now)
            record = key_records.find(connection, key.key_id, now)
        assert record is not None  # noqa: S101 (added above)
        return IssuedKey(record, key)

    def revoke(self, key_id: str, actor: Actor) -> KeyRecord:
        """Revokes the key; one that is revoked already stays as it is. Raises NotFound."""
        with self._database.writing() as connection:
            lock(connection, [key_id])
            now = self._clock()
            if key_records.revoke(connection, key_id, now):
                audit.write(connection, actor, "key.revoke", key_id, changes={}, now=now)
            record = key_records.find(connection, key_id, now)
        if record is None:
            raise NotFound("There is no such key.")
        return record

    def rotate(self, key_id: str, grace: timedelta, actor: Actor) -> IssuedKey:
        """Gives the key a new secret. Raises NotFound, or Conflict where the key is not active."""
        with self._database.writing() as connection:
            lock(connection, [key_id])
            now = self._clock()
            found = key_records.find(connection, key_id, now)
            if found is None:
                raise NotFound("There is no such key.")
            if found.status(now) is not KeyStatus.ACTIVE:
                raise Conflict(f"The key is {found.status(now)}.")
            key = secret.generate(found.mode, key_id)
            key_records.replace_secret(connection, key, self._peppers.hash(key.text), grace, now)
            changes = {"grace_days": grace / timedelta(days=1)}
            audit.write(connection, actor, "key.rotate", key_id, changes=changes, now=now)
            record = key_records.find(connection, key_id, now)
        assert record is not None  # noqa: S101 (locked above)
        return IssuedKey(record, key)


def check(draft: KeyDraft) -> None:
    """Raises InvalidPayload with a pointer to each wrong member."""
    wrong = []
    for name, value in (("partner", draft.partner), ("label", draft.label)):
        if not 1 <= len(value.strip()) <= MAX_NAME:
            wrong.append(Violation(f"/{name}", "length", f"has 1 to {MAX_NAME} characters"))
    for index, scope in enumerate(draft.scopes):
        if scope not in SCOPES:
            wrong.append(Violation(f"/scopes/{index}", "unknown", f"is one of {', '.join(SCOPES)}"))
    for index, cidr in enumerate(draft.allowed_cidrs):
        try:
            ipaddress.ip_network(cidr)
        except ValueError:
            wrong.append(Violation(f"/allowed_cidrs/{index}", "malformed", "is a network such as 192.0.2.0/24"))
    quota, assistant = draft.quota, draft.assistant
    for pointer, number, least in (
        ("/quota/per_minute", quota.per_minute, 1),
        ("/quota/burst", quota.burst, 1),
        ("/quota/monthly_units", quota.monthly_units, 0),
        ("/quota/spend_cap", quota.spend_cap, 0),
        ("/assistant_policy/monthly_calls", assistant.monthly_calls, 0),
        ("/assistant_policy/monthly_tokens", assistant.monthly_tokens, 0),
    ):
        if number is not None and number < least:
            wrong.append(Violation(pointer, "too_small", f"is at least {least}"))
    if wrong:
        raise InvalidPayload("The key cannot be made like this.", violations=wrong)
