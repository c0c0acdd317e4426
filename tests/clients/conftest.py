"""Both clients, and a server whose answers a test writes down."""

from collections.abc import Iterator

import pytest

from client_calls import Call, call_async, call_threaded
from landpartner_client import core
from scripted_server import Answer, ScriptedServer, scripted_server


@pytest.fixture(params=[call_threaded, call_async], ids=["Client", "AsyncClient"])
def call(request: pytest.FixtureRequest) -> Call:
    client_call: Call = request.param
    return client_call


@pytest.fixture(scope="session")
def running_server() -> Iterator[ScriptedServer]:
    with scripted_server() as script:
        yield script


@pytest.fixture
def server(running_server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> ScriptedServer:
    """A scripted server; clients hardly pause, unless the server asks for it."""
    monkeypatch.setattr(core, "_FIRST_PAUSE_S", 0.001)
    running_server.received.clear()
    running_server.answers = [Answer()]
    return running_server
