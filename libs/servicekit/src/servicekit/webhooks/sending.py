"""Pushes events to endpoints: in order, at least once, with back-off for three days.

An endpoint has a cursor, which moves after each message that arrived. So a process that is killed sends at most one
message again, with the same id, and loses none.
"""

import base64
import hmac
import json
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection, Engine

from servicekit import locks
from servicekit.clock import utc_now
from servicekit.database import for_writing
from servicekit.webhooks.endpoints import SHARE, Endpoints, Webhook
from servicekit.webhooks.public_network import PublicNetwork, RequestFailed

log = logging.getLogger(__name__)

INTERVAL_S = 1.0
MAX_PAUSE_S = 8.0
"""The longest wait after failures of the database."""
THREADS = 8
CONNECTIONS = 2 * THREADS + 1
"""The database connections of a sender: each thread holds one for its lock."""
MESSAGES, TURN_S = 50, 5.0
"""The messages of one turn of an endpoint, and its time. Then other endpoints have theirs."""
BACK_OFF_S = (5, 60, 300, 1_800, 7_200, 18_000, 36_000)
"""Waits after the first failures; the last one also after further failures."""
MAX_FAILING = timedelta(days=3)
"""An endpoint that fails for so long is paused."""
VERIFICATION, TEST = "webhook.verification", "webhook.test"
_GONE = 410


class Message(NamedTuple):
    """An event to push. Messages of all services to an address have different `message_id`s."""

    event_id: int
    message_id: str
    kind: str
    created_at: str
    data: Mapping[str, object]


@dataclass(frozen=True)
class Sender:
    engine: Engine
    endpoints: Endpoints
    key: bytes
    messages: Callable[[Connection, str, int, int], Sequence[Message]]
    """The next events of an owner after an id, at most so many."""
    example: Mapping[str, object]
    """An event as it would be pushed, for tests of endpoints."""
    network: PublicNetwork = field(default_factory=PublicNetwork)

    def run(self, is_ending: Callable[[], bool]) -> None:
        """Sends until the process ends. While the database fails, it waits ever longer and continues."""
        failures = 0
        under_way: dict[Future[bool], Webhook] = {}
        with ThreadPoolExecutor(THREADS, "webhooks") as pool:
            while not is_ending():
                is_idle = True
                try:
                    for endpoint in self._next(under_way.values()):
                        under_way[pool.submit(self._turn, endpoint)] = endpoint
                    ended, _ = wait(under_way, INTERVAL_S, FIRST_COMPLETED)
                    for turn in ended:
                        del under_way[turn]
                    results = [turn.result() for turn in ended]  # all of them, since each may raise
                    is_idle = not (any(results) if ended else under_way)
                    failures = 0
                except Exception:  # a database that restarts must not end the sender
                    log.exception("the messages of all endpoints failed")
                    failures += 1
                if is_idle:
                    time.sleep(min(INTERVAL_S * 2**failures, MAX_PAUSE_S))

    def _next(self, under_way: Collection[Webhook]) -> list[Webhook]:
        """The endpoints whose turn begins now: as many as threads are free, and at most SHARE of one partner."""
        with self.engine.connect() as connection:
            due = self.endpoints.due(connection, utc_now(), THREADS * 4)
        running = {(endpoint.owner, endpoint.webhook_id) for endpoint in under_way}
        partners = Counter(endpoint.partner for endpoint in under_way)
        chosen: list[Webhook] = []
        for endpoint in due:
            is_free = len(under_way) + len(chosen) < THREADS and partners[endpoint.partner] < SHARE
            if is_free and (endpoint.owner, endpoint.webhook_id) not in running:
                partners[endpoint.partner] += 1
                chosen.append(endpoint)
        return chosen

    def _turn(self, endpoint: Webhook) -> bool:
        """Returns whether the turn was this process's, and not that of another one."""
        name = f"webhook {endpoint.owner} {endpoint.webhook_id}"
        with locks.held(self.engine, name, lambda: True) as is_held:
            if is_held:
                try:
                    self.send(endpoint.owner, endpoint.webhook_id)
                except Exception:  # one endpoint must not end the others' messages
                    log.exception("the messages of an endpoint failed", extra={"webhook": endpoint.webhook_id})
                    self._fail(endpoint, "internal")
        return is_held

    def send(self, owner: str, webhook_id: str) -> None:
        """Verifies an endpoint, or pushes its next events. Another process must not do the same."""
        with self.engine.connect() as connection:
            endpoint = self.endpoints.find(connection, owner, webhook_id)
            if endpoint is None or endpoint.state == "paused" or endpoint.next_at > utc_now():
                return
            messages = self.messages(connection, owner, endpoint.sent_id, MESSAGES)
        if endpoint.state == "unverified":
            self._verify(endpoint)
            return
        if endpoint.state == "testing":
            content = {"type": TEST, "timestamp": utc_now(), "data": self.example}
            error, _ = self._post(endpoint, f"test-{secrets.token_hex(4)}", content)
            self._change(endpoint, state="active", last_error=error or None)  # sent once, and delays no event
            return
        ends = time.monotonic() + TURN_S
        for message in messages:
            content = {"type": message.kind, "timestamp": message.created_at, "data": message.data}
            error, _ = self._post(endpoint, message.message_id, content)
            if error:
                self._fail(endpoint, error)
                return
            sent = {"sent_id": message.event_id, "next_at": utc_now()}  # others wait longer now
            self._change(endpoint, **sent, failures=0, failing_since=None, last_error=None)
            endpoint = endpoint._replace(failures=0, failing_since=None)
            if time.monotonic() > ends:
                return

    def _verify(self, endpoint: Webhook) -> None:
        """The endpoint must answer with the challenge, so that nobody can let the service call a stranger."""
        challenge = secrets.token_urlsafe(24)
        content = {"type": VERIFICATION, "timestamp": utc_now(), "data": {"challenge": challenge}}
        error, answer = self._post(endpoint, f"verification-{challenge[:8]}", content)
        if not error and challenge.encode() not in answer:
            error = "the answer does not contain the challenge"
        if not error and VERIFICATION.encode() in answer:
            error = "the answer repeats the message"  # a stranger that echoes has agreed to nothing
        if error:
            self._fail(endpoint, error)
        else:
            self._change(endpoint, state="active", failures=0, failing_since=None, last_error=None)

    def _post(self, endpoint: Webhook, message_id: str, content: Mapping[str, object]) -> tuple[str, bytes]:
        """Why the message did not arrive, or an empty text; and the body of the answer."""
        body = json.dumps(content, ensure_ascii=False).encode()
        headers = signed_headers(endpoint.secret(self.key), message_id, int(time.time()), body)
        try:
            status, answer = self.network.post(endpoint.url, body, headers)
        except RequestFailed as error:
            return str(error), b""
        return ("" if 200 <= status < 300 else f"status {status}"), answer  # noqa: PLR2004 (success)

    def _fail(self, endpoint: Webhook, error: str) -> None:
        now = datetime.now(UTC)
        since = endpoint.failing_since or utc_now()
        is_over = since < utc_now(minus=MAX_FAILING) or error == f"status {_GONE}"
        wait_s = BACK_OFF_S[min(endpoint.failures, len(BACK_OFF_S) - 1)]
        jittered_s = wait_s * (0.9 + secrets.randbelow(200) / 1000)
        next_at = f"{now + timedelta(seconds=jittered_s):%Y-%m-%dT%H:%M:%SZ}"
        changed = {"state": "paused"} if is_over else {}  # not the state that was read: a test may be due since then
        log.warning("an event did not arrive", extra={"webhook": endpoint.webhook_id, "reason": error, **changed})
        failures = endpoint.failures + 1
        self._change(endpoint, **changed, failures=failures, failing_since=since, next_at=next_at, last_error=error)

    def _change(self, endpoint: Webhook, **values: object) -> None:
        with for_writing(self.engine).begin() as connection:
            self.endpoints.change(connection, endpoint, **values)


def signed_headers(secret: bytes, message_id: str, timestamp: int, body: bytes) -> dict[bytes | str, bytes | str]:
    """The headers of a message: https://www.standardwebhooks.com."""
    signature = hmac.digest(secret, f"{message_id}.{timestamp}.".encode() + body, "sha256")
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }
