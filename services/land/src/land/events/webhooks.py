"""The endpoints to which events are pushed, and their signatures (Standard Webhooks).

The secret of an endpoint follows from the key of the service and a salt, so the store has no secret.
"""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import Engine

from land.answers.refusals import invalid
from land.answers.texts import fill
from land.errors import WatchNotFound, WebhooksOff
from land.loading.clock import utc_now
from land.store import webhooks
from land.store.snapshot import snapshot
from land.store.webhooks import Webhook
from servicekit.database import for_writing
from servicekit.languages import Text

MAX_WEBHOOKS = 10
"""Endpoints of one partner."""
_OFF = Text("Ce service n’envoie pas d’événements.", "This service sends no events.")
_FULL = Text("Un partenaire a {limit} destinations au plus.", "A partner has at most {limit} endpoints.")
_NO_WEBHOOK = Text("Cette destination n’existe pas.", "There is no such endpoint.")
_URL = Text("Une adresse https est attendue, sans utilisateur.", "An https address is expected, without a user.")


@dataclass(frozen=True)
class Webhooks:
    """The endpoints of partners. Safe for threads."""

    engine: Engine
    key: bytes
    """The key of the service for secrets; empty if it sends no events."""

    def create(self, owner: str, url: str) -> tuple[Webhook, str]:
        """The endpoint and its secret, which is not given again. The sender verifies an endpoint before it pushes the
        events that follow. The same address again gets a new secret, is verified again, and continues where it stopped.
        Raises InvalidPayload and WebhooksOff.
        """
        if not self.key:
            raise WebhooksOff(_OFF)
        if not _is_address(url):
            raise invalid("/url", "malformed", _URL)
        webhook_id = hashlib.blake2b(url.encode(), digest_size=10).hexdigest()
        salt = secrets.token_hex(16)
        with for_writing(self.engine).begin() as connection:
            webhooks.put(connection, owner, webhook_id, url, salt, utc_now())
            endpoints = webhooks.of_owner(connection, owner)
            if len(endpoints) > MAX_WEBHOOKS:
                raise invalid("", "too_many", fill(_FULL, limit=MAX_WEBHOOKS))
        (webhook,) = (endpoint for endpoint in endpoints if endpoint.webhook_id == webhook_id)
        return webhook, f"whsec_{base64.b64encode(secret_of(self.key, webhook)).decode()}"

    def of_owner(self, owner: str) -> list[Webhook]:
        with snapshot(self.engine) as connection:
            return webhooks.of_owner(connection, owner)

    def delete(self, owner: str, webhook_id: str) -> None:
        """Raises WatchNotFound."""
        with for_writing(self.engine).begin() as connection:
            if not webhooks.delete_webhook(connection, owner, webhook_id):
                raise WatchNotFound(_NO_WEBHOOK)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # of brackets or of the port
        return False
    return url.isascii() and parts.scheme == "https" and bool(parts.hostname) and parts.username is None and port != 0


def secret_of(key: bytes, webhook: Webhook) -> bytes:
    return hmac.digest(key, f"{webhook.webhook_id} {webhook.salt}".encode(), "sha256")


def signed_headers(secret: bytes, message_id: str, timestamp: int, body: bytes) -> dict[bytes | str, bytes | str]:
    """The headers of a message: https://www.standardwebhooks.com."""
    signature = hmac.digest(secret, f"{message_id}.{timestamp}.".encode() + body, "sha256")
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }
