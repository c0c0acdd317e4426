"""Requests that share the leases of their keys: what they wait for, and what keys is sent."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from fakes import wait_until

from contract.endpoints import GEOJSON, RESOLVE, WEIGHTS
from edge.clients.keys import KeysClient
from edge.leases import leases as leases_module
from edge.leases import settling
from edge.leases.decisions import Denied, Grant, RequestKind
from edge.leases.leases import Leases
from edge.problems import Problem
from landpartner.keys.v1 import keys_pb2

KEY, OTHER_KEY = "lp_live_one", "lp_live_two"
RESOLVE_KIND, GEOJSON_KIND = RequestKind(RESOLVE, "203.0.113.9"), RequestKind(GEOJSON, "203.0.113.9")
GOES_ON = RESOLVE_KIND._replace(goes_on=True)
Answer = keys_pb2.LeaseResponse | Exception


def grant(valid_ms: int = 60_000, **counters: int) -> keys_pb2.LeaseResponse:
    terms = keys_pb2.KeyTerms(key_id="key-1", partner_id="partner-1", weights=WEIGHTS)
    lease = keys_pb2.LeaseGrant(terms=terms, counters=keys_pb2.Counters(**counters), valid_ms=valid_ms)
    return keys_pb2.LeaseResponse(grant=lease)


def denial(code: str) -> keys_pb2.LeaseResponse:
    key_id = "" if code == "invalid_key" else "key-1"
    return keys_pb2.LeaseResponse(denial=keys_pb2.Denial(code=code, key_id=key_id))


LATER = keys_pb2.LeaseResponse(later=keys_pb2.Later(retry_after_ms=50))
EXPECTED = "expected"


class Stub(KeysClient):
    """Answers calls with `answers` in order, then with what the edge expects, once the test allows it."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[keys_pb2.LeaseRequest] = []
        self.settled: list[keys_pb2.SettleRequest] = []
        self.settle_failure: Exception | None = None
        self.postponed: list[bytes] = []
        self.locked_keys: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.calls_under_way = self.most_calls = 0

    async def lease(self, request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        self.requests.append(request)
        answer: Answer | None = self.answers.pop(0) if self.answers else None
        self.calls_under_way += 1
        self.most_calls = max(self.most_calls, self.calls_under_way)
        try:
            await self.may_answer.wait()
        finally:
            self.calls_under_way -= 1
        if isinstance(answer, Exception):
            raise answer
        if answer is not None:
            return answer
        lease = keys_pb2.LeaseResponse(grant=grant().grant)
        lease.grant.counters.CopyFrom(request.expected)
        return lease

    async def settle(self, request: keys_pb2.SettleRequest) -> keys_pb2.SettleResponse:
        if self.settle_failure is not None:
            raise self.settle_failure
        self.settled.append(request)
        return keys_pb2.SettleResponse(postponed=self.postponed, locked_keys=self.locked_keys)

    @property
    def ended(self) -> list[keys_pb2.LeaseEnd]:
        """What Settle ended."""
        return [end for request in self.settled for end in request.ended]

    @property
    def refused(self) -> list[tuple[str, str, str, int]]:
        return [
            (item.key_id, item.endpoint, item.code, item.requests)
            for request in self.settled
            for item in request.refused
        ]


@asynccontextmanager
async def running(keys: Stub, *, deadline_s: float = 60.0, interval_s: float = 0.01) -> AsyncIterator[Leases]:
    leases = Leases(keys, b"h" * 16, interval_s=interval_s, deadline_s=deadline_s)
    leases.start()
    try:
        yield leases
    finally:
        await leases.stop()


async def decide(leases: Leases, kind: RequestKind = RESOLVE_KIND, key: str = KEY) -> Grant | Denied:
    return leases.decide(key, kind) or await leases.wait(key, kind)


def start(leases: Leases, count: int, kind: RequestKind = RESOLVE_KIND) -> list[asyncio.Task[Any]]:
    return [asyncio.create_task(decide(leases, kind)) for _ in range(count)]


def unavailable() -> Problem:
    return Problem("unavailable", retry_after_s=7)


async def test_a_lease_that_covers_a_request_needs_no_call() -> None:
    keys = Stub()
    keys.answers = [grant(requests=3, units=3)]
    async with running(keys) as leases:
        assert leases.decide(KEY, RESOLVE_KIND) is None
        for _ in range(3):
            assert isinstance(await decide(leases), Grant)
        assert len(keys.requests) == 1
        await decide(leases)
        assert len(keys.requests) == 2


async def test_keys_have_leases_of_their_own() -> None:
    keys = Stub()
    keys.answers = [grant(requests=3, units=3)]
    async with running(keys) as leases:
        await decide(leases)
        await decide(leases, key=OTHER_KEY)
        assert [request.api_key for request in keys.requests] == [KEY, OTHER_KEY]


async def test_requests_at_the_same_time_share_one_call() -> None:
    keys = Stub()
    async with running(keys) as leases:
        decisions = await asyncio.gather(*start(leases, 50))
        assert all(isinstance(decision, Grant) for decision in decisions)
        [request] = keys.requests
        assert (request.expected.requests, request.expected.units) == (50, 50)


async def test_one_call_of_a_key_is_under_way_and_who_waited_asks_again() -> None:
    keys = Stub()
    keys.answers = [grant(requests=1, units=1), grant(requests=2, units=2)]
    async with running(keys) as leases:
        decisions = await asyncio.gather(*start(leases, 20))
        assert all(isinstance(decision, Grant) for decision in decisions)
        assert keys.most_calls == 1
        assert [request.expected.requests for request in keys.requests] == [20, 19, 17]


async def test_a_denial_concerns_only_its_like() -> None:
    keys = Stub()
    keys.answers = [denial("quota_exhausted")]
    async with running(keys) as leases:
        first, second, third = await asyncio.gather(
            *start(leases, 2, GEOJSON_KIND), *start(leases, 1, GEOJSON_KIND._replace(client_address="198.51.100.1"))
        )
        assert isinstance(first, Denied)
        assert isinstance(second, Denied)
        assert isinstance(third, Grant)
        assert isinstance(await decide(leases, GEOJSON_KIND), Denied)
        assert len(keys.requests) == 2
        await wait_until(lambda: sum(count for *_, count in keys.refused) == 3)
    assert {(key, endpoint, code) for key, endpoint, code, _ in keys.refused} == {("key-1", GEOJSON, "quota_exhausted")}


async def test_all_requests_with_an_unknown_key_share_its_denial_and_the_next_one_asks() -> None:
    keys = Stub()
    keys.answers = [denial("invalid_key"), denial("invalid_key")]
    async with running(keys) as leases:
        decisions = await asyncio.gather(*start(leases, 3), *start(leases, 3, GEOJSON_KIND))
        assert all(isinstance(decision, Denied) for decision in decisions)
        assert len(keys.requests) == 1
        assert isinstance(await decide(leases), Denied)
        assert len(keys.requests) == 2
    assert keys.refused == []


async def test_a_request_waits_for_the_leases_of_others() -> None:
    keys = Stub()
    keys.answers = [LATER, LATER]
    async with running(keys) as leases:
        decisions = await asyncio.gather(*start(leases, 5))
        assert all(isinstance(decision, Grant) for decision in decisions)
        assert [request.expected.requests for request in keys.requests] == [5, 5, 5]


async def test_a_request_that_may_not_wait_so_long_is_503() -> None:
    keys = Stub()
    keys.answers = [LATER] * 99
    async with running(keys, deadline_s=0.2) as leases:
        with pytest.raises(Problem) as refused:
            await decide(leases)
        assert (refused.value.code, refused.value.retry_after_s) == ("unavailable", 1)
        assert 2 <= len(keys.requests) <= 5


async def test_a_failed_call_fails_all_that_waited_and_its_lease_is_ended() -> None:
    keys = Stub()
    keys.answers = [grant(requests=1, units=3), unavailable()]
    async with running(keys) as leases:
        await decide(leases)
        results = await asyncio.gather(*start(leases, 3, GEOJSON_KIND), return_exceptions=True)
        assert [(result.code, result.retry_after_s) for result in results] == [("unavailable", 7)] * 3  # type: ignore[union-attr]
        assert isinstance(await decide(leases), Grant)
    ended = {end.lease_id: end for end in [*keys.ended, *keys.requests[2].ended]}  # the next lease carries what waits
    assert ended[keys.requests[0].lease_id].unused.units == 2
    assert not ended[keys.requests[1].lease_id].HasField("unused")


async def test_keys_without_an_answer_in_time_is_503_and_the_answer_is_used() -> None:
    keys = Stub()
    keys.answers = [grant(requests=1, units=1)]
    keys.may_answer.clear()
    async with running(keys, deadline_s=0.05) as leases:
        with pytest.raises(Problem, match="unavailable"):
            await decide(leases)
        keys.may_answer.set()
        await wait_until(lambda: isinstance(leases.decide(KEY, RESOLVE_KIND), Grant))
        assert len(keys.requests) == 1


@pytest.mark.parametrize("answer", [grant(), Problem("unavailable"), denial("invalid_key")])
async def test_a_reservation_of_lines_carries_ends_until_keys_takes_them(answer: Answer) -> None:
    keys = Stub()
    keys.answers = [grant(requests=1, units=3), unavailable(), answer]
    key = "lp_live_key-1"
    async with running(keys, interval_s=60.0) as leases:
        await decide(leases, key=key)
        with pytest.raises(Problem):
            await decide(leases, GEOJSON_KIND, key)
        with contextlib.suppress(Problem):
            await leases.reserve(key, GOES_ON, keys_pb2.LineRequest())
        ids = {request.lease_id for request in keys.requests[:2]}
        assert {end.lease_id for end in keys.requests[2].ended} == ids
    assert {end.lease_id for end in keys.ended} == (set() if answer == grant() else ids)


async def test_a_cancelled_request_takes_nothing_and_ends_no_call_of_others() -> None:
    keys = Stub()
    keys.may_answer.clear()
    async with running(keys) as leases:
        first, second = start(leases, 2)
        await wait_until(lambda: keys.requests)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        keys.may_answer.set()
        assert isinstance(await second, Grant)
    [end] = keys.ended
    assert (end.unused.requests, end.unused.units) == (1, 1)
    assert len(keys.requests) == 1


async def test_a_cancelled_request_is_not_expected_any_more() -> None:
    keys = Stub()
    keys.answers = [unavailable()]
    keys.may_answer.clear()
    async with running(keys) as leases:
        waiting = start(leases, 3)
        await wait_until(lambda: keys.requests)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        keys.may_answer.set()
        await asyncio.sleep(0)
        await decide(leases)
        assert keys.requests[-1].expected.requests == 1


async def test_a_lease_whose_time_is_over_is_ended_once_with_its_rest() -> None:
    keys = Stub()
    keys.answers = [grant(valid_ms=30, requests=5, units=5)]
    async with running(keys) as leases:
        await decide(leases)
        await wait_until(lambda: keys.ended)
        await asyncio.sleep(0.05)
    [end] = keys.ended
    assert (end.lease_id, end.key_id, end.unused.requests) == (keys.requests[0].lease_id, "key-1", 4)


async def test_a_call_ends_the_empty_lease() -> None:
    keys = Stub()
    async with running(keys, interval_s=60.0) as leases:  # otherwise a slow machine ends the lease before the call
        await decide(leases)
        await decide(leases)
        assert [end.lease_id for end in keys.requests[1].ended] == [keys.requests[0].lease_id]
    assert [end.lease_id for end in keys.ended] == [keys.requests[1].lease_id]


async def test_the_end_that_an_unknown_key_did_not_take_is_sent_again() -> None:
    """The grace period of the secret is over."""
    keys = Stub()
    keys.answers = [grant(requests=1, units=1), denial("invalid_key")]
    async with running(keys) as leases:
        await decide(leases)
        await decide(leases)
    assert [end.lease_id for end in keys.ended] == [keys.requests[0].lease_id]


@pytest.mark.parametrize("is_failing", [True, False])
async def test_ends_and_refusals_are_repeated_until_keys_takes_them(
    monkeypatch: pytest.MonkeyPatch, is_failing: bool
) -> None:
    monkeypatch.setattr(settling, "RETRY_S", 0.01)
    keys = Stub()
    keys.answers = [grant(valid_ms=50, requests=1, units=1), denial("rate_limited")]
    async with running(keys) as leases:
        await decide(leases)
        lease_id = keys.requests[0].lease_id
        if is_failing:
            keys.settle_failure = grpc.aio.AioRpcError(
                grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata()
            )
        keys.postponed, keys.locked_keys = [lease_id], ["key-1"]
        await asyncio.sleep(0.2)  # its end is sent
        await decide(leases)
        await asyncio.sleep(0.05)
        keys.settle_failure, keys.postponed, keys.locked_keys = None, [], []
        earlier = len(keys.settled)
        await wait_until(lambda: len(keys.settled) > earlier)
        await asyncio.sleep(0.05)
        [last] = keys.settled[earlier:]
    assert [end.lease_id for end in last.ended] == [lease_id]
    assert [refused.requests for refused in last.refused] == [1]
    assert keys.settled[-1] == last


async def test_the_end_of_a_process_ends_every_lease() -> None:
    keys = Stub()
    keys.answers = [grant(requests=5, units=5), grant(requests=5, units=5)]
    async with running(keys, interval_s=60) as leases:
        await decide(leases)
        await decide(leases, key=OTHER_KEY)
        keys.may_answer.clear()
        under_way = asyncio.create_task(decide(leases, key="lp_live_three"))
        await wait_until(lambda: len(keys.requests) == 3)
    await asyncio.gather(under_way, return_exceptions=True)
    assert {end.lease_id for end in keys.ended} == {request.lease_id for request in keys.requests}


async def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases_module, "MAX_KEYS", 3)
    monkeypatch.setattr(settling, "MAX_WAITING", 4)
    keys = Stub()
    keys.settle_failure = grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata())
    async with running(keys, interval_s=60) as leases:
        for number in range(9):
            keys.answers = [grant(requests=2, units=2)]
            await decide(leases, key=f"key {number}")
        assert leases.decide("key 0", RESOLVE_KIND) is None
        assert isinstance(leases.decide("key 8", RESOLVE_KIND), Grant)
        for number in range(9):
            keys.answers = [denial("rate_limited")]
            await decide(leases, RESOLVE_KIND._replace(endpoint=f"endpoint {number}"))
        keys.settle_failure = None
    assert (len(keys.ended), len(keys.refused)) == (4, 4)


async def test_a_flood_of_unknown_keys_evicts_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases_module, "MAX_KEYS", 3)
    keys = Stub()
    keys.answers = [grant(requests=3, units=3), *[denial("invalid_key")] * 8]
    async with running(keys) as leases:
        await decide(leases)
        for number in range(8):
            assert leases.decide(f"lp_live_unknown{number}", RESOLVE_KIND) is None
            assert isinstance(await leases.wait(f"lp_live_unknown{number}", RESOLVE_KIND), Denied)
        assert isinstance(leases.decide(KEY, RESOLVE_KIND), Grant)


async def test_the_text_of_a_key_is_not_stored() -> None:
    keys = Stub()
    keys.answers = [grant(requests=2, units=2)]
    async with running(keys) as leases:
        await decide(leases)
        keys.requests.clear()
        assert KEY not in repr(contents(leases))
        assert KEY not in repr(leases_module.RequestKey(leases, KEY, GOES_ON))


def contents(value: Any, depth: int = 6) -> Any:
    """The value with its members, as far as the edge's own objects go."""
    if depth == 0:
        return repr(value)
    if isinstance(value, dict):
        return [(contents(key, depth - 1), contents(item, depth - 1)) for key, item in value.items()]
    if isinstance(value, set | list | tuple):
        return [contents(item, depth - 1) for item in value]
    if type(value).__module__.startswith("edge."):
        names = [*getattr(value, "__dict__", ()), *getattr(type(value), "__slots__", ())]
        return [(name, contents(getattr(value, name), depth - 1)) for name in names]
    return repr(value)


async def test_what_goes_on_asks_only_without_an_open_lease() -> None:
    keys = Stub()
    keys.answers = [grant(requests=1, units=1, valid_ms=100), grant(valid_ms=100), denial("revoked_key")]
    async with running(keys) as leases:
        await decide(leases)
        key = leases_module.RequestKey(leases, KEY, GOES_ON)
        for _ in range(3):
            await key.check()
        assert len(keys.requests) == 1
        await asyncio.sleep(0.11)
        for _ in range(3):
            await key.check()
        assert [request.goes_on for request in keys.requests] == [False, True]
        await asyncio.sleep(0.11)
        with pytest.raises(Problem) as refused:
            await key.check()
        assert refused.value.code == "revoked_key"
    assert keys.refused == []  # the request was counted as granted
