"""Compares the throughput of resolve through edge, keys and land with the throughput of the bare frameworks.

The bare path is a FastAPI application that makes two empty gRPC calls. Both paths run on one core and are measured in
turn, the clients run on another core. LAND_TEST_DATA contains the BAN file of Paris; by default it is ../shared/data.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import grpc
import httpx
import uvicorn
from bench_addok import BAN, WARM_UP, Case, answers, ask_us, on_core, whole_path
from bench_paths import labels
from fastapi import FastAPI
from pydantic import BaseModel

from edge.clients import keys, land
from embedded.processes import free_ports
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from replicas import LOOPBACK

TARGETS = {1: 0.75, 8: 0.85, 32: 0.9}
"""Targets for the ratio of the whole path to the bare path, by number of concurrent clients."""
ROUNDS = 5
PER_ROUND = 400
"""Requests to each path in a round."""
PATH = "/api/v1/addresses/resolve"


class BareQuery(BaseModel):
    label: str


async def serve_calls(name: str, port: int) -> None:
    """Serves one method of keys or land, with empty answers."""
    calls: dict[str, tuple[str, str, Any, Any]] = {
        "keys": (keys.SERVICE, "Authorize", keys_pb2.AuthorizeRequest, keys_pb2.AuthorizeResponse),
        "land": (land.SERVICE, "ResolveAddress", land_pb2.ResolveAddressRequest, land_pb2.ResolveAddressResponse),
    }
    service, method, request, response = calls[name]

    async def answer(_: object, context: object) -> object:
        return response()

    handler = grpc.unary_unary_rpc_method_handler(answer, request.FromString, response.SerializeToString)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service, {method: handler})])
    server.add_insecure_port(f"{LOOPBACK}:{port}")
    await server.start()
    await server.wait_for_termination()


def serve_edge(port: int, keys_port: int, land_port: int) -> None:
    app = FastAPI()
    opened: list[tuple[keys_pb2_grpc.KeysServiceAsyncStub, land_pb2_grpc.LandServiceAsyncStub]] = []

    @app.post(PATH)
    async def resolve(query: BareQuery) -> dict[str, str]:
        if not opened:  # a channel belongs to an event loop
            channels = [grpc.aio.insecure_channel(f"{LOOPBACK}:{each}") for each in (keys_port, land_port)]
            opened.append((keys_pb2_grpc.KeysServiceStub(channels[0]), land_pb2_grpc.LandServiceStub(channels[1])))
        of_keys, of_land = opened[0]
        await of_keys.Authorize(keys_pb2.AuthorizeRequest())
        answer = await of_land.ResolveAddress(land_pb2.ResolveAddressRequest())
        return {"label": query.label, "id": answer.address.id}

    uvicorn.run(app, host=LOOPBACK, port=port, access_log=False, log_level="warning")


@contextmanager
def bare() -> Iterator[str]:
    """Serves the bare path while the block runs. Yields its URL."""
    ports = free_ports(LOOPBACK, 3)
    roles = [["keys", ports[1]], ["land", ports[2]], ["edge", *ports]]
    with ExitStack() as stack:
        for role in roles:
            process = stack.enter_context(subprocess.Popen([sys.executable, __file__, "--as", *map(str, role)]))
            stack.callback(process.terminate)
        url = f"http://{LOOPBACK}:{ports[0]}"
        with httpx.Client(transport=httpx.HTTPTransport(retries=8)) as client:
            client.post(f"{url}{PATH}", json={"label": ""}).raise_for_status()
        yield url


def rates(urls: Mapping[str, str], asked: list[Case], secret: str, clients: int) -> dict[str, list[float]]:
    """Answers per second of each path in each round."""
    ask = ask_us(secret)
    measured: dict[str, list[float]] = {name: [] for name in urls}
    for url in urls.values():
        answers(url, asked[:WARM_UP], ask, clients)
    for start in range(0, ROUNDS * PER_ROUND, PER_ROUND):
        for name, url in urls.items():
            measured[name].append(answers(url, asked[start : start + PER_ROUND], ask, clients)[1])
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as", nargs="+", dest="role", help=argparse.SUPPRESS)
    role = parser.parse_args().role
    if role and role[0] == "edge":
        serve_edge(*map(int, role[1:]))
        return 0
    if role:
        asyncio.run(serve_calls(role[0], int(role[1])))
        return 0
    if not BAN.exists():
        print(f"{BAN} is missing: name its folder by LAND_TEST_DATA")
        return 1
    serving, asking = sorted(os.sched_getaffinity(0))[:2]
    asked: list[Case] = [{"input": {"label": label}} for label in labels()]
    with whole_path(serving) as whole, on_core(serving), bare() as url, on_core(asking):
        print(f"{'answers per second on one core':32} {'whole':>7} {'bare':>7} {'ratio':>7}")
        for clients, wanted in TARGETS.items():
            measured = rates({"whole": whole.url, "bare": url}, asked, whole.secret, clients)
            ours, frame = (statistics.median(measured[name]) for name in ("whole", "bare"))
            print(f"{f'{clients} at a time':32} {ours:7.0f} {frame:7.0f} {ours / frame:7.2f} (to reach: {wanted})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
