"""Events that land and keys push: verified, signed, in order, again after a failure, and after a process is killed."""

import base64
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, text
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError
from webhook_receiver import Message, Receiver, accept, local_receiver

import databases
from keys.rpc import event_messages as keys_handlers
from keys.store import database as keys_database
from keys.store import event_records as keys_records
from keys.store import event_tables as keys_tables
from keys.store.event_records import EventKind, KeyEvent
from keys.values.secret import KeyMode
from land import store as land_store
from land.cli import webhooks as land_webhooks
from land.store import events as land_events
from land.store.events import Event
from servicekit.clock import utc_now
from servicekit.database import for_writing, open_engine
from servicekit.errors import InvalidPayload, WebhookNotActive, WebhookNotFound, WebhooksOff
from servicekit.schema import upgrade
from servicekit.webhooks import sending
from servicekit.webhooks.endpoints import MAX_WEBHOOKS, SHARE, Endpoints, Webhook
from servicekit.webhooks.public_network import PublicNetwork
from servicekit.webhooks.sending import Sender

pytestmark = pytest.mark.thorough

KEY, NOW, LATER, POOL_SIZE = b"k" * 32, "2026-01-02T03:04:05Z", "9999", 20
ANYWHERE = PublicNetwork(lambda address: True, deadline_s=5)
_numbers = itertools.count()
SENDER = """
import sys
from servicekit.database import open_engine
from servicekit.webhooks.public_network import PublicNetwork
from servicekit.webhooks.sending import Sender
from {endpoints} import webhooks
from {messages} import EXAMPLE, event_messages
engine = open_engine(sys.argv[1], pool_size=20)
network = PublicNetwork(lambda address: True)
Sender(engine, webhooks, b"k" * 32, event_messages, EXAMPLE, network).run(lambda: False)
"""


@dataclass(frozen=True)
class Service:
    owner: str
    migrations: str
    endpoints: Endpoints
    messages: Callable[[Connection, str, int, int], Sequence[sending.Message]]
    add: Callable[[Connection, int], None]
    kind: str
    example: Mapping[str, object]
    program: str


def add_sales(connection: Connection, count: int) -> None:
    sale = Event(0, "all partner-1", NOW, "sale", None, b"{}", "dvf", None, "e1", "18999", "", "w1")
    land_events.add_events(connection, [sale] * count, "2020", 1000)


def add_expiries(connection: Connection, count: int) -> None:
    events = [
        KeyEvent(
            kind=EventKind.KEY_EXPIRY,
            partner_id="partner-1",
            mode=KeyMode.LIVE,
            threshold=14,
            key_id=f"k{next(_numbers)}",
        )
        for _ in range(count)
    ]
    keys_records.add(connection, events, datetime.now(UTC))


LAND = Service(
    "all partner-1",
    land_store.MIGRATIONS,
    land_events.webhooks,
    land_webhooks.event_messages,
    add_sales,
    "land.sale",
    land_webhooks.EXAMPLE,
    SENDER.format(endpoints="land.store.events", messages="land.cli.webhooks"),
)
KEYS = Service(
    "live partner-1",
    keys_database.MIGRATIONS,
    keys_tables.webhooks,
    keys_handlers.event_messages,
    add_expiries,
    "keys.key_expiry",
    keys_handlers.EXAMPLE,
    SENDER.format(endpoints="keys.store.event_tables", messages="keys.rpc.event_messages"),
)


@dataclass(frozen=True)
class Store:
    """An empty store of a service."""

    service: Service
    engine: Engine

    @property
    def endpoint(self) -> Webhook:
        with self.engine.connect() as connection:
            (endpoint,) = self.service.endpoints.of_owner(connection, self.service.owner)
        return endpoint

    @property
    def sender(self) -> Sender:
        service = self.service
        return Sender(self.engine, service.endpoints, KEY, service.messages, service.example, ANYWHERE)

    def add_events(self, count: int) -> None:
        with for_writing(self.engine).begin() as connection:
            self.service.add(connection, count)

    def add_endpoint(self, url: str, owner: str = "", public_url: str = "https://partner.example") -> None:
        """Adds an endpoint for tests, whose address is not of https."""
        owner = owner or self.service.owner
        with for_writing(self.engine).begin() as connection:
            created, _ = self.service.endpoints.create(connection, KEY, owner, public_url)
            self.service.endpoints.change(connection, created, url=url)

    def send(self) -> None:
        """One turn, whether the endpoint waits or not."""
        self.change(next_at=NOW)
        self.sender.send(self.service.owner, self.endpoint.webhook_id)

    def test(self) -> None:
        with for_writing(self.engine).begin() as connection:
            self.service.endpoints.test(connection, self.service.owner, self.endpoint.webhook_id)

    def change(self, **values: object) -> None:
        with for_writing(self.engine).begin() as connection:
            self.service.endpoints.change(connection, self.endpoint, **values)


def migrate(service: Service, url: str) -> None:
    engine = open_engine(url)
    upgrade(engine, service.migrations)
    engine.dispose()


@pytest.fixture(scope="module")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with databases.server(tmp_path_factory) as url:
        yield url


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The SQLite files of empty stores, to copy."""
    files = {service.kind: tmp_path_factory.mktemp("template") / "store.sqlite" for service in (LAND, KEYS)}
    for service in (LAND, KEYS):
        migrate(service, f"sqlite:///{files[service.kind]}")
    return files


ON_SQLITE = [pytest.param((service, "sqlite"), id=service.kind) for service in (LAND, KEYS)]
ON_POSTGRES = [
    pytest.param((service, "postgres"), id=f"{service.kind} postgres", marks=pytest.mark.docker)
    for service in (LAND, KEYS)
]


@pytest.fixture(params=ON_SQLITE)
def store(request: pytest.FixtureRequest, tmp_path: Path, templates: dict[str, Path]) -> Iterator[Store]:
    service, kind = request.param
    with ExitStack() as stack:
        if kind == "sqlite":
            shutil.copy(templates[service.kind], tmp_path / "store.sqlite")
            url = f"sqlite:///{tmp_path}/store.sqlite"
        else:
            server = request.getfixturevalue("postgres_url")
            prefix = service.kind.partition(".")[0]
            url = stack.enter_context(databases.database(server, prefix, partial(migrate, service)))
        engine = open_engine(url, pool_size=POOL_SIZE)
        stack.callback(engine.dispose)
        yield Store(service, engine)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with local_receiver() as receiver:
        yield receiver


@pytest.mark.parametrize("store", [*ON_SQLITE, *ON_POSTGRES], indirect=True)
def test_a_verified_endpoint_gets_signed_events_in_order(store: Store, receiver: Receiver) -> None:
    store.add_events(1)  # before the endpoint
    store.add_endpoint(receiver.url)
    store.add_events(3)
    store.send()
    assert (receiver.ids(), store.endpoint.state) == ([], "active")
    store.send()
    assert receiver.ids() == ["2", "3", "4"]
    assert store.endpoint.sent_id == 4
    verifier = Verifier(base64.b64encode(store.endpoint.secret(KEY)).decode())
    for message in receiver.messages:
        verifier.verify(message.body, message.headers)
    message = receiver.messages[-1]
    assert (message.content["type"], message.content["data"]["id"]) == (store.service.kind, "4")
    with pytest.raises(WebhookVerificationError):
        verifier.verify(message.body + b" ", message.headers)


@pytest.mark.parametrize("store", [*ON_SQLITE, *ON_POSTGRES], indirect=True)
def test_a_test_is_signed_comes_before_events_and_is_sent_once(store: Store, receiver: Receiver) -> None:
    store.add_endpoint(receiver.url)
    with pytest.raises(WebhookNotActive):
        store.test()
    store.send()
    store.add_events(1)
    receiver.answer = lambda message: (500, b"")
    store.send()
    store.test()
    store.test()
    with store.engine.connect() as connection:
        assert store.service.endpoints.due(connection, utc_now(), 10) == [store.endpoint]
    store.sender.send(store.service.owner, store.endpoint.webhook_id)  # it did not wait for its next attempt
    failed = store.endpoint
    assert (failed.state, failed.failures, failed.last_error) == ("active", 1, "status 500")
    receiver.answer = accept
    store.test()
    store.send()
    store.send()
    types = [message.content["type"] for message in receiver.messages]
    event = store.service.kind
    assert types == ["webhook.verification", event, "webhook.test", "webhook.test", event]
    _, _, first, second, _ = receiver.messages
    assert second.content["data"] == json.loads(json.dumps(store.service.example))
    assert first.headers["webhook-id"] != second.headers["webhook-id"]
    Verifier(base64.b64encode(store.endpoint.secret(KEY)).decode()).verify(second.body, second.headers)
    store.change(state="paused")
    with pytest.raises(WebhookNotActive):
        store.test()
    with pytest.raises(WebhookNotFound), for_writing(store.engine).begin() as connection:
        store.service.endpoints.test(connection, "live stranger", store.endpoint.webhook_id)


def test_the_messages_of_both_services_to_one_address_have_different_ids(
    tmp_path: Path, templates: dict[str, Path], receiver: Receiver
) -> None:
    for service in (LAND, KEYS):
        path = tmp_path / f"{service.kind}.sqlite"
        shutil.copy(templates[service.kind], path)
        engine = open_engine(f"sqlite:///{path}", pool_size=POOL_SIZE)
        store = Store(service, engine)
        store.add_endpoint(receiver.url)
        store.send()
        store.add_events(1)
        store.send()
        engine.dispose()
    assert [message.headers["webhook-id"] for message in receiver.messages[1::2]] == ["1", "keys-1"]


@pytest.mark.parametrize("store", ON_SQLITE[:1], indirect=True)
def test_an_endpoint_that_does_not_know_the_challenge_gets_no_event(store: Store, receiver: Receiver) -> None:
    receiver.answer = lambda message: (200, b"welcome")
    store.add_endpoint(receiver.url)
    store.add_events(1)
    store.send()
    store.send()
    assert (receiver.ids(), store.endpoint.state, store.endpoint.failures) == ([], "unverified", 2)
    assert store.endpoint.last_error == "the answer does not contain the challenge"


@pytest.mark.parametrize("store", ON_SQLITE[:1], indirect=True)
def test_an_endpoint_that_repeats_the_message_is_not_verified(store: Store, receiver: Receiver) -> None:
    store.add_endpoint(receiver.url)
    echoes: list[Callable[[Message], tuple[int, bytes]]] = [
        lambda message: (200, message.body),
        lambda message: (200, json.dumps({"data": message.body.decode()}).encode()),
    ]
    for receiver.answer in echoes:
        store.send()
        assert (store.endpoint.state, store.endpoint.last_error) == ("unverified", "the answer repeats the message")
    receiver.answer = lambda message: (200, json.dumps(message.content["data"]).encode())
    store.send()
    assert store.endpoint.state == "active"


def has_events(receiver: Receiver, count: int) -> bool:
    return len(receiver.ids()) == count


@pytest.mark.parametrize("store", [*ON_SQLITE[:1], *ON_POSTGRES[:1]], indirect=True)
def test_slow_endpoints_of_one_partner_delay_nobody_else(store: Store, receiver: Receiver) -> None:
    may_answer, is_ended = threading.Event(), threading.Event()

    def answer_late(message: Message) -> tuple[int, bytes]:
        may_answer.wait()
        return accept(message)

    with local_receiver() as slow, ThreadPoolExecutor() as pool:
        slow.answer = answer_late
        for number in range(MAX_WEBHOOKS):
            for owner in ("all slow", "demo slow"):
                store.add_endpoint(slow.url, owner, f"https://slow.example/{number}")
        sender = replace(store.sender, network=replace(ANYWHERE, deadline_s=60))
        running = pool.submit(sender.run, is_ended.is_set)
        try:
            wait_until(lambda: len(slow.messages) == SHARE)
            store.add_endpoint(receiver.url)
            wait_until(lambda: store.endpoint.state == "active")
            for number in range(1, 4):
                store.add_events(1)
                wait_until(partial(has_events, receiver, number))
            assert len(slow.messages) == SHARE
        finally:
            may_answer.set()
            is_ended.set()
            running.result()


@pytest.mark.parametrize("store", ON_SQLITE[:1], indirect=True)
@pytest.mark.parametrize("status", [302, 500])
def test_a_failure_stops_the_order_until_the_message_arrives(store: Store, receiver: Receiver, status: int) -> None:
    store.add_endpoint(receiver.url)
    store.send()
    store.add_events(3)
    receiver.answer = lambda message: (status if message.event_id == "2" else 200, b"")
    store.send()
    assert receiver.ids() == ["1", "2"]
    failed = store.endpoint
    assert (failed.state, failed.failures, failed.last_error) == ("active", 1, f"status {status}")
    assert failed.failing_since
    assert failed.next_at > failed.failing_since
    receiver.answer = accept
    store.send()
    assert receiver.ids() == ["1", "2", "2", "3"]
    assert (store.endpoint.failures, store.endpoint.failing_since) == (0, None)


@pytest.mark.parametrize("store", ON_SQLITE[:1], indirect=True)
def test_an_endpoint_that_fails_for_three_days_is_paused_and_continues_later(store: Store, receiver: Receiver) -> None:
    store.add_endpoint(receiver.url)
    store.send()
    store.add_events(1)
    receiver.answer = lambda message: (500, b"")
    store.send()
    store.change(failing_since="2026-01-01T00:00:00Z")
    store.send()
    assert store.endpoint.state == "paused"
    with store.engine.connect() as connection:
        assert store.service.endpoints.due(connection, LATER, 10) == []
    receiver.answer = accept
    store.add_endpoint(receiver.url)
    store.send()
    store.send()
    assert receiver.ids()[-1] == "1"
    assert store.endpoint.sent_id == 1


def test_an_endpoint_that_breaks_the_sender_waits_alone(store: Store) -> None:
    store.add_endpoint("https://partner.example:99999")
    ends = iter([False, True])
    store.sender.run(lambda: next(ends))
    assert (store.endpoint.last_error, store.endpoint.failures) == ("internal", 1)


@pytest.mark.parametrize("store", ON_POSTGRES[1:], indirect=True)
def test_a_sender_continues_after_its_database_was_stopped(
    store: Store, postgres_url: str, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    is_ended, name = threading.Event(), store.engine.url.database
    server = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    store.add_endpoint(receiver.url)
    with server.connect() as admin, ThreadPoolExecutor() as pool:
        running = pool.submit(store.sender.run, is_ended.is_set)
        wait_until(lambda: store.endpoint.state == "active")
        admin.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false"))
        admin.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"))
        wait_until(lambda: caplog.text.count("the messages of all endpoints failed") > 1)
        admin.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true"))
        store.add_events(1)
        wait_until(lambda: receiver.ids() == ["1"])
        is_ended.set()
        running.result()
    server.dispose()


def wait_until(is_true: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < ends
        time.sleep(0.1)


@pytest.mark.parametrize("store", ON_SQLITE[:1], indirect=True)
def test_an_endpoint_is_an_https_address_and_its_secret_is_not_stored(store: Store) -> None:
    owner, endpoints = store.service.owner, store.service.endpoints
    with for_writing(store.engine).begin() as connection:
        for url in (
            "http://partner.example",
            "https://user@partner.example",
            "https://",
            "https://partner.example:99999",
            "https://partner.example:port",
            "https://[::1",
            "https://exämple.fr",
        ):
            with pytest.raises(InvalidPayload):
                endpoints.create(connection, KEY, owner, url)
        for url in ("http://127.0.0.1:8090/", "http://[::1]:8090/events"):
            with pytest.raises(InvalidPayload):
                endpoints.create(connection, KEY, owner, url)
            tried, _ = endpoints.create(connection, KEY, owner, url, may_be_loopback=True)
            endpoints.delete(connection, owner, tried.webhook_id)
        for url in ("http://partner.example", "http://10.1.2.3/", "http://user@127.0.0.1/", "http://localhost/"):
            with pytest.raises(InvalidPayload):
                endpoints.create(connection, KEY, owner, url, may_be_loopback=True)
        _, secret = endpoints.create(connection, KEY, owner, "https://partner.example")
        again, other_secret = endpoints.create(connection, KEY, owner, "https://partner.example")
        assert endpoints.of_owner(connection, owner) == [again]
        assert secret != other_secret
        assert other_secret not in repr(again)
        with pytest.raises(WebhooksOff):
            endpoints.create(connection, b"", owner, "https://partner.example")


@pytest.mark.parametrize("is_before_answer", [True, False])
def test_a_sender_that_is_killed_loses_no_event(store: Store, receiver: Receiver, *, is_before_answer: bool) -> None:
    """The process is killed while a message is under way, or at some moment after its answer."""
    store.add_endpoint(receiver.url)
    store.add_events(3)
    process: subprocess.Popen[bytes] | None = None
    killed: set[str] = set()

    def kill_once(message: Message) -> tuple[int, bytes]:
        if message.event_id == "2" and not killed:
            killed.add(message.event_id)
            assert process
            if is_before_answer:
                os.kill(process.pid, signal.SIGKILL)
            else:
                threading.Timer(0.01, process.kill).start()
        return accept(message)

    receiver.answer = kill_once
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-c", store.service.program, str(store.engine.url)])
        while process.poll() is None and store.endpoint.sent_id < 3:
            time.sleep(0.2)
        process.kill()
        process.wait()
        if store.endpoint.sent_id == 3:
            break
    assert list(dict.fromkeys(receiver.ids())) == ["1", "2", "3"]
    assert sorted(receiver.ids()) == receiver.ids()  # in order: a message comes again before the next one
    assert killed
