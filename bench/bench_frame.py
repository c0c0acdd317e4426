"""Compares the throughput of resolve through edge, keys and land with the throughput of the bare frameworks.

The bare path is a FastAPI application that makes two empty gRPC calls. Both paths run on one core and are measured in
turn, the clients run on another core. LAND_TEST_DATA contains the BAN file of Paris; by default it is ../shared/data.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import grpc
import uvicorn
from contestants import RESOLVE, Contestant, embedded, measured_in_round, wait_until_it_answers
from fastapi import FastAPI
from load_generator import Call
from measuring import Figures, alternate, counted, on_core, parser, two_cores
from pydantic import BaseModel
from sample_data import BAN, labels

from attacks import request
from edge.clients import keys, land
from embedded.processes import free_ports
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from replicas import LOOPBACK

CLIENTS = (1, 8, 32)
SECONDS = 1.5
PATH = "/api/v1/addresses/resolve"


class BareQuery(BaseModel):
    label: str


async def serve_calls(name: str, port: int) -> None:
    """Serves one method of keys or land, with empty answers."""
    calls: dict[str, tuple[str, str, Any, Any]] = {
        "keys": (keys.SERVICE, "Lease", keys_pb2.LeaseRequest, keys_pb2.LeaseResponse),
        "land": (land.SERVICE, "ResolveAddresses", land_pb2.ResolveAddressesRequest, land_pb2.ResolveAddressesResponse),
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
            channels = [
                grpc.aio.insecure_channel(f"{LOOPBACK}:{target_port}") for target_port in (keys_port, land_port)
            ]
            opened.append((keys_pb2_grpc.KeysServiceStub(channels[0]), land_pb2_grpc.LandServiceStub(channels[1])))
        of_keys, of_land = opened[0]
        await of_keys.Lease(keys_pb2.LeaseRequest())
        request = land_pb2.ResolveAddressesRequest(requests=[land_pb2.ResolveAddressRequest()])
        answer = await of_land.ResolveAddresses(request)
        return {"label": query.label, "id": "".join(result.found.address.id for result in answer.results)}

    uvicorn.run(app, host=LOOPBACK, port=port, access_log=False, log_level="warning")


@contextmanager
def bare() -> Iterator[Contestant]:
    """Serves the bare path while the block runs."""
    ports = free_ports(LOOPBACK, 3)
    roles = [["keys", ports[1]], ["land", ports[2]], ["edge", *ports]]
    pids = {}
    with ExitStack() as stack:
        for role in roles:
            process = stack.enter_context(subprocess.Popen([sys.executable, __file__, "--as", *map(str, role)]))
            stack.callback(process.terminate)
            pids[str(role[0])] = process.pid
        url = f"http://{LOOPBACK}:{ports[0]}"
        wait_until_it_answers(f"{url}/openapi.json")
        yield Contestant("bare frame", url, pids)


def ask(label: str) -> Call:
    return Call(request(PATH, json.dumps({"label": label}).encode()), label.encode())


def main() -> int:
    if sys.argv[1:2] == ["--as"]:
        name, *ports = sys.argv[2:]
        if name == "edge":
            serve_edge(*map(int, ports))
        else:
            asyncio.run(serve_calls(name, int(ports[0])))
        return 0
    options = parser(__doc__).parse_args()
    seconds, rounds = (0.3, 1) if options.quick else (SECONDS, options.rounds)
    figures, (serving, asking), address_labels = Figures(options.json), two_cores(), labels()
    with on_core(serving), embedded() as ours, bare() as frame, on_core(asking):
        ours.command("land", "import", "ban", str(BAN))
        calls = {
            ours: [ours.ask(RESOLVE, {"label": label}, '"city_code":"75') for label in address_labels],
            frame: [ask(label) for label in address_labels],
        }
        for clients in CLIENTS:
            case = f"resolve, {counted(clients, 'client')}"
            if options.only not in case:
                continue
            measures = {
                contestant.name: partial(measured_in_round, contestant, calls[contestant], clients, seconds, rounds)
                for contestant in calls
            }
            figures.add_all(case, alternate(figures, case, measures, rounds))
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
