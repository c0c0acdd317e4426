"""Each method of every service is reachable by exactly the callers that use it."""

import ast
import contextlib
from collections.abc import AsyncIterator, Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import grpc
import pytest
import service_tokens
from google.protobuf.descriptor import ServiceDescriptor

from assistant.rpc import service as assistant_service
from keys.rpc import services as keys_services
from land.rpc import servicer as land_service
from landpartner.assistant.v1 import assistant_pb2
from landpartner.keys.v1 import admin_pb2, keys_pb2
from landpartner.land.v1 import land_pb2
from landpartner.webhooks.v1 import webhooks_pb2
from servicekit.callers import entry
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_server import Registration, RpcServer
from servicekit.settings import RpcSettings
from servicekit.webhooks import servicer

OK, PERMISSION_DENIED = grpc.StatusCode.OK, grpc.StatusCode.PERMISSION_DENIED
REPOSITORY = Path(__file__).resolve().parents[2]
SERVICES = ("edge", "land", "keys", "assistant")
DECLARED: Mapping[ServiceDescriptor, Mapping[str, Collection[str]]] = {
    land_pb2.DESCRIPTOR.services_by_name["LandService"]: land_service.CALLERS,
    keys_pb2.DESCRIPTOR.services_by_name["KeysService"]: keys_services.KEYS_CALLERS,
    admin_pb2.DESCRIPTOR.services_by_name["AdminService"]: keys_services.ADMIN_CALLERS,
    webhooks_pb2.DESCRIPTOR.services_by_name["WebhookService"]: servicer.CALLERS,
    assistant_pb2.DESCRIPTOR.services_by_name["AssistantService"]: assistant_service.CALLERS,
}
STUBS = {service: f"{service.name}Stub" for service in DECLARED}


@cache
def names_in(caller: str) -> set[str]:
    """Every attribute and text in the code of a service. Methods of stubs are among the attributes, and those of
    forwarding routes among the texts.
    """
    files = (REPOSITORY / "services" / caller / "src").rglob("*.py")
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def users_of(service: ServiceDescriptor, method: str) -> set[str]:
    """The services whose code creates a stub of the service and reads the method."""
    return {caller for caller in SERVICES if {STUBS[service], method} <= names_in(caller)}


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[grpc.aio.Channel]:
    """All services on one server, with the callers that they declare. Each answer is empty."""

    async def answer(*_: object) -> bytes:
        return b""

    def registered(service: ServiceDescriptor) -> Registration:
        handlers: Any = {method.name: grpc.unary_unary_rpc_method_handler(answer) for method in service.methods}
        generic = grpc.method_handlers_generic_handler(service.full_name, handlers)
        return Registration(
            service.full_name, lambda server: server.add_generic_rpc_handlers([generic]), DECLARED[service]
        )

    callers = ",".join(entry(caller, caller) for caller in SERVICES)
    server = RpcServer(RpcSettings(callers=callers, drain_s=0), [registered(service) for service in DECLARED], {})
    port = await server.start()
    try:
        async with open_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop()


async def test_each_method_is_reachable_by_exactly_the_services_that_use_it() -> None:
    async with serving() as channel:
        for service in DECLARED:
            for method in service.methods:
                call: Any = channel.unary_unary(f"/{service.full_name}/{method.name}")
                users = users_of(service, method.name)
                expected = {caller: OK if caller in users else PERMISSION_DENIED for caller in SERVICES}
                codes = {caller: await call(b"", **Outgoing(caller)(60.0)).code() for caller in SERVICES}
                assert codes == expected, method.full_name


def test_every_declared_method_exists() -> None:
    for service, methods_of in DECLARED.items():
        for methods in methods_of.values():
            assert set(methods) <= set(service.methods_by_name)
            assert len(set(methods)) == len(methods)


@pytest.mark.parametrize("service", ["land", "keys", "assistant"])
def test_an_installation_has_tokens_of_exactly_the_declared_callers(service: str) -> None:
    tables = [table for declared, table in DECLARED.items() if f".{service}." in declared.full_name]
    assert {caller for table in tables for caller in table} == set(service_tokens.CALLERS[service])
