"""land: facts about addresses and parcels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import grpc

from edge.access import Grant
from edge.clients.batching import Batcher
from edge.clients.errors import problem_in, problem_of
from edge.clients.land_json import JsonObject, coverage_json, feature_collection, resolution
from edge.languages import language
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from servicekit.rpc_client import Outgoing

if TYPE_CHECKING:
    from landpartner.land.v1.land_pb2_grpc import LandServiceAsyncStub

SERVICE = "landpartner.land.v1.LandService"
IDEMPOTENT = tuple((SERVICE, method) for method in ("ResolveAddress", "ResolveAddresses", "GetLandUnit", "GetCoverage"))

WINDOW_S = 0.002
MAX_BATCH = 16
"""Addresses that wait for one another; land takes 64."""

_BLOCKS = {
    "land": land_pb2.BLOCK_LAND,
    "urbanism": land_pb2.BLOCK_URBANISM,
    "buildings": land_pb2.BLOCK_BUILDINGS,
    "real_estate": land_pb2.BLOCK_REAL_ESTATE,
}

AddressParts = Mapping[str, str | None]
"""Keys as in the contract's §2.1."""


class LandUnit(NamedTuple):
    """A land unit in both of its forms: as partners read it, and as the assistant takes it."""

    feature_collection: JsonObject
    message: land_pb2.LandUnit


class _Resolve(NamedTuple):
    request: land_pb2.ResolveAddressRequest
    deadline_s: float


class LandClient:
    """Each call raises Problem where land cannot answer."""

    def __init__(self, channel: grpc.aio.Channel, outgoing: Outgoing) -> None:
        self._stub: LandServiceAsyncStub = land_pb2_grpc.LandServiceStub(channel)
        self._outgoing = outgoing
        self._together: Batcher[_Resolve, land_pb2.ResolvedAddress] = Batcher(
            self._resolve_together, window_s=WINDOW_S, limit=MAX_BATCH
        )

    async def resolve(self, address: AddressParts, grant: Grant, *, deadline_s: float) -> JsonObject:
        scope = _scope(grant.is_test)
        request = land_pb2.ResolveAddressRequest(query=_query(address), scope=scope, language=language.get())
        try:
            result = await self._together(_Resolve(request, deadline_s))
            match result.WhichOneof("result"):
                case "found":
                    return resolution(result.found)
                case "failure":
                    raise problem_in(result.failure, "land")
                case _:
                    options = self._outgoing(deadline_s, grant.key_id)
                    return resolution(await self._stub.ResolveAddress(request, **options))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error

    async def _resolve_together(self, asked: Sequence[_Resolve]) -> Sequence[land_pb2.ResolvedAddress]:
        """Results without an answer where each is to be asked for alone: where there is but one, and where land has
        failed at one of them or does not know this call yet.
        """
        alone = [land_pb2.ResolvedAddress()] * len(asked)
        if len(asked) == 1:
            return alone
        request = land_pb2.ResolveAddressesRequest(requests=[each.request for each in asked])
        deadline_s = min(each.deadline_s for each in asked)
        try:
            return (await self._stub.ResolveAddresses(request, **self._outgoing(deadline_s))).results
        except grpc.aio.AioRpcError as error:
            if error.code() in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNIMPLEMENTED):
                return alone
            raise

    async def land_unit(
        self,
        address: AddressParts | None,
        parcel_ids: Sequence[str],
        blocks: Sequence[str],
        grant: Grant,
        *,
        deadline_s: float,
        needs_all_parcels: bool = False,
    ) -> LandUnit:
        """`blocks` are names of the contract. The address is echoed where parcel ids select. With `needs_all_parcels` a
        parcel whose plan cannot be had fails the request; otherwise it is left out, with a warning.
        """
        request = land_pb2.GetLandUnitRequest(
            address=None if address is None else _query(address),
            parcel_ids=parcel_ids,
            blocks=[_BLOCKS[name] for name in blocks],
            scope=_scope(grant.is_test),
            language=language.get(),
            needs_all_parcels=needs_all_parcels,
        )
        try:
            response = await self._stub.GetLandUnit(request, **self._outgoing(deadline_s, grant.key_id))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error
        unit = response.land_unit
        return LandUnit(feature_collection(unit, blocks, address), unit)

    async def coverage(
        self, commune_code: str, page_size: int, page_token: str, *, is_test: bool, deadline_s: float
    ) -> JsonObject:
        request = land_pb2.GetCoverageRequest(
            commune_code=commune_code, scope=_scope(is_test), page_size=page_size, page_token=page_token
        )
        try:
            return coverage_json(await self._stub.GetCoverage(request, **self._outgoing(deadline_s)))
        except grpc.aio.AioRpcError as error:
            raise problem_of(error, "land") from error


def _query(address: AddressParts) -> land_pb2.AddressQuery:
    return land_pb2.AddressQuery(**{name: value for name, value in address.items() if value})


def _scope(is_test: bool) -> land_pb2.Scope.ValueType:
    return land_pb2.SCOPE_DEMO if is_test else land_pb2.SCOPE_ALL
