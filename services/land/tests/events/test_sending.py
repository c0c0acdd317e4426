"""Events that are pushed: verified, signed, in order, again after a failure, and after a process is killed."""

import base64
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, text, update
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError
from webhook_receiver import Message, Receiver, accept, local_receiver

from land.errors import WebhooksOff
from land.events.public_network import PublicNetwork
from land.events.sending import Sender
from land.events.webhooks import Webhooks, secret_of
from land.store import events, webhooks
from land.store.events import Event
from land.store.webhooks import Webhook, webhook
from servicekit.errors import InvalidPayload

OWNER, KEY, NOW, LATER = "all partner-1", b"k" * 32, "2026-01-02T03:04:05Z", "9999"
ANYWHERE = PublicNetwork(lambda address: True, deadline_s=5)

SENDER = """
import sys
import threading
from pathlib import Path
from land.events.public_network import PublicNetwork
from land.events.sending import Sender
from servicekit.database import open_engine
engine = open_engine(f"sqlite:///{sys.argv[1]}", pool_size=20)
network = PublicNetwork(lambda address: True)
Sender(engine, b"k" * 32, Path(sys.argv[1]).parent, lambda event: {"id": event.id}, network).run(lambda: False)
"""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with local_receiver() as receiver:
        yield receiver


def add_events(store: Engine, count: int) -> None:
    new = Event(0, OWNER, NOW, "sale", None, b"{}", "dvf", None, "e1", "18999", "", "w1")
    with store.begin() as connection:
        events.add_events(connection, [new] * count, "2020")


def add_endpoint(store: Engine, receiver: Receiver, salt: str = "salt") -> None:
    with store.begin() as connection:
        webhooks.put(connection, OWNER, "h1", receiver.url, salt, NOW)


def endpoint(store: Engine) -> Webhook:
    with store.connect() as connection:
        (found,) = webhooks.of_owner(connection, OWNER)
    return found


def send(store: Engine, folder: Path) -> None:
    """One turn, whether the endpoint waits or not."""
    with store.begin() as connection:
        connection.execute(update(webhook).values(next_at=NOW))
    Sender(store, KEY, folder, lambda event: {"id": event.id}, ANYWHERE).send(OWNER, "h1")


def test_a_verified_endpoint_gets_signed_events_in_order(store: Engine, tmp_path: Path, receiver: Receiver) -> None:
    add_events(store, 1)  # before the endpoint
    add_endpoint(store, receiver)
    add_events(store, 3)
    send(store, tmp_path)
    assert (receiver.ids(), endpoint(store).state) == ([], "active")
    send(store, tmp_path)
    assert receiver.ids() == ["2", "3", "4"]
    assert endpoint(store).sent_id == 4
    verifier = Verifier(base64.b64encode(secret_of(KEY, endpoint(store))).decode())
    for message in receiver.messages:
        verifier.verify(message.body, message.headers)
    message = receiver.messages[-1]
    assert message.content == {"type": "land.sale", "timestamp": NOW, "data": {"id": 4}}
    with pytest.raises(WebhookVerificationError):
        verifier.verify(message.body + b" ", message.headers)


def test_an_endpoint_that_does_not_know_the_challenge_gets_no_event(
    engine: Engine, tmp_path: Path, receiver: Receiver
) -> None:
    receiver.answer = lambda message: (200, b"welcome")
    add_endpoint(engine, receiver)
    add_events(engine, 1)
    send(engine, tmp_path)
    send(engine, tmp_path)
    assert (receiver.ids(), endpoint(engine).state, endpoint(engine).failures) == ([], "unverified", 2)
    assert endpoint(engine).last_error == "the answer does not contain the challenge"


@pytest.mark.parametrize("status", [302, 500])
def test_a_failure_stops_the_order_until_the_message_arrives(
    engine: Engine, tmp_path: Path, receiver: Receiver, status: int
) -> None:
    add_endpoint(engine, receiver)
    send(engine, tmp_path)
    add_events(engine, 3)
    receiver.answer = lambda message: (status if message.event_id == "2" else 200, b"")
    send(engine, tmp_path)
    assert receiver.ids() == ["1", "2"]
    failed = endpoint(engine)
    assert (failed.state, failed.failures, failed.last_error) == ("active", 1, f"status {status}")
    assert failed.failing_since
    assert failed.next_at > failed.failing_since
    receiver.answer = accept
    send(engine, tmp_path)
    assert receiver.ids() == ["1", "2", "2", "3"]
    assert (endpoint(engine).failures, endpoint(engine).failing_since) == (0, None)


def test_an_endpoint_that_fails_for_three_days_is_paused_and_continues_later(
    engine: Engine, tmp_path: Path, receiver: Receiver
) -> None:
    add_endpoint(engine, receiver)
    send(engine, tmp_path)
    add_events(engine, 1)
    receiver.answer = lambda message: (500, b"")
    send(engine, tmp_path)
    with engine.begin() as connection:
        connection.execute(update(webhook).values(failing_since="2026-01-01T00:00:00Z"))
    send(engine, tmp_path)
    assert endpoint(engine).state == "paused"
    with engine.connect() as connection:
        assert webhooks.due(connection, LATER, 10) == []
    receiver.answer = accept
    add_endpoint(engine, receiver, "another salt")
    send(engine, tmp_path)
    send(engine, tmp_path)
    assert receiver.ids()[-1] == "1"
    assert endpoint(engine).sent_id == 1


def test_an_endpoint_that_breaks_the_sender_waits_alone(store: Engine, tmp_path: Path) -> None:
    with store.begin() as connection:
        webhooks.put(connection, OWNER, "h1", "https://partner.example:99999", "salt", NOW)
    ends = iter([False, True])
    Sender(store, KEY, tmp_path, lambda event: {"id": event.id}, ANYWHERE).run(lambda: next(ends))
    assert (endpoint(store).last_error, endpoint(store).failures) == ("internal", 1)


@pytest.mark.parametrize("store", [pytest.param("postgis", marks=pytest.mark.docker)], indirect=True)
def test_a_sender_continues_after_its_database_was_stopped(
    store: Engine, postgis_url: str, tmp_path: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    is_ended, name = threading.Event(), store.url.database
    server = create_engine(postgis_url, isolation_level="AUTOCOMMIT")
    add_endpoint(store, receiver)
    with server.connect() as admin, ThreadPoolExecutor() as pool:
        sender = Sender(store, KEY, tmp_path, lambda event: {"id": event.id}, ANYWHERE)
        running = pool.submit(sender.run, is_ended.is_set)
        wait_until(lambda: endpoint(store).state == "active")
        admin.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false"))
        admin.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"))
        wait_until(lambda: caplog.text.count("the messages of all endpoints failed") > 1)
        admin.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true"))
        add_events(store, 1)
        wait_until(lambda: receiver.ids() == ["1"])
        is_ended.set()
        running.result()
    server.dispose()


def wait_until(is_true: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < ends
        time.sleep(0.1)


def test_an_endpoint_is_an_https_address_and_its_secret_is_not_stored(engine: Engine) -> None:
    hooks = Webhooks(engine, KEY)
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
            hooks.create(OWNER, url)
    _, secret = hooks.create(OWNER, "https://partner.example")
    again, other_secret = hooks.create(OWNER, "https://partner.example")
    assert hooks.of_owner(OWNER) == [again]
    assert secret != other_secret
    assert other_secret not in repr(again)
    with pytest.raises(WebhooksOff):
        Webhooks(engine, b"").create(OWNER, "https://partner.example")


@pytest.mark.parametrize("is_before_answer", [True, False])
def test_a_sender_that_is_killed_loses_no_event(
    engine: Engine, tmp_path: Path, receiver: Receiver, *, is_before_answer: bool
) -> None:
    """The process is killed while a message is under way, or at some moment after its answer."""
    add_endpoint(engine, receiver)
    add_events(engine, 3)
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
        process = subprocess.Popen([sys.executable, "-c", SENDER, str(tmp_path / "land.sqlite")])
        while process.poll() is None and endpoint(engine).sent_id < 3:
            time.sleep(0.2)
        process.kill()
        process.wait()
        if endpoint(engine).sent_id == 3:
            break
    assert list(dict.fromkeys(receiver.ids())) == ["1", "2", "3"]
    assert sorted(receiver.ids()) == receiver.ids()  # in order: a message comes again before the next one
    assert killed
