"""The first minutes of a partner with a webhook: the commands and the endpoint of docs/events.md, on a new service."""

import base64
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx
import pytest

import demoland
import stacks
from documents import blocks_of, commands_of, run_shell
from land.cli.webhooks import EXAMPLE, event_messages
from land.store.events import webhooks
from servicekit.database import open_engine
from servicekit.webhooks.public_network import PublicNetwork, RequestFailed
from servicekit.webhooks.sending import CONNECTIONS, Sender, signed_headers


@dataclass(frozen=True)
class PartnerNetwork(PublicNetwork):
    """Leads from the partner's public address to its endpoint on this machine."""

    endpoint: str = ""

    def post(self, url: str, body: bytes, headers: Mapping[bytes | str, bytes | str]) -> tuple[int, bytes]:
        assert url == "https://partner.example/events"
        try:
            named = {str(name): str(value) for name, value in headers.items()}
            answer = httpx.post(self.endpoint, content=body, headers=named)
        except httpx.TransportError as error:  # it does not listen yet
            raise RequestFailed(str(error)) from error
        return answer.status_code, answer.content


def test_the_page_leads_to_the_first_event(tmp_path: Path) -> None:
    [program] = blocks_of("events.md", "python")
    with stacks.forked(tmp_path / "data") as service:
        key, port = stacks.create_key(service, "watcher")["secret"], stacks.free_port()
        headers, *requests = commands_of("events.md")[0].replace("https://HOST", service.url).splitlines()
        watch, webhook, feed = (json.loads(run_shell(f"{headers}\n{line}", tmp_path, key)) for line in requests)
        assert feed["events"] == []
        network = PartnerNetwork(endpoint=f"http://127.0.0.1:{port}/")
        with (
            endpoint(program.replace("8090", str(port)), webhook["secret"]) as messages,
            sending(tmp_path / "data", network),
        ):
            assert messages.readline().split()[1] == "webhook.verification"
            signed = signed_headers(b"of somebody else", "8", int(time.time()), b"{}")
            forged = {str(name): str(value) for name, value in signed.items()}
            assert httpx.post(network.endpoint, content=b"{}", headers=forged).status_code == 400
            raise_a_price(service, tmp_path / "demo")
            event_id, kind = messages.readline().split()
        [event] = json.loads(run_shell(f"{headers}\n{requests[-1]}", tmp_path, key))["events"]
    assert (event["id"], f"land.{event['kind']}", event["watch_ids"]) == (event_id, kind, [watch["id"]])
    assert event["after"]["valeur_fonciere"] == event["before"]["valeur_fonciere"] + 1


@pytest.mark.parametrize("page", ["events.md", "fr/events.md"])
def test_the_signed_example_is_signed(page: str) -> None:
    [example] = blocks_of(page, "text")
    lines, body = example.strip().split("\n\n")
    headers = dict(line.split(": ") for line in lines.splitlines())
    secret = base64.b64decode(headers["secret"].removeprefix("whsec_"))
    signed = signed_headers(secret, headers["webhook-id"], int(headers["webhook-timestamp"]), body.encode())
    assert signed["webhook-signature"] == headers["webhook-signature"]


@contextmanager
def endpoint(program: str, secret: str) -> Iterator[IO[str]]:
    """Runs the endpoint of the page. Yields what it prints, which ends if no message comes."""
    command, environment = [sys.executable, "-c", program], os.environ | {"SECRET": secret}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        timer = threading.Timer(stacks.PATIENCE_S, server.kill)
        timer.start()
        assert server.stdout
        try:
            yield server.stdout
        finally:
            timer.cancel()
            server.kill()


@contextmanager
def sending(folder: Path, network: PublicNetwork) -> Iterator[None]:
    """The program `land webhooks`, which reaches only the partner."""
    is_ended, engine = threading.Event(), open_engine(f"sqlite:///{folder}/land.sqlite", pool_size=CONNECTIONS)
    sender = Sender(engine, webhooks, stacks.WEBHOOK_KEY.encode(), event_messages, EXAMPLE, network)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(sender.run, is_ended.is_set)
        try:
            yield
        finally:
            is_ended.set()
            running.result()
            engine.dispose()


def raise_a_price(service: stacks.Embedded, folder: Path) -> None:
    """Imports another edition of the demo's last year of sales."""
    file = max(path for dataset, path in demoland.write(folder).files if dataset == "dvf")
    title, first, *others = file.read_text(encoding="utf-8").splitlines(keepends=True)
    cells = first.split(",")
    cells[4] = str(int(cells[4]) + 1)
    file.write_text("".join([title, ",".join(cells), *others]), encoding="utf-8")
    service.command("land", "import", "dvf", str(file), "--edition", "2026-11")
