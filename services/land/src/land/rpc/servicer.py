"""LandService over gRPC. Blocking work runs in worker threads."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

from functools import partial

import grpc

from land.addresses.model import Resolution
from land.addresses.suggesting import Typed
from land.answers.provenance import sources_of
from land.answers.refusals import invalid
from land.answers.texts import REFUSALS
from land.errors import (
    AddressNotFound,
    CommuneLoading,
    ParcelNotFound,
    SourceUnavailable,
    StoreUnavailable,
    WatchNotFound,
)
from land.events.watches import Watches
from land.pipeline import MAX_PAGE, Pipeline
from land.rpc import features, messages, parcel_search
from land.rpc.vector_tile import encode
from land.rpc.watches import WatchCalls
from land.selection import AddressRequest, Selection
from land.tiles.grid import Tile
from landpartner.land.v1 import land_pb2 as pb
from landpartner.land.v1 import land_pb2_grpc
from servicekit.errors import InvalidPayload, ServiceError
from servicekit.languages import Text
from servicekit.rpc_errors import StatusTable, encode_status, status_of
from servicekit.workers import Workers, in_thread

CALLERS = {"edge": tuple(pb.DESCRIPTOR.services_by_name["LandService"].methods_by_name)}
"""Only the edge calls land, and every method is for it. tests/contract/test_callers.py compares this with its code."""
STATUSES: StatusTable = {
    AddressNotFound: grpc.StatusCode.NOT_FOUND,
    ParcelNotFound: grpc.StatusCode.NOT_FOUND,
    WatchNotFound: grpc.StatusCode.NOT_FOUND,
    # Not UNAVAILABLE: channels retry that at once. A load takes seconds, and the error says how many.
    CommuneLoading: grpc.StatusCode.ABORTED,
    SourceUnavailable: grpc.StatusCode.ABORTED,
    StoreUnavailable: grpc.StatusCode.UNAVAILABLE,
}
"""The gRPC status of each of land's errors."""
MAX_ADDRESSES = 64
_TOKEN_PARTS = 3
_TOO_MANY = Text(f"{MAX_ADDRESSES} adresses au plus.", f"At most {MAX_ADDRESSES} addresses.")


class LandServicer(WatchCalls, land_pb2_grpc.LandServiceServicer):
    def __init__(self, pipeline: Pipeline, workers: Workers, watches: Watches) -> None:
        self._pipeline = pipeline
        self.watches = watches
        self.workers = workers

    @in_thread
    def ResolveAddresses(self, request: pb.ResolveAddressesRequest) -> pb.ResolveAddressesResponse:
        if len(request.requests) > MAX_ADDRESSES:
            raise InvalidPayload(_TOO_MANY)
        results = self._pipeline.resolve_addresses(
            [AddressRequest(messages.query_of(one.query), messages.scope_of(one.scope)) for one in request.requests]
        )
        return pb.ResolveAddressesResponse(results=[_resolved(result) for result in results])

    @in_thread
    def SuggestAddresses(self, request: pb.SuggestAddressesRequest) -> pb.SuggestAddressesResponse:
        near = messages.point_of(request.near) if request.HasField("near") else None
        typed = Typed(request.text, request.limit, near, request.city_code)
        addresses = self._pipeline.suggest_addresses(typed, messages.scope_of(request.scope))
        return messages.filled(pb.SuggestAddressesResponse, None, suggestions=addresses)

    @in_thread
    def ReverseAddress(self, request: pb.ReverseAddressRequest) -> pb.ReverseAddressResponse:
        scope = messages.scope_of(request.scope)
        nearest = self._pipeline.reverse_address(messages.point_of(request.position), scope)
        return messages.filled(pb.ReverseAddressResponse, nearest)

    @in_thread
    def GetLandUnit(self, request: pb.GetLandUnitRequest) -> pb.GetLandUnitResponse:
        selection = Selection(messages.query_of(request.address), list(request.parcel_ids), request.needs_all_parcels)
        blocks, scope = messages.blocks_of(list(request.blocks)), messages.scope_of(request.scope)
        if request.as_geojson:
            finish = partial(messages.write_geojson, request)
            body = self._pipeline.finished_land_unit(selection, blocks, scope, messages.write_land_unit, finish)
            return pb.GetLandUnitResponse(feature_collection=body)
        unit = self._pipeline.written_land_unit(selection, blocks, scope, messages.write_land_unit)
        message = messages.read_land_unit(unit)
        return pb.GetLandUnitResponse(
            land_unit=message if request.with_outlines else messages.without_outlines(message)
        )

    @in_thread
    def SearchParcels(self, request: pb.SearchParcelsRequest) -> pb.SearchParcelsResponse:
        page = self._pipeline.search_parcels(
            parcel_search.search_of(request),
            messages.scope_of(request.scope),
        )
        return parcel_search.response(request, page)

    @in_thread
    def GetSaleStatistics(self, request: pb.GetSaleStatisticsRequest) -> pb.GetSaleStatisticsResponse:
        question = parcel_search.sale_question(request)
        statistics = self._pipeline.sale_statistics(question, messages.scope_of(request.scope))
        return messages.filled(pb.GetSaleStatisticsResponse, statistics)

    @in_thread
    def GetTile(self, request: pb.GetTileRequest) -> pb.GetTileResponse:
        name = pb.TileLayer.Name(request.layer).removeprefix("TILE_LAYER_").lower()
        tile = Tile(request.zoom, request.column, request.row)
        drawn_tile = self._pipeline.tile(name, tile, messages.scope_of(request.scope), request.known_version)
        content = encode(tile, drawn_tile.drawings or ())
        return pb.GetTileResponse(version=drawn_tile.version, is_known=drawn_tile.drawings is None, content=content)

    @in_thread
    def ListFeatures(self, request: pb.ListFeaturesRequest) -> pb.ListFeaturesResponse:
        search = features.search_of(request)
        return features.response(search, self._pipeline.features(search, messages.scope_of(request.scope)))

    @in_thread
    def GetCoverage(self, request: pb.GetCoverageRequest) -> pb.GetCoverageResponse:
        size = min(request.page_size or MAX_PAGE, MAX_PAGE)
        after = tuple(request.page_token.split("/")) if request.page_token else ("", "", "")
        if len(after) != _TOKEN_PARTS:
            raise invalid("/cursor", "malformed_cursor", REFUSALS["cursor_of_no_service"])
        page = self._pipeline.coverage(
            request.commune_code, messages.scope_of(request.scope), (after[0], after[1], after[2]), size
        )
        last = page[-1] if len(page) == size else None
        return messages.filled(
            pb.GetCoverageResponse,
            None,
            datasets=page,
            next_page_token=f"{last.dataset}/{last.partition.code}/{last.partition.part}" if last else "",
            sources=sources_of(page),
        )

    @in_thread
    def ListCommunes(self, request: pb.ListCommunesRequest) -> pb.ListCommunesResponse:
        size = min(request.page_size or MAX_PAGE, MAX_PAGE)
        communes = self._pipeline.communes(messages.scope_of(request.scope), request.page_token, size)
        next_page_token = communes[-1].code if len(communes) == size else ""
        return messages.filled(pb.ListCommunesResponse, None, communes=communes, next_page_token=next_page_token)

    @in_thread
    def GetDatasetStates(self, _: pb.GetDatasetStatesRequest) -> pb.GetDatasetStatesResponse:
        return messages.filled(pb.GetDatasetStatesResponse, None, datasets=self._pipeline.dataset_states())


def _resolved(result: Resolution | ServiceError | None) -> pb.ResolvedAddress:
    match result:
        case None:
            return pb.ResolvedAddress()
        case ServiceError():
            return pb.ResolvedAddress(failure=encode_status(result, status_of(result, STATUSES)))
        case Resolution():
            return pb.ResolvedAddress(found=messages.filled(pb.ResolveAddressResponse, result))
