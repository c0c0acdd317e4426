"""Client of land: facts about addresses and parcels."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar, get_args

import grpc
from google.protobuf.message import Message

from contract.messages.land import feature_collection
from contract.messages.schemas import Json
from edge.clients.batching import Batcher
from edge.clients.errors import answered, problem_in
from edge.leases.decisions import Grant
from edge.problems import Problem
from landpartner.keys.v1.keys_pb2 import KEY_MODE_LIVE
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from servicekit.languages import Language, language
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.land.v1.land_pb2_grpc import LandServiceAsyncStub

_SERVICE = land_pb2.DESCRIPTOR.services_by_name["LandService"]
IDEMPOTENT = tuple(
    (_SERVICE.full_name, method.name) for method in _SERVICE.methods if not method.name.startswith("Delete")
)
"""Calls that may be retried: they only read, or create what exists already the second time."""

WINDOW_S = 0.002
MAX_BATCH = 16
"""Addresses in one batch; land accepts 64."""

_SCOPES = (land_pb2.SCOPE_ALL, land_pb2.SCOPE_DEMO)
"""The scopes of live keys and of test keys."""

R = TypeVar("R")
M = TypeVar("M", bound=Message)


class LandUnit(NamedTuple):
    """A land unit as GeoJSON for partners, and as the message for the assistant."""

    feature_collection: Json
    message: land_pb2.LandUnit


class _Resolve(NamedTuple):
    request: land_pb2.ResolveAddressRequest
    key_id: str
    deadline_s: float


class LandClient:
    """Each call raises Problem if land refuses it or is not available."""

    def __init__(self, channel: grpc.aio.Channel, outgoing: Outgoing) -> None:
        self.stub: LandServiceAsyncStub = land_pb2_grpc.LandServiceStub(channel)
        self._outgoing = outgoing
        self._batchers: Mapping[Language, Batcher[_Resolve, land_pb2.ResolvedAddress]] = {
            batch_language: Batcher("resolve", self._resolve_batch, window_s=WINDOW_S, limit=MAX_BATCH)
            for batch_language in get_args(Language)
        }
        """A batch has one language."""

    async def call(
        self, method: Callable[..., Awaitable[R]], request: Message, grant: Grant, *, deadline_s: float
    ) -> R:
        """Calls a method of the stub for a key. Sets the scope of the request."""
        return await answered(method(_for_key(request, grant), **self._outgoing(deadline_s, grant.key_id)), "land")

    async def watches(self, partner_id: str, limit: int, deadline_s: float) -> list[land_pb2.Watch]:
        """The first watches of a partner with live keys, and with test keys. Raises Problem."""
        requests = (land_pb2.ListWatchesRequest(partner_id=partner_id, scope=one, page_size=limit) for one in _SCOPES)
        return [watch for request in requests for watch in (await self._watches(request, deadline_s)).watches]

    async def scope_of_watch(
        self, partner_id: str, watch_id: str, limit: int, deadline_s: float
    ) -> land_pb2.Scope.ValueType | None:
        """Whether a watch is of the live or of the test keys of a partner. None if there is none. Raises Problem."""
        for scope in _SCOPES:
            request = land_pb2.ListWatchesRequest(partner_id=partner_id, scope=scope, page_size=limit)
            while True:
                page = await self._watches(request, deadline_s)
                if any(watch.id == watch_id for watch in page.watches):
                    return scope
                if not page.next_page_token:
                    break
                request.page_token = page.next_page_token
        return None

    async def delete_watch(
        self, partner_id: str, watch_id: str, scope: land_pb2.Scope.ValueType, deadline_s: float
    ) -> None:
        request = land_pb2.DeleteWatchRequest(partner_id=partner_id, watch_id=watch_id, scope=scope)
        await answered(self.stub.DeleteWatch(request, **self._outgoing(deadline_s)), "land")

    async def _watches(self, request: land_pb2.ListWatchesRequest, deadline_s: float) -> land_pb2.ListWatchesResponse:
        return await answered(self.stub.ListWatches(request, **self._outgoing(deadline_s)), "land")

    async def resolve(
        self, query: land_pb2.AddressQuery, grant: Grant, *, deadline_s: float
    ) -> land_pb2.ResolveAddressResponse:
        resolve = _resolve(query, grant, deadline_s)
        return await self._resolution(resolve, await answered(self._batchers[language.get()](resolve), "land"))

    async def resolve_together(
        self, queries: Sequence[land_pb2.AddressQuery], grant: Grant, *, deadline_s: float
    ) -> list[land_pb2.ResolveAddressResponse | Problem]:
        """Returns each answer or its problem, in order. Raises no problem."""
        batch = [_resolve(query, grant, deadline_s) for query in queries]
        try:
            answers = await answered(self._resolve_batch(batch), "land")
        except Problem as problem:
            return [problem for _ in batch]
        return [await self._answer_or_problem(resolve, answer) for resolve, answer in zip(batch, answers, strict=True)]

    async def _answer_or_problem(
        self, resolve: _Resolve, answer: land_pb2.ResolvedAddress
    ) -> land_pb2.ResolveAddressResponse | Problem:
        try:
            return await self._resolution(resolve, answer)
        except Problem as problem:
            return problem

    async def _resolution(self, resolve: _Resolve, answer: land_pb2.ResolvedAddress) -> land_pb2.ResolveAddressResponse:
        """Sends a request without a result in its batch again, alone. Raises Problem."""
        if answer.WhichOneof("result") is None:
            (answer,) = await answered(self._resolve_all([resolve]), "land")
        match answer.WhichOneof("result"):
            case "found":
                return answer.found
            case "failure":
                raise problem_in(answer.failure, "land")
            case _:
                raise Problem("upstream_failed")

    async def dataset_states(self, *, deadline_s: float) -> land_pb2.GetDatasetStatesResponse:
        """The states are the same for all keys."""
        request = land_pb2.GetDatasetStatesRequest()
        return await answered(self.stub.GetDatasetStates(request, **self._outgoing(deadline_s)), "land")

    async def _resolve_batch(self, batch: Sequence[_Resolve]) -> Sequence[land_pb2.ResolvedAddress]:
        """If land fails on several addresses, each gets an empty result, since one of them may be the cause."""
        try:
            return await self._resolve_all(batch)
        except grpc.aio.AioRpcError as error:
            if len(batch) == 1 or error.code() is not grpc.StatusCode.INTERNAL:
                raise
            return [land_pb2.ResolvedAddress()] * len(batch)

    async def _resolve_all(self, batch: Sequence[_Resolve]) -> Sequence[land_pb2.ResolvedAddress]:
        """A result may be empty if the batch has several requests. Only a lone request may load data, for its key."""
        request = land_pb2.ResolveAddressesRequest(requests=[resolve.request for resolve in batch])
        requester = batch[0].key_id if len(batch) == 1 else ""
        options = self._outgoing(min(resolve.deadline_s for resolve in batch), requester)
        return (await self.stub.ResolveAddresses(request, **options)).results

    async def land_unit(self, request: land_pb2.GetLandUnitRequest, grant: Grant, *, deadline_s: float) -> LandUnit:
        """The address of the request is only echoed if the request has parcel ids."""
        response = await self.call(self.stub.GetLandUnit, request, grant, deadline_s=deadline_s)
        return LandUnit(feature_collection(response.land_unit, request), response.land_unit)


@dataclass(frozen=True, slots=True)
class LandCalls:
    """Calls for the key of one request. Each raises Problem if land refuses it or is not available."""

    client: LandClient
    grant: Grant
    deadline_s: float

    @property
    def stub(self) -> LandServiceAsyncStub:
        return self.client.stub

    async def __call__(self, method: Callable[..., Awaitable[R]], request: Message) -> R:
        return await self.client.call(method, request, self.grant, deadline_s=self.deadline_s)


def _resolve(query: land_pb2.AddressQuery, grant: Grant, deadline_s: float) -> _Resolve:
    return _Resolve(_for_key(land_pb2.ResolveAddressRequest(query=query), grant), grant.key_id, deadline_s)


def _for_key(request: M, grant: Grant) -> M:
    """Sets the scope and the partner of the key."""
    if "partner_id" in request.DESCRIPTOR.fields_by_name:
        request.partner_id = grant.partner_id  # type: ignore[attr-defined]
    if "scope" in request.DESCRIPTOR.fields_by_name:
        request.scope = land_pb2.SCOPE_ALL if grant.mode == KEY_MODE_LIVE else land_pb2.SCOPE_DEMO  # type: ignore[attr-defined]
    return request
