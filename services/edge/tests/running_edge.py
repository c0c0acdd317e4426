"""An edge with fakes of the other services: real gRPC servers on loopback."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

import grpc
import httpx
import uvicorn
from fake_assistant import FakeAssistant
from fakes import STATUSES, FakeAdmin, FakeKeys, FakeLand, FakeWebhooks
from fastapi import FastAPI
from google.protobuf import descriptor_pool

from contract.key_text import checksum
from edge.app import create_app
from edge.routing import PlainRoute
from edge.server import BoundedHttp
from edge.settings import EdgeSettings
from embedded.processes import free_ports
from forked_services import ServiceProcess, start_service
from landpartner.assistant.v1 import assistant_pb2_grpc
from landpartner.keys.v1 import admin_pb2_grpc, keys_pb2_grpc
from landpartner.land.v1 import land_pb2_grpc
from landpartner.webhooks.v1 import webhooks_pb2_grpc
from servicekit.callers import entry
from servicekit.rpc_server import Registration, RpcServer
from servicekit.settings import RpcSettings

TOKEN = "between-services"
PATIENT = {"keys_deadline_s": 60.0, "resolve_deadline_s": 60.0, "geojson_deadline_s": 60.0}
"""Long deadlines for a busy machine. A test of a deadline sets its own."""
RESOLVE = "/api/v1/addresses/resolve"
GEOJSON = "/api/v1/land-units/geojson"
DIVIDE = "/api/v1/assistant/divide-land"


def make_key(mode: str = "live", ident: str = "abcd1234") -> str:
    body = f"lp_{mode}_{ident}{'s' * 43}"
    return body + checksum(body)


@dataclass
class Edge:
    """The edge under test and its fakes."""

    client: httpx.AsyncClient
    app: FastAPI
    settings: EdgeSettings
    keys: FakeKeys
    land: FakeLand
    assistant: FakeAssistant
    admin: FakeAdmin
    webhooks: FakeWebhooks
    key: str = field(default_factory=make_key)

    def routes(self) -> list[PlainRoute]:
        return [route for route in self.app.router.routes if isinstance(route, PlainRoute)]

    async def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        """Sends JSON with the valid key."""
        headers = {"x-api-key": self.key, **options.pop("headers", {})}
        return await self.client.post(path, json=body, headers=headers, **options)


class StartEdge(Protocol):
    """Starts an edge with special settings."""

    def __call__(self, **settings: Any) -> contextlib.AbstractAsyncContextManager[Edge]: ...


@contextlib.asynccontextmanager
async def serving(services: Sequence[Registration], missing: Sequence[str] = ()) -> AsyncIterator[str]:
    server = RpcServer(RpcSettings(callers=entry("edge", TOKEN), drain_s=0), services, STATUSES, missing=missing)
    port = await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop()


def for_edge(name: str, add: Callable[[grpc.aio.Server], None]) -> Registration:
    """A service whose methods the edge may all call."""
    full = f"landpartner.{name}"
    methods = descriptor_pool.Default().FindServiceByName(full).methods
    return Registration(full, add, {"edge": tuple(method.name for method in methods)})


@contextlib.asynccontextmanager
async def running_edge(tmp_path: Path, **settings: Any) -> AsyncIterator[Edge]:
    keys, land, assistant, admin = FakeKeys(), FakeLand(), FakeAssistant(), FakeAdmin()
    fake_webhooks = FakeWebhooks(land.requests)
    webhooks = for_edge(
        "webhooks.v1.WebhookService",
        lambda s: webhooks_pb2_grpc.add_WebhookServiceServicer_to_server(fake_webhooks, s),
    )
    of_keys = [
        webhooks,
        for_edge("keys.v1.KeysService", lambda s: keys_pb2_grpc.add_KeysServiceServicer_to_server(keys, s)),
        for_edge(
            "keys.v1.AdminService", lambda s: admin_pb2_grpc.add_AdminServiceServicer_to_server(cast(Any, admin), s)
        ),
    ]
    of_land = [
        webhooks,
        for_edge("land.v1.LandService", lambda s: land_pb2_grpc.add_LandServiceServicer_to_server(land, s)),
    ]
    of_assistant = [
        for_edge(
            "assistant.v1.AssistantService",
            lambda s: assistant_pb2_grpc.add_AssistantServiceServicer_to_server(assistant, s),
        ),
    ]
    async with contextlib.AsyncExitStack() as stack:
        targets = [await stack.enter_async_context(serving(some)) for some in (of_keys, of_land, of_assistant)]
        values: dict[str, Any] = {
            "keys_target": targets[0],
            "land_target": targets[1],
            "assistant_target": targets[2],
            **dict.fromkeys(("keys_token", "land_token", "assistant_token"), TOKEN),
            "spool_dir": tmp_path / "spool",
            **PATIENT,
            **settings,
        }
        edge_settings = EdgeSettings(**values)
        app = create_app(edge_settings)
        await stack.enter_async_context(app.router.lifespan_context(app))
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1234))
        client = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://localhost"))
        yield Edge(client, app, edge_settings, keys, land, assistant, admin, fake_webhooks)


@contextlib.asynccontextmanager
async def listening(edge: Edge, **options: Any) -> AsyncIterator[int]:
    """Serves the edge's application on a port, like `edge serve`, but in this event loop."""
    config = uvicorn.Config(
        edge.app, port=0, http=BoundedHttp, ws="none", lifespan="off", log_config=None,
        access_log=False, **options, timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    task = asyncio.create_task(server._serve())
    async with asyncio.timeout(240):
        while not server.started:  # noqa: ASYNC110 (uvicorn has no event for it)
            await asyncio.sleep(0.005)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task


async def exchange(port: int, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    with contextlib.suppress(ConnectionError):
        await writer.drain()
    answer = b""
    with contextlib.suppress(ConnectionError):
        answer = await reader.read()
    writer.close()
    return answer


@contextlib.asynccontextmanager
async def edge_process(
    edge: Edge, spool: Path, *, largest_file_bytes: int | None = None, log_file: Path | None = None, **variables: str
) -> AsyncIterator[tuple[ServiceProcess, str]]:
    """An edge in a separate process, with the same fakes as `edge`."""
    [port] = free_ports("127.0.0.1", 1)
    settings = edge.settings
    environment = {
        "PATH": os.environ["PATH"],
        "EDGE_PORT": str(port),
        "EDGE_LAND_TARGET": settings.land_target,
        "EDGE_KEYS_TARGET": settings.keys_target,
        "EDGE_ASSISTANT_TARGET": settings.assistant_target,
        **dict.fromkeys(("EDGE_KEYS_TOKEN", "EDGE_LAND_TOKEN", "EDGE_ASSISTANT_TOKEN"), TOKEN),
        "EDGE_SPOOL_DIR": str(spool),
        "EDGE_LOG_LEVEL": "WARNING",
        **{f"EDGE_{name.upper()}": str(seconds) for name, seconds in PATIENT.items()},
        **variables,
    }
    process = start_service("edge", environment, log_file, largest_file_bytes)
    url = f"http://127.0.0.1:{port}"
    try:
        async with httpx.AsyncClient() as client, asyncio.timeout(240):
            while True:
                with contextlib.suppress(httpx.TransportError):
                    await client.get(f"{url}/livez")
                    break
                await asyncio.sleep(0.05)
        yield process, url
    finally:
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait)
