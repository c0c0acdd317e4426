"""A client of AdminService over a real loopback connection, on SQLite."""

from __future__ import annotations  # the asynchronous stub exists for the type checker only

import contextlib
import functools
import secrets
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import grpc
import pytest
from argon2.profiles import CHEAPEST

from keys.admins import changes as administrators
from keys.admins import passwords
from keys.server import KeysServer
from keys.settings import KeysSettings
from keys.store.audit_log import COMMAND_LINE
from keys.store.change import changing
from keys.store.database import Database
from keys.values.clock import system_clock
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc, keys_pb2, keys_pb2_grpc
from servicekit.callers import entry
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import RemoteError, decode

CALL = Outgoing("token")
EMAIL, PASSWORD = "ann@example.org", "correct horse battery"


@dataclass
class Client:
    """A browser or a script. It sends its credential with each call."""

    admin: admin_pb2_grpc.AdminServiceStub
    keys: keys_pb2_grpc.KeysServiceAsyncStub
    setup_token: str
    caller: admin_pb2.Caller

    async def __call__(self, method: str, **members: Any) -> Any:
        request = getattr(admin_pb2, f"{method}Request")(**members)
        if "caller" in request.DESCRIPTOR.fields_by_name:
            request.caller.CopyFrom(self.caller)
        return await getattr(self.admin, method)(request, **CALL(60.0))

    async def sign_in(self) -> None:
        signed_in = await self("SignIn", email=EMAIL, password=PASSWORD, client_address="192.0.2.1")
        self.caller = admin_pb2.Caller(
            session_token=signed_in.session_token, csrf_token=signed_in.csrf_token, client_address="192.0.2.1"
        )

    async def lease(self, api_key: str) -> keys_pb2.LeaseResponse:
        """Leases what a request needs. Nobody ends the lease, so a change of the key waits for its end."""
        request = keys_pb2.LeaseRequest(
            lease_id=secrets.token_bytes(16),
            holder=secrets.token_bytes(16),
            api_key=api_key,
            endpoint="addresses.resolve",
        )
        return await self.keys.Lease(request, **CALL(60.0))


@functools.cache
def empty_database() -> bytes:
    """The content of an SQLite file with the schema."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "keys.sqlite"
        database = Database(f"sqlite:///{file}")
        database.migrate()
        database.close()
        return file.read_bytes()


@contextlib.asynccontextmanager
async def running(folder: Path, **more: Any) -> AsyncIterator[Client]:
    """A server with an empty database and fast password hashes."""
    (folder / "keys.sqlite").write_bytes(empty_database())
    settings = KeysSettings(
        callers=entry("edge", "token"),
        database_url=f"sqlite:///{folder}/keys.sqlite",
        peppers=f"1:{bytes(range(32)).hex()}",
        workers=2,
        **more,
    )
    with mock.patch.object(passwords, "RFC_9106_LOW_MEMORY", CHEAPEST):
        server = KeysServer(settings)
    with changing(server.database, system_clock, COMMAND_LINE) as change:
        setup = administrators.setup_token(change)
    assert setup is not None
    port = await server.rpc.start()
    try:
        async with server.background_tasks(), open_channel(f"127.0.0.1:{port}") as channel:
            stubs = admin_pb2_grpc.AdminServiceStub(channel), keys_pb2_grpc.KeysServiceStub(channel)
            yield Client(*stubs, setup[0], admin_pb2.Caller())
    finally:
        await server.rpc.stop()
        server.close()


@contextlib.asynccontextmanager
async def owner(folder: Path, **more: Any) -> AsyncIterator[Client]:
    async with running(folder, **more) as client:
        await client("CompleteSetup", setup_token=client.setup_token, email=EMAIL, password=PASSWORD)
        await client.sign_in()
        yield client


async def refusal(call: Callable[..., Awaitable[Any]], method: str, **members: Any) -> RemoteError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(method, **members)
    error = decode(caught.value)
    assert error is not None, caught.value
    return error
