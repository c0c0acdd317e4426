"""Client of land: facts about addresses and parcels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, get_args

import grpc

from edge.access import Grant
from edge.clients.batching import Batcher
from edge.clients.errors import problem_in, problem_of
from edge.messages.land import feature_collection
from edge.messages.schemas import Json
from edge.messages.values import enum_numbers
from edge.problems import Problem
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from servicekit.languages import Language, language
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.land.v1.land_pb2_grpc import LandServiceAsyncStub

SERVICE = "landpartner.land.v1.LandService"
IDEMPOTENT = tuple(
    (SERVICE, method)
    for method in (
        "ResolveAddresses", "SuggestAddresses", "ReverseAddress", "GetLandUnit", "SearchParcels", "GetTile",
        "GetCoverage", "ListCommunes", "GetDatasetStates",
    )
)  # fmt: skip

WINDOW_S = 0.002
MAX_BATCH = 16
"""Addresses in one batch; land accepts 64."""

_BLOCKS = enum_numbers(land_pb2.Block.DESCRIPTOR)

AddressParts = Mapping[str, str | None]
"""Fields of an address by their names in the contract (§2.1)."""


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
        self._stub: LandServiceAsyncStub = land_pb2_grpc.LandServiceStub(channel)
        self._outgoing = outgoing
        self._batchers: Mapping[Language, Batcher[_Resolve, land_pb2.ResolvedAddress]] = {
            each: Batcher("resolve", self._resolve_batch, window_s=WINDOW_S, limit=MAX_BATCH)
            for each in get_args(Language)
        }
        """An error of a whole batch has one language."""

    async def resolve(
        self, address: AddressParts, grant: Grant, *, deadline_s: float
    ) -> land_pb2.ResolveAddressResponse:
        """A request without a result in its batch is sent again, alone."""
        spoken = language.get()
        request = land_pb2.ResolveAddressRequest(query=_query(address), scope=_scope(grant.is_test), language=spoken)
        asked = _Resolve(request, grant.key_id, deadline_s)
        try:
            answer = await self._batchers[spoken](asked)
            if answer.WhichOneof("result") is None:
                (answer,) = await self._resolve_all([asked])
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error
        return _found(answer)

    async def resolve_together(
        self, addresses: Sequence[AddressParts], grant: Grant, *, deadline_s: float
    ) -> list[land_pb2.ResolveAddressResponse | Problem]:
        """Each answer or its problem, in order. Raises no problem."""
        requests = [
            land_pb2.ResolveAddressRequest(query=_query(each), scope=_scope(grant.is_test), language=language.get())
            for each in addresses
        ]
        asked = [_Resolve(request, grant.key_id, deadline_s) for request in requests]
        try:
            answers = await self._resolve_batch(asked)
        except grpc.aio.AioRpcError as error:
            return [problem_of(error, "land") for _ in asked]
        return [
            await self._resolved(each, answer if answer.WhichOneof("result") else None)
            for each, answer in zip(asked, answers, strict=True)
        ]

    async def _resolved(
        self, asked: _Resolve, answer: land_pb2.ResolvedAddress | None
    ) -> land_pb2.ResolveAddressResponse | Problem:
        """The answer or its problem. Without an answer, asks for this address alone."""
        try:
            return _found(answer or (await self._resolve_all([asked]))[0])
        except grpc.aio.AioRpcError as error:
            return problem_of(error, "land")
        except Problem as problem:
            return problem

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
        request = land_pb2.ResolveAddressesRequest(requests=[each.request for each in batch])
        requester = batch[0].key_id if len(batch) == 1 else ""
        options = self._outgoing(min(each.deadline_s for each in batch), requester)
        return (await self._stub.ResolveAddresses(request, **options)).results

    async def land_unit(
        self,
        address: AddressParts | None,
        parcel_ids: Sequence[str],
        blocks: Sequence[str],
        grant: Grant,
        *,
        deadline_s: float,
        needs_all_parcels: bool = False,
        with_outlines: bool = False,
    ) -> LandUnit:
        """`blocks` are names of the contract. With parcel ids, the address is only echoed.

        If a parcel cannot be loaded, it is omitted with a warning; with `needs_all_parcels`, the request fails.
        `with_outlines` adds what only the assistant needs to the message, such as outlines of prescriptions.
        """
        request = land_pb2.GetLandUnitRequest(
            address=None if address is None else _query(address),
            parcel_ids=parcel_ids,
            blocks=[_BLOCKS[name] for name in blocks],
            scope=_scope(grant.is_test),
            language=language.get(),
            needs_all_parcels=needs_all_parcels,
            with_outlines=with_outlines,
        )
        try:
            response = await self._stub.GetLandUnit(request, **self._outgoing(deadline_s, grant.key_id))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error
        unit = response.land_unit
        return LandUnit(feature_collection(unit, blocks, address), unit)

    async def suggest(
        self,
        text: str,
        limit: int,
        near: tuple[float, float] | None,
        city_code: str,
        *,
        is_test: bool,
        deadline_s: float,
    ) -> land_pb2.SuggestAddressesResponse:
        """`near` is latitude and longitude."""
        request = land_pb2.SuggestAddressesRequest(
            text=text, limit=limit, near=_position(near), city_code=city_code, scope=_scope(is_test)
        )
        try:
            return await self._stub.SuggestAddresses(request, **self._outgoing(deadline_s))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error

    async def reverse(
        self, latitude: float, longitude: float, grant: Grant, *, deadline_s: float
    ) -> land_pb2.ReverseAddressResponse:
        request = land_pb2.ReverseAddressRequest(
            position=_position((latitude, longitude)), scope=_scope(grant.is_test), language=language.get()
        )
        try:
            return await self._stub.ReverseAddress(request, **self._outgoing(deadline_s, grant.key_id))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error

    async def search_parcels(
        self, request: land_pb2.SearchParcelsRequest, grant: Grant, *, deadline_s: float
    ) -> land_pb2.SearchParcelsResponse:
        """Sets the scope and the language of the request."""
        request.scope = _scope(grant.is_test)
        request.language = language.get()
        try:
            return await self._stub.SearchParcels(request, **self._outgoing(deadline_s, grant.key_id))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error

    async def tile(
        self, request: land_pb2.GetTileRequest, *, is_test: bool, deadline_s: float
    ) -> land_pb2.GetTileResponse:
        """Sets the scope of the request."""
        request.scope = _scope(is_test)
        try:
            return await self._stub.GetTile(request, **self._outgoing(deadline_s))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error

    async def coverage(
        self, commune_code: str, page_size: int, page_token: str, *, is_test: bool, deadline_s: float
    ) -> land_pb2.GetCoverageResponse:
        request = land_pb2.GetCoverageRequest(
            commune_code=commune_code, scope=_scope(is_test), page_size=page_size, page_token=page_token
        )
        try:
            return await self._stub.GetCoverage(request, **self._outgoing(deadline_s))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error

    async def communes(
        self, page_size: int, page_token: str, *, is_test: bool, deadline_s: float
    ) -> land_pb2.ListCommunesResponse:
        request = land_pb2.ListCommunesRequest(scope=_scope(is_test), page_size=page_size, page_token=page_token)
        try:
            return await self._stub.ListCommunes(request, **self._outgoing(deadline_s))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error

    async def dataset_states(self, *, deadline_s: float) -> land_pb2.GetDatasetStatesResponse:
        try:
            return await self._stub.GetDatasetStates(land_pb2.GetDatasetStatesRequest(), **self._outgoing(deadline_s))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error


def _found(answer: land_pb2.ResolvedAddress) -> land_pb2.ResolveAddressResponse:
    """Raises Problem."""
    match answer.WhichOneof("result"):
        case "found":
            return answer.found
        case "failure":
            raise problem_in(answer.failure, "land")
        case _:
            raise Problem("upstream_failed")


def _query(address: AddressParts) -> land_pb2.AddressQuery:
    return land_pb2.AddressQuery(**{name: value for name, value in address.items() if value})


def _position(at: tuple[float, float] | None) -> land_pb2.Position | None:
    return None if at is None else land_pb2.Position(latitude=at[0], longitude=at[1])


def _scope(is_test: bool) -> land_pb2.Scope.ValueType:
    return land_pb2.SCOPE_DEMO if is_test else land_pb2.SCOPE_ALL
