"""Batching of concurrent addresses."""

import asyncio
from collections.abc import AsyncIterator
from contextvars import copy_context
from typing import Any

import grpc
import pytest
from fakes import Unreachable
from running_edge import Edge

from edge.clients.land import LandClient
from edge.leases.decisions import Grant
from edge.problems import Problem
from landpartner.keys.v1.keys_pb2 import KEY_MODE_LIVE
from landpartner.land.v1 import land_pb2
from servicekit.errors import InvalidPayload, Violation
from servicekit.languages import Language, language
from servicekit.rpc_client import Outgoing, open_channel
from servicekit.rpc_errors import encode_status

GRANT = Grant(key_id="key-1", partner_id="partner-1", mode=KEY_MODE_LIVE)
CODES = {"one": "18033", "two": "18034", "three": "18035"}


@pytest.fixture
async def client(edge: Edge) -> AsyncIterator[LandClient]:
    """A client of the fake land, without the edge."""
    edge.land.results = {label: found(code) for label, code in CODES.items()}
    async with open_channel(edge.settings.land_target) as channel:
        yield LandClient(channel, Outgoing(edge.settings.land_token.get_secret_value()))


def found(city_code: str) -> land_pb2.ResolvedAddress:
    return land_pb2.ResolvedAddress(
        found=land_pb2.ResolveAddressResponse(address=land_pb2.Address(city_code=city_code))
    )


async def asked(client: LandClient, *labels: str) -> list[Any]:
    """The commune code of each answer, or the raised error."""
    calls = (client.resolve(land_pb2.AddressQuery(label=label), GRANT, deadline_s=60) for label in labels)
    answers = await asyncio.gather(*calls, return_exceptions=True)
    return [answer if isinstance(answer, BaseException) else answer.address.city_code for answer in answers]


async def test_concurrent_addresses_are_one_call_with_separate_answers(edge: Edge, client: LandClient) -> None:
    assert await asked(client, "three", "one", "two") == ["18035", "18033", "18034"]
    assert edge.land.batches == [["three", "one", "two"]]


async def test_a_lone_address_is_the_same_call_with_the_id_of_its_key(edge: Edge, client: LandClient) -> None:
    assert await asked(client, "one") == ["18033"]
    assert (edge.land.batches, edge.land.requesters) == ([["one"]], ["key-1"])


async def test_addresses_in_two_languages_are_two_calls(edge: Edge, client: LandClient) -> None:
    def ask_in(call_language: Language) -> asyncio.Task[Any]:
        context = copy_context()
        context.run(language.set, call_language)
        call = client.resolve(land_pb2.AddressQuery(label=call_language), GRANT, deadline_s=60)
        return asyncio.get_running_loop().create_task(call, context=context)

    languages: tuple[Language, ...] = ("fr", "en", "fr")
    await asyncio.gather(*(ask_in(call_language) for call_language in languages))
    assert sorted(edge.land.batches) == [["en"], ["fr", "fr"]]


async def test_land_gets_the_id_of_the_key(edge: Edge, client: LandClient) -> None:
    await asked(client, "one")
    await client.land_unit(land_pb2.GetLandUnitRequest(parcel_ids=["00001000AB0012"]), GRANT, deadline_s=60)
    assert edge.land.requesters == ["key-1", "key-1"]


async def test_an_empty_result_is_retried_in_its_own_call(edge: Edge, client: LandClient) -> None:
    edge.land.results["two"] = land_pb2.ResolvedAddress()
    assert await asked(client, "one", "two") == ["18033", edge.land.resolution.address.city_code]
    assert (edge.land.batches, edge.land.requesters) == ([["one", "two"], ["two"]], ["", "key-1"])


async def test_a_failure_in_a_batch_affects_only_its_request(edge: Edge, client: LandClient) -> None:
    error = InvalidPayload("too vague", violations=[Violation("/label", "too_vague", "too vague")])
    failure = encode_status(error, grpc.StatusCode.INVALID_ARGUMENT)
    edge.land.results["two"] = land_pb2.ResolvedAddress(failure=failure)
    first, problem = await asked(client, "one", "two")
    assert first == "18033"
    assert isinstance(problem, Problem)
    assert (problem.code, problem.violations) == ("invalid_payload", error.violations)


async def test_each_address_of_a_failed_batch_gets_its_own_call(edge: Edge, client: LandClient) -> None:
    edge.land.fails_on_batches = True
    assert await asked(client, "one", "two") == ["18033", "18034"]
    whole, *single = edge.land.batches
    assert whole == ["one", "two"]
    assert sorted(single) == [["one"], ["two"]]


async def test_unavailable_land_fails_the_whole_batch(edge: Edge, client: LandClient) -> None:
    edge.land.failure = Unreachable()
    problems = await asked(client, "one", "two")
    assert [problem.code for problem in problems] == ["unavailable", "unavailable"]
    assert {tuple(labels) for labels in edge.land.batches} == {("one", "two")}
