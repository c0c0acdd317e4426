"""The endpoints to which a service pushes events, and how far each has got.

The secret of an endpoint follows from the key of the service and a salt, so the store has no secret.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from importlib import import_module
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    delete,
    func,
    select,
    update,
)

from servicekit.clock import utc_now
from servicekit.errors import InvalidPayload, Violation, WebhookNotActive, WebhookNotFound, WebhooksOff, expect
from servicekit.languages import Text as Sentence

MAX_WEBHOOKS = 10
"""Endpoints of one owner."""
SHARE = 2
"""Endpoints of one partner that get messages at a time, so that slow ones delay nobody else's."""
_OFF = Sentence("Ce service n’envoie pas d’événements.", "This service sends no events.")
_FULL = Sentence(
    f"Un partenaire a {MAX_WEBHOOKS} destinations au plus.", f"A partner has at most {MAX_WEBHOOKS} endpoints."
)
_NO_WEBHOOK = Sentence("Cette destination n’existe pas.", "There is no such endpoint.")
_NOT_ACTIVE = Sentence(
    "Cette destination n’est pas encore vérifiée, ou est suspendue : ajoutez de nouveau son adresse.",
    "This endpoint is not verified yet, or is paused: add its address again.",
)
_URL = Sentence("Une adresse https est attendue, sans utilisateur.", "An https address is expected, without a user.")


class Webhook(NamedTuple):
    owner: str
    webhook_id: str
    url: str
    salt: str
    created_at: str
    state: str
    sent_id: int
    failures: int
    failing_since: str | None
    next_at: str
    last_error: str | None

    @property
    def partner(self) -> str:
        return self.owner.rpartition(" ")[2]

    def secret(self, key: bytes) -> bytes:
        return hmac.digest(key, f"{self.webhook_id} {self.salt}".encode(), "sha256")


class Endpoints:
    """The table of the endpoints of a service. `events` is the table of its events: each has an owner, and an id that
    grows in the order of commits.
    """

    def __init__(self, metadata: MetaData, events: Table) -> None:
        self.table = Table(
            "webhook",
            metadata,
            Column("owner", String(80), primary_key=True),
            Column("webhook_id", String(40), primary_key=True),
            Column("url", Text, nullable=False),
            Column("salt", String(40), nullable=False),
            Column("created_at", String(20), nullable=False),
            Column("state", String(10), nullable=False, comment="unverified, active or paused"),
            Column("sent_id", BigInteger, nullable=False, comment="the last event that arrived"),
            Column("failures", Integer, nullable=False, comment="since the last message that arrived"),
            Column("failing_since", String(20)),
            Column("next_at", String(20), nullable=False, comment="no message is sent before"),
            Column("last_error", Text),
            Index("webhook_next", "next_at"),
        )
        self._c = self.table.c
        self._events = events.c

    def create(
        self, connection: Connection, key: bytes, owner: str, url: str, *, may_be_loopback: bool = False
    ) -> tuple[Webhook, str]:
        """Returns the endpoint and its secret, which is not given again. The sender verifies an endpoint before it
        pushes the events that follow. The same address again gets a new secret, is verified again, and continues where
        it stopped. With `may_be_loopback`, a program on this machine needs no https. Raises InvalidPayload, and
        WebhooksOff if the key is empty.
        """
        if not key:
            raise WebhooksOff(_OFF)
        if not (_is_address(url) or (may_be_loopback and _is_address(url, of_loopback=True))):
            raise InvalidPayload(_URL, violations=[Violation("/url", "malformed", _URL)])
        webhook_id, now = hashlib.blake2b(url.encode(), digest_size=10).hexdigest(), utc_now()
        newest = connection.scalar(select(func.max(self._events.id))) or 0
        new = Webhook(owner, webhook_id, url, secrets.token_hex(16), now, "unverified", newest, 0, None, now, None)
        unchanged = ("owner", "webhook_id", "created_at", "sent_id")
        changed = {name: value for name, value in new._asdict().items() if name not in unchanged}
        insert = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(self.table)
        connection.execute(
            insert.values(new._asdict()).on_conflict_do_update(index_elements=self.table.primary_key, set_=changed)
        )
        webhooks = self.of_owner(connection, owner)
        if len(webhooks) > MAX_WEBHOOKS:
            raise InvalidPayload(_FULL, violations=[Violation("", "too_many", _FULL)])
        (webhook,) = (webhook for webhook in webhooks if webhook.webhook_id == webhook_id)
        return webhook, f"whsec_{base64.b64encode(webhook.secret(key)).decode()}"

    def count_failing(self, connection: Connection) -> int:
        """Returns how many endpoints did not take their last message."""
        return connection.scalar(select(func.count()).where(self._c.failures > 0)) or 0

    def retry(self, connection: Connection) -> None:
        """Makes the endpoints that failed due now."""
        connection.execute(update(self.table).where(self._c.failures > 0).values(next_at=utc_now()))

    def of_owner(self, connection: Connection, owner: str) -> list[Webhook]:
        statement = select(self.table).where(self._c.owner == owner).order_by(self._c.created_at, self._c.webhook_id)
        return [Webhook(*row) for row in connection.execute(statement)]

    def find(self, connection: Connection, owner: str, webhook_id: str) -> Webhook | None:
        is_same = (self._c.owner == owner, self._c.webhook_id == webhook_id)
        row = connection.execute(select(self.table).where(*is_same)).first()
        return None if row is None else Webhook(*row)

    def due(self, connection: Connection, now: str, limit: int) -> list[Webhook]:
        """The endpoints that have a message to get at this instant, those that wait longest first, and at most SHARE
        of one owner.
        """
        c, e = self._c, self._events
        has_events = select(e.id).where(e.owner == c.owner, e.id > c.sent_id).exists()
        is_due = c.state.in_(("unverified", "testing")) | ((c.state == "active") & has_events)
        rank = func.row_number().over(partition_by=c.owner, order_by=c.next_at).label("rank")
        ranked = select(self.table, rank).where(c.next_at <= now, is_due).subquery()
        columns = (ranked.c[name] for name in Webhook._fields)
        statement = select(*columns).where(ranked.c.rank <= SHARE).order_by(ranked.c.next_at).limit(limit)
        return [Webhook(*row) for row in connection.execute(statement)]

    def change(self, connection: Connection, webhook: Webhook, **values: object) -> None:
        """Changes an endpoint, unless it was deleted or made again in the meantime."""
        is_same = (getattr(self._c, name) == getattr(webhook, name) for name in ("owner", "webhook_id", "salt"))
        connection.execute(update(self.table).where(*is_same).values(**values))

    def test(self, connection: Connection, owner: str, webhook_id: str) -> None:
        """Makes a test due, by the state `testing` until it is sent, and messages that wait for a further attempt.
        Raises WebhookNotFound and WebhookNotActive.
        """
        webhook = expect(self.find(connection, owner, webhook_id), WebhookNotFound(_NO_WEBHOOK))
        if webhook.state not in ("active", "testing"):
            raise WebhookNotActive(_NOT_ACTIVE)
        self.change(connection, webhook, state="testing", next_at=utc_now())

    def delete(self, connection: Connection, owner: str, webhook_id: str) -> None:
        """Raises WebhookNotFound."""
        is_same = (self._c.owner == owner, self._c.webhook_id == webhook_id)
        if not connection.execute(delete(self.table).where(*is_same)).rowcount:
            raise WebhookNotFound(_NO_WEBHOOK)

    def owners_after(self, connection: Connection, after: str, limit: int) -> list[str]:
        """The owners of endpoints after this one, in order."""
        statement = select(self._c.owner).distinct().where(self._c.owner > after)
        return list(connection.scalars(statement.order_by(self._c.owner).limit(limit)))

    def delete_all(self, connection: Connection, owners: Sequence[str]) -> None:
        connection.execute(delete(self.table).where(self._c.owner.in_(owners)))


def _is_address(url: str, *, of_loopback: bool = False) -> bool:
    """Whether it is an https address, or one of plain http to an IP address of this machine."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
        is_scheme = parts.scheme == ("http" if of_loopback else "https")
        is_host = ip_address(host).is_loopback if of_loopback else bool(host)
    except ValueError:  # of brackets, of the port, or of the IP address
        return False
    return url.isascii() and is_scheme and is_host and parts.username is None and port != 0
