"""Bare services of FastAPI and gRPC, which show what the frameworks cost.

- *bare frame*: an application that makes two empty gRPC calls for an address.
- *cheapest path*: land units that were computed before. The edge spends from a lease in memory, makes one gRPC call,
  which reads one stored row for each parcel, and appends one record before it answers. It has no schema, checks, logs,
  metrics, limits or compression. Its rows are as long as this service's answers with all blocks.
"""

import hashlib
import json
import os
import sqlite3
import sys
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import shapely
import uvicorn
import uvloop
from contestants import GEOJSON, RESOLVE, Contestant, answers, running
from fastapi import FastAPI, Request, Response
from load_generator import Call
from pydantic import BaseModel
from sqlalchemy import create_engine, select

from attacks import request
from embedded.processes import free_ports
from land.datasets.parcels.queries import parcel
from replicas import LOOPBACK

BARE_FRAME, CHEAPEST_PATH = "bare frame", "cheapest path"
ROW_BYTES = 4_000
"""About the size of an answer about one parcel with all blocks."""
LEASE_S, LEASED_UNITS, UNITS = 1.0, 100_000, 2
RECORD_BYTES = 120
CALL_WITHIN_S = 5.0
HEADERS = {"ratelimit": '"default";r=599;t=1', "ratelimit-policy": '"default";q=600;w=60'}
_CALL = "/bare/Call"
_TABLES = """
CREATE TABLE edition (commune TEXT PRIMARY KEY, number INTEGER);
CREATE TABLE land_unit (parcel_id TEXT PRIMARY KEY, number INTEGER, geometry BLOB, blocks BLOB) WITHOUT ROWID;
"""
_READ = """
SELECT geometry, blocks FROM land_unit JOIN edition USING (number) WHERE parcel_id = ? AND commune = ?
"""


class Query(BaseModel):
    label: str


@dataclass
class Lease:
    """Units of one key."""

    ends_at: float = field(default_factory=lambda: time.monotonic() + LEASE_S)
    units: int = LEASED_UNITS


def frame_edge(port: str, *call_ports: str) -> None:
    app, calls = FastAPI(), list[Callable[[bytes], Awaitable[bytes]]]()

    @app.post(RESOLVE)
    async def resolve(query: Query) -> dict[str, str]:
        if not calls:  # a channel belongs to an event loop
            calls.extend(_call(call_port) for call_port in call_ports)
        await calls[0](b"")
        return {"label": query.label, "id": (await calls[1](b"")).decode()}

    _serve_http(app, port)


def path_edge(port: str, land_port: str, records_path: str) -> None:
    app, calls = FastAPI(), list[Callable[..., Awaitable[bytes]]]()
    secret, leases = os.urandom(16), dict[bytes, Lease]()
    records = os.open(records_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    @app.post(GEOJSON)
    async def land_unit(http_request: Request) -> Response:
        if not calls:
            calls.append(_call(land_port))
        digest = hashlib.blake2b(http_request.headers["x-api-key"].encode(), key=secret, digest_size=16).digest()
        lease = leases.get(digest)
        if lease is None or lease.ends_at < time.monotonic():
            lease = leases[digest] = Lease()
        lease.units -= UNITS
        parcel_ids = json.loads(await http_request.body())["parcel_ids"]
        began_at = time.perf_counter()
        features = await calls[0](",".join(parcel_ids).encode(), timeout=CALL_WITHIN_S)
        took_us = int((time.perf_counter() - began_at) * 1e6)
        os.write(records, (uuid.uuid4().bytes + digest + took_us.to_bytes(8) + b"geojson 200").ljust(RECORD_BYTES))
        return Response(
            b'{"type":"FeatureCollection","features":[%b]}' % features,
            media_type="application/geo+json",
            headers={"x-request-id": uuid.uuid4().hex, **HEADERS},
        )

    _serve_http(app, port)


def frame_backend(port: str) -> None:
    async def answer(_: bytes, __: object) -> bytes:
        return b""

    uvloop.run(_serve_calls(answer, port))


def path_land(port: str, database: str) -> None:
    store = sqlite3.connect(database)

    async def read(parcel_ids: bytes, _: object) -> bytes:
        rows = (
            store.execute(_READ, (parcel_id, parcel_id[:5])).fetchone() for parcel_id in parcel_ids.decode().split(",")
        )
        return b",".join(geometry + blocks for geometry, blocks in rows)

    uvloop.run(_serve_calls(read, port))


def _serve_http(app: FastAPI, port: str) -> None:
    uvicorn.run(app, host=LOOPBACK, port=int(port), access_log=False, log_level="warning")


async def _serve_calls(answer: Callable[[bytes, Any], Awaitable[bytes]], port: str) -> None:
    """Serves one method, whose messages are bytes."""
    service, method = _CALL.strip("/").split("/")
    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(answer)
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service, {method: handler})])
    server.add_insecure_port(f"{LOOPBACK}:{port}")
    await server.start()
    await server.wait_for_termination()


def _call(port: str) -> Callable[..., Awaitable[bytes]]:
    call: Callable[..., Awaitable[bytes]] = grpc.aio.insecure_channel(f"{LOOPBACK}:{port}").unary_unary(_CALL)
    return call


ROLES: Mapping[str, Callable[..., None]] = {
    role.__name__: role for role in (frame_edge, frame_backend, path_edge, path_land)
}


@contextmanager
def bare_frame(folder: Path) -> Iterator[Contestant]:
    """Serves the bare frame while the block runs."""
    edge, *backends = free_ports(LOOPBACK, 3)
    commands = {
        "keys": _command(frame_backend, backends[0]),
        "land": _command(frame_backend, backends[1]),
        "edge": _command(frame_edge, edge, *backends),
    }
    with _serving(BARE_FRAME, folder, edge, commands) as contestant:
        yield contestant


@contextmanager
def cheapest_path(folder: Path, store_url: str) -> Iterator[Contestant]:
    """Serves one row for each parcel of a store of land while the block runs."""
    database = folder / "cheapest.sqlite"
    _fill(database, store_url)
    edge, backend = free_ports(LOOPBACK, 2)
    commands = {
        "land": _command(path_land, backend, database),
        "edge": _command(path_edge, edge, backend, folder / "records"),
    }
    with _serving(CHEAPEST_PATH, folder, edge, commands) as contestant:
        yield contestant


def ask_frame(label: str) -> Call:
    return Call(request(RESOLVE, json.dumps({"label": label}).encode()), label.encode())


def ask_path(parcel_ids: Sequence[str]) -> Call:
    body = json.dumps({"parcel_ids": parcel_ids}).encode()
    return Call(request(GEOJSON, body, x_api_key="bench"), parcel_ids[-1].encode())


def _fill(database: Path, store_url: str) -> None:
    statement = select(parcel.c.parcel_id, parcel.c.geometry).where(parcel.c.geometry.is_not(None))
    with create_engine(store_url).connect() as source, sqlite3.connect(database) as target:
        target.executescript(_TABLES)
        for parcel_id, geometry in source.execute(statement):
            start = (
                f'{{"type":"Feature","id":"{parcel_id}","geometry":{shapely.to_geojson(shapely.from_wkb(geometry))},'
            )
            blocks = f'"properties":{{"blocks":"{"x" * (ROW_BYTES - len(start))}"}}}}'
            target.execute("INSERT OR IGNORE INTO edition VALUES (?, 1)", (parcel_id[:5],))
            target.execute("INSERT INTO land_unit VALUES (?, 1, ?, ?)", (parcel_id, start.encode(), blocks.encode()))


def _command(role: Callable[..., None], *arguments: int | Path) -> Sequence[str]:
    return [sys.executable, __file__, role.__name__, *map(str, arguments)]


@contextmanager
def _serving(name: str, folder: Path, port: int, commands: Mapping[str, Sequence[str]]) -> Iterator[Contestant]:
    url = f"http://{LOOPBACK}:{port}"
    with running(commands, folder / f"{name}.log", partial(answers, f"{url}/openapi.json")) as pids:
        yield Contestant(name, url, pids)


def main() -> None:
    name, *arguments = sys.argv[1:]
    ROLES[name](*arguments)


if __name__ == "__main__":
    main()
