"""What partners' addresses cannot reach, and the limits of a request."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pydantic_settings import SettingsConfigDict
from webhook_receiver import local_receiver

from servicekit.settings import WebhookSettings
from servicekit.webhooks.public_network import MAX_ANSWER_BYTES, UNREACHABLE, PublicNetwork, RequestFailed, is_public


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",  # noqa: S104
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
        "fec0::1", "feff::1", "64:ff9b:1::5db8:d70e", "::7f00:1", "4000::1", "168.63.129.16", "::ffff:168.63.129.16",
    ],
)  # fmt: skip
def test_internal_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::5db8:d70e"])
def test_other_addresses_are_public(address: str) -> None:
    assert is_public(address)


class Settings(WebhookSettings):
    model_config = SettingsConfigDict(env_prefix="TRIED_")


def test_a_setting_opens_this_machine_and_no_other_internal_network(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not PublicNetwork.of(Settings()).is_allowed("127.0.0.1")
    monkeypatch.setenv("TRIED_WEBHOOK_LOOPBACK", "on")
    network = PublicNetwork.of(Settings())
    assert all(map(network.is_allowed, ("127.0.0.1", "::1", "93.184.215.14")))
    assert not any(map(network.is_allowed, ("10.1.2.3", "169.254.169.254", "0.0.0.0", "fe80::1")))  # noqa: S104
    with local_receiver() as receiver:
        assert network.post(receiver.url, b'{"data": {}}', {})[0] == 200


@pytest.mark.parametrize("host", ["localhost", "127.1", "2130706433", "0x7f000001", "[::1]"])
def test_every_spelling_of_an_internal_address_is_refused(host: str) -> None:
    with local_receiver() as receiver:
        port = receiver.url.split(":")[2].split("/")[0]
        with pytest.raises(RequestFailed):
            PublicNetwork().post(f"http://{host}:{port}/", b"", {})
        assert receiver.messages == []


def test_every_refusal_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = socket.getaddrinfo
    mixed = [(0, 0, 0, "", ("93.184.215.14", 443)), (0, 0, 0, "", ("10.0.0.1", 443))]
    names = {"mixed.example": mixed, "internal.example": mixed[1:], "closed.example": resolve("127.0.0.1", 1)}

    def look_up(host: str, *more: object, **options: object) -> object:
        if host == "127.0.0.1":
            return resolve(host, *more, **options)  # type: ignore[arg-type]
        if host not in names:
            raise socket.gaierror("no such name")
        return names[host]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    for host in (*names, "unknown.example"):
        with pytest.raises(RequestFailed) as refused:
            PublicNetwork(lambda address: address in ("127.0.0.1", "93.184.215.14")).post(f"https://{host}:1/", b"", {})
        assert str(refused.value) == UNREACHABLE, host


def test_a_name_that_is_not_resolved_in_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()

    def look_up(*_: object, **__: object) -> list[object]:
        is_over.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(RequestFailed, match=UNREACHABLE):
        PublicNetwork(deadline_s=0.2).post("https://partner.example/", b"", {})
    assert not is_over.is_set()
    is_over.set()


def test_a_name_is_resolved_once_and_that_address_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    resolve = socket.getaddrinfo

    def resolve_once(host: str, *more: object, **options: object) -> object:
        assert host not in names
        names.append(host)
        return resolve("127.0.0.1", *more, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", resolve_once)
    with local_receiver() as receiver:
        port = receiver.url.split(":")[2].split("/")[0]
        network = PublicNetwork(lambda address: address == "127.0.0.1")
        monkeypatch.setattr(receiver, "answer", lambda message: (200, b"x" * (2 * MAX_ANSWER_BYTES)))
        status, answer = network.post(f"http://partner.example:{port}/", b"{}", {})
    assert names == ["partner.example", "127.0.0.1"]
    assert (status, len(answer)) == (200, MAX_ANSWER_BYTES)


@contextmanager
def raw_server(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept_one() -> None:
            connection, _ = server.accept()
            with connection:
                serve(connection)

        thread = threading.Thread(target=accept_one)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        thread.join()


def test_an_answer_that_drips_ends_at_the_deadline() -> None:
    def drip(connection: socket.socket) -> None:
        for byte in b"HTTP/1.1 200 OK\r\nx-slow: " + b"x" * 100:
            try:
                connection.sendall(bytes([byte]))
            except OSError:
                return
            time.sleep(0.05)

    with raw_server(drip) as url:
        started = time.monotonic()
        with pytest.raises(RequestFailed):
            PublicNetwork(lambda address: True, deadline_s=0.5).post(url, b"", {})
        assert time.monotonic() - started < 3
