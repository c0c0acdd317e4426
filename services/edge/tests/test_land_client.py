"""Addresses that several requests ask for at the same moment."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from edge.access import Grant
from edge.clients.land import LandClient
from edge.problems import Problem
from landpartner.land.v1 import land_pb2
from servicekit.errors import InvalidPayload, Violation
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import encode_status

GRANT = Grant("key-1", is_test=False, assistant=None)
CODES = {"one": "18033", "two": "18034", "three": "18035"}


@pytest.fixture
async def client(edge: Any) -> AsyncIterator[LandClient]:
    """Of the edge's own land, without the edge."""
    edge.land.results = {label: found(code) for label, code in CODES.items()}
    async with open_channel(edge.settings.land_target) as channel:
        yield LandClient(channel, Outgoing(edge.settings.service_token.get_secret_value()))


def found(city_code: str) -> land_pb2.ResolvedAddress:
    return land_pb2.ResolvedAddress(
        found=land_pb2.ResolveAddressResponse(address=land_pb2.Address(city_code=city_code))
    )


async def asked(client: LandClient, *labels: str) -> list[Any]:
    """The commune's code of each answer, or what was raised."""
    calls = (client.resolve({"label": label}, GRANT, deadline_s=5) for label in labels)
    answers = await asyncio.gather(*calls, return_exceptions=True)
    return [answer if isinstance(answer, BaseException) else answer["address"]["city_code"] for answer in answers]


def kinds(edge: Any) -> list[str]:
    return [type(request).__name__ for request in edge.land.requests]


async def test_what_comes_together_is_one_call_and_each_has_its_own_answer(edge: Any, client: LandClient) -> None:
    assert await asked(client, "three", "one", "two") == ["18035", "18033", "18034"]
    assert kinds(edge) == ["ResolveAddressesRequest"]


async def test_a_lone_address_is_a_plain_call(edge: Any, client: LandClient) -> None:
    assert await asked(client, "one") == [edge.land.resolution.address.city_code]
    assert kinds(edge) == ["ResolveAddressRequest"]


async def test_land_knows_which_key_asks(edge: Any, client: LandClient) -> None:
    await asked(client, "one")
    await client.land_unit(None, ["00001000AB0012"], [], GRANT, deadline_s=5)
    assert edge.land.requesters == ["key-1", "key-1"]


async def test_what_land_leaves_open_is_asked_for_alone(edge: Any, client: LandClient) -> None:
    edge.land.results["two"] = land_pb2.ResolvedAddress()
    assert await asked(client, "one", "two") == ["18033", edge.land.resolution.address.city_code]
    assert kinds(edge) == ["ResolveAddressesRequest", "ResolveAddressRequest"]


async def test_one_failure_among_others_is_told_to_who_asked(edge: Any, client: LandClient) -> None:
    error = InvalidPayload("too vague", violations=[Violation("/label", "too_vague", "too vague")])
    failure = encode_status(error, grpc.StatusCode.INVALID_ARGUMENT)
    edge.land.results["two"] = land_pb2.ResolvedAddress(failure=failure)
    first, problem = await asked(client, "one", "two")
    assert first == "18033"
    assert isinstance(problem, Problem)
    assert (problem.code, problem.violations) == ("invalid_payload", error.violations)


async def test_where_land_fails_at_one_of_them_each_is_asked_for_alone(edge: Any, client: LandClient) -> None:
    edge.land.fails_together = True
    code = edge.land.resolution.address.city_code
    assert await asked(client, "one", "two") == [code, code]


async def test_land_out_of_reach_is_told_to_all(edge: Any, client: LandClient, unreachable: Any) -> None:
    edge.land.failure = unreachable()
    problems = await asked(client, "one", "two")
    assert [problem.code for problem in problems] == ["unavailable", "unavailable"]
    assert set(kinds(edge)) == {"ResolveAddressesRequest"}
