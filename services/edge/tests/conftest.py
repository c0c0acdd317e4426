"""An edge over fakes of the other services: real gRPC servers on loopback, with made-up answers behind them."""

import asyncio
import contextlib
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import grpc
import httpx
import pytest
from fastapi import FastAPI

from edge.api_keys import checksum
from edge.app import create_app
from edge.settings import EdgeSettings
from landpartner.assistant.v1 import assistant_pb2, assistant_pb2_grpc
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc, keys_pb2, keys_pb2_grpc
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from servicekit.errors import ServiceError
from servicekit.rpc_errors import StatusTable
from servicekit.rpc_server import Registration, RpcServer
from servicekit.settings import RpcSettings

TOKEN = "between-services"
RESOLVE = "/api/v1/addresses/resolve"
GEOJSON = "/api/v1/land-units/geojson"
DIVIDE = "/api/v1/assistant/divide-land"


def make_key(mode: str = "live", ident: str = "abcd1234") -> str:
    body = f"lp_{mode}_{ident}{'s' * 43}"
    return body + checksum(body)


class Refusal(ServiceError):
    """An error of another service, by code."""

    def __init__(self, code: str, detail: str = "told by the service", **more: Any) -> None:
        super().__init__(detail, **more)
        self.code = code


class Unreachable(Exception):
    """Makes a fake abort as if it could not be reached."""


async def eventually(condition: Callable[[], bool]) -> None:
    """Waits until the condition holds; fails after 10 s."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 (what is waited for knows of no event)
            await asyncio.sleep(0.005)


STATUSES: StatusTable = {Refusal: grpc.StatusCode.FAILED_PRECONDITION}


class FakeKeys(keys_pb2_grpc.KeysServiceServicer):
    def __init__(self) -> None:
        self.batches: list[list[keys_pb2.AuthorizationQuery]] = []
        self.outcomes: list[keys_pb2.Outcome] = []
        self.grant = keys_pb2.Grant(
            key_id="key-1",
            partner_id="partner-1",
            mode=keys_pb2.KEY_MODE_LIVE,
            assistant=keys_pb2.AssistantGrant(mode=keys_pb2.ASSISTANT_MODE_RULES, token_limit=900),
        )
        self.denial: keys_pb2.Denial | None = None
        self.rate_limits: list[keys_pb2.RateLimitState] = []
        self.is_down = False
        self.takes_outcomes = True
        self.decided = asyncio.Event()
        self.may_decide = asyncio.Event()
        self.may_decide.set()
        self.may_acknowledge = asyncio.Event()
        self.may_acknowledge.set()

    @property
    def queries(self) -> list[keys_pb2.AuthorizationQuery]:
        return [query for batch in self.batches for query in batch]

    async def Authorize(self, request: Any, context: Any) -> Any:  # noqa: N802
        if self.is_down:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        self.batches.append(list(request.queries))
        await self.may_decide.wait()
        return keys_pb2.AuthorizeResponse(decisions=[self._decide(query) for query in request.queries])

    def _decide(self, query: keys_pb2.AuthorizationQuery) -> keys_pb2.AuthorizationDecision:
        decision = keys_pb2.AuthorizationDecision(reservation_id=query.reservation_id, rate_limits=self.rate_limits)
        if self.denial is not None:
            decision.denial.CopyFrom(self.denial)
        else:
            decision.grant.CopyFrom(self.grant)
        return decision

    async def RecordOutcomes(self, request: Any, context: Any) -> Any:  # noqa: N802
        if self.is_down or not self.takes_outcomes:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        self.outcomes.extend(request.outcomes)
        await self.may_acknowledge.wait()
        return keys_pb2.RecordOutcomesResponse(acknowledged=[outcome.event_id for outcome in request.outcomes])

    async def GetKeyUsage(self, request: Any, context: Any) -> Any:  # noqa: N802
        return keys_pb2.GetKeyUsageResponse(month="2026-11", requests=3, units=5, quota=keys_pb2.Quota(per_minute=60))

    async def outcome(self) -> keys_pb2.Outcome:
        """The first outcome, once it has come."""
        await eventually(lambda: bool(self.outcomes))
        return self.outcomes[0]


class FakeLand(land_pb2_grpc.LandServiceServicer):
    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.failure: Exception | None = None
        self.delay_s = 0.0
        self.resolution = land_pb2.ResolveAddressResponse(
            address=full_address(),
            parcels=[
                land_pb2.ParcelMatch(
                    parcel_id="00001000AB0012", kind=land_pb2.PARCEL_MATCH_KIND_NEAREST, distance_m=3.5
                )
            ],
        )
        self.results: dict[str, land_pb2.ResolvedAddress] = {}
        """By label, where several addresses are asked for at once."""
        self.fails_together = False
        """Breaks down where several are."""
        self.unit = land_pb2.LandUnit(
            geometry=b'{"type":"Point","coordinates":[2.1,47.1]}',
            bbox=[2.1, 47.1, 2.1, 47.1],
            parcel_ids=["00001000AB0012"],
            parcels=[land_pb2.Parcel(parcel_id="00001000AB0012", section="AB", number="0012", prefix="000")],
        )

    async def _answer(self, request: Any, context: Any, answer: Any) -> Any:
        self.requests.append(request)
        await asyncio.sleep(self.delay_s)
        if isinstance(self.failure, Unreachable):
            await context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        if self.failure is not None:
            raise self.failure
        return answer

    async def ResolveAddress(self, request: Any, context: Any) -> Any:  # noqa: N802
        return await self._answer(request, context, self.resolution)

    async def ResolveAddresses(self, request: Any, context: Any) -> Any:  # noqa: N802
        if self.fails_together:
            raise RuntimeError
        found = land_pb2.ResolvedAddress(found=self.resolution)
        results = [self.results.get(each.query.label, found) for each in request.requests]
        return await self._answer(request, context, land_pb2.ResolveAddressesResponse(results=results))

    async def GetLandUnit(self, request: Any, context: Any) -> Any:  # noqa: N802
        return await self._answer(request, context, land_pb2.GetLandUnitResponse(land_unit=self.unit))

    async def GetCoverage(self, request: Any, context: Any) -> Any:  # noqa: N802
        dataset = land_pb2.LoadedDataset(dataset="ban", unit="00001", row_count=12)
        return await self._answer(request, context, land_pb2.GetCoverageResponse(datasets=[dataset]))


class FakeAssistant(assistant_pb2_grpc.AssistantServiceServicer):
    def __init__(self) -> None:
        self.requests: list[assistant_pb2.DivideLandRequest] = []
        self.failure: Exception | None = None
        self.fails_midway = False
        self.stall = False
        self.cut_off = asyncio.Event()
        """A call was cancelled while it stalled."""
        self.prompt = assistant_pb2.Prompt(
            id="divide-land",
            question="Diviser un terrain",
            usage=assistant_pb2.TokenUsage(input_tokens=11, output_tokens=7),
        )

    async def DivideLand(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        await self._stall()
        if self.failure is not None:
            raise self.failure
        return assistant_pb2.DivideLandResponse(
            prompt=self.prompt,
            quick_assessment=assistant_pb2.QuickAssessment(verdict=assistant_pb2.VERDICT_CONDITIONAL),
            answer=assistant_pb2.Answer(text="Oui.", grounded_on=["unit_area"]),
        )

    async def StreamDivideLand(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        self.requests.append(request)
        if self.failure is not None:
            raise self.failure
        event = assistant_pb2.StreamDivideLandResponse
        yield event(quick_assessment=assistant_pb2.QuickAssessment(summary="court"))
        yield event(answer_delta="Une phrase.")
        await self._stall()
        if self.fails_midway:
            raise Refusal("upstream_failed")
        yield event(answer_reset=assistant_pb2.AnswerReset(reason="provider_failed"))
        yield event(answer=assistant_pb2.Answer(text="Une phrase."))
        yield event(prompt=assistant_pb2.PromptEvent(prompt=self.prompt))

    async def _stall(self) -> None:
        if not self.stall:
            return
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cut_off.set()
            raise


class FakeAdmin:
    """Records each call; answers from `answers`, by method, or empty."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.answers: dict[str, Any] = {}
        self.failures: dict[str, Exception] = {}

    def request(self, method: str) -> Any:
        return next(request for name, request in self.calls if name == method)


def _fake_method(name: str, response: type) -> Callable[..., Any]:
    async def method(self, request, context):  # type: ignore[no-untyped-def]
        self.calls.append((name, request))
        if name in self.failures:
            raise self.failures[name]
        return self.answers.get(name, response())

    return method


for _method in admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods:
    setattr(FakeAdmin, _method.name, _fake_method(_method.name, getattr(admin_pb2, _method.output_type.name)))


def full_address() -> land_pb2.Address:
    return land_pb2.Address(
        id="00001_0042_00010_bis", label="10 bis Rue des Lilas 00100 Valdemo", number="10 bis", street="Rue des Lilas",
        postcode="00100", city="Valdemo", city_code="00001", latitude=47.1, longitude=2.1,
        type=land_pb2.ADDRESS_TYPE_HOUSENUMBER, score=0.97,
    )  # fmt: skip


@dataclass
class Edge:
    """What a test holds of the edge under test."""

    client: httpx.AsyncClient
    app: FastAPI
    settings: EdgeSettings
    keys: FakeKeys
    land: FakeLand
    assistant: FakeAssistant
    admin: FakeAdmin
    key: str = field(default_factory=make_key)

    async def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        """Sends JSON with the good key."""
        headers = {"x-api-key": self.key, **options.pop("headers", {})}
        return await self.client.post(path, json=body, headers=headers, **options)


@contextlib.asynccontextmanager
async def serving(services: Sequence[Registration]) -> AsyncIterator[str]:
    server = RpcServer(RpcSettings(service_token=TOKEN, drain_s=0), services, STATUSES)
    port = await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop()


@contextlib.asynccontextmanager
async def running_edge(tmp_path: Path, **settings: Any) -> AsyncIterator[Edge]:
    keys, land, assistant, admin = FakeKeys(), FakeLand(), FakeAssistant(), FakeAdmin()
    of_keys = [
        Registration(
            "landpartner.keys.v1.KeysService", lambda s: keys_pb2_grpc.add_KeysServiceServicer_to_server(keys, s)
        ),
        Registration(
            "landpartner.keys.v1.AdminService",
            lambda s: admin_pb2_grpc.add_AdminServiceServicer_to_server(cast(Any, admin), s),
        ),
    ]
    of_land = [
        Registration(
            "landpartner.land.v1.LandService", lambda s: land_pb2_grpc.add_LandServiceServicer_to_server(land, s)
        )
    ]
    of_assistant = [
        Registration(
            "landpartner.assistant.v1.AssistantService",
            lambda s: assistant_pb2_grpc.add_AssistantServiceServicer_to_server(assistant, s),
        )
    ]
    async with contextlib.AsyncExitStack() as stack:
        targets = [await stack.enter_async_context(serving(some)) for some in (of_keys, of_land, of_assistant)]
        given = {
            "keys_target": targets[0],
            "land_target": targets[1],
            "assistant_target": targets[2],
            "service_token": TOKEN,
            "spool_dir": tmp_path / "spool",
            **settings,
        }
        edge_settings = EdgeSettings(**given)
        app = create_app(edge_settings)
        await stack.enter_async_context(app.router.lifespan_context(app))
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1234))
        client = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://localhost"))
        yield Edge(client, app, edge_settings, keys, land, assistant, admin)


def _limit_files(largest_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest_bytes, largest_bytes))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.asynccontextmanager
async def run_edge_process(
    edge: Any, spool: Path, *, largest_file_bytes: int | None = None, **variables: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """An edge in a process of its own, over the same fakes as `edge`."""
    port = _free_port()
    settings = edge.settings
    environment = {
        "PATH": os.environ["PATH"],
        "EDGE_PORT": str(port),
        "EDGE_LAND_TARGET": settings.land_target,
        "EDGE_KEYS_TARGET": settings.keys_target,
        "EDGE_ASSISTANT_TARGET": settings.assistant_target,
        "EDGE_SERVICE_TOKEN": settings.service_token.get_secret_value(),
        "EDGE_SPOOL_DIR": str(spool),
        "EDGE_LOG_LEVEL": "WARNING",
        **variables,
    }
    command = (sys.executable, "-c", "from edge.cli import main; main()", "serve")
    limit = None if largest_file_bytes is None else partial(_limit_files, largest_file_bytes)
    process = await asyncio.create_subprocess_exec(*command, env=environment, preexec_fn=limit)
    url = f"http://127.0.0.1:{port}"
    try:
        async with httpx.AsyncClient() as client, asyncio.timeout(20):
            while True:
                with contextlib.suppress(httpx.TransportError):
                    await client.get(f"{url}/livez")
                    break
                await asyncio.sleep(0.05)
        yield process, url
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


@pytest.fixture
def edge_process() -> Callable[..., contextlib.AbstractAsyncContextManager[tuple[asyncio.subprocess.Process, str]]]:
    return run_edge_process


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[Edge]:
    async with running_edge(tmp_path) as running:
        yield running


@pytest.fixture
def start_edge(tmp_path: Path) -> Callable[..., contextlib.AbstractAsyncContextManager[Edge]]:
    """For tests that need settings of their own."""
    return lambda **settings: running_edge(tmp_path, **settings)


@pytest.fixture
def refusal() -> type[Refusal]:
    return Refusal


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], Awaitable[None]]:
    return eventually


@pytest.fixture
def unreachable() -> type[Unreachable]:
    return Unreachable


@pytest.fixture
def new_key() -> Callable[..., str]:
    return make_key
