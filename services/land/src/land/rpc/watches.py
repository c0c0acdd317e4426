"""Calls about watches, and watches and events as messages."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

import orjson
import shapely
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Struct

from land.answers.refusals import invalid
from land.answers.texts import REFUSALS
from land.events.watches import Watches
from land.parcel_search import geojson
from land.parcel_search.model import DEFAULT_PAGE, MAX_PAGE
from land.rpc.messages import filled, scope_of
from land.store.events import Event, Watch
from land.units import geometry
from landpartner.land.v1 import land_pb2 as pb
from landpartner.webhooks.v1.webhooks_pb2 import Owner
from servicekit.workers import in_thread

_Request = pb.CreateWatchRequest | pb.ListWatchesRequest | pb.DeleteWatchRequest | pb.ListEventsRequest


class WatchCalls:
    """The calls of LandService about watches."""

    watches: Watches

    @in_thread
    def CreateWatch(self, request: pb.CreateWatchRequest) -> pb.CreateWatchResponse:
        area = geojson.polygons(request.area, "/area") if request.area else None
        owner, name = _owner(request), request.name or None
        watch = self.watches.create(owner, name, request.parcel_ids, request.commune_code, area)
        return pb.CreateWatchResponse(watch=_watch(watch))

    @in_thread
    def ListWatches(self, request: pb.ListWatchesRequest) -> pb.ListWatchesResponse:
        size = min(request.page_size or DEFAULT_PAGE, MAX_PAGE)
        page = self.watches.page(_owner(request), request.page_token, size)
        return pb.ListWatchesResponse(
            watches=map(_watch, page), next_page_token=page[-1].watch_id if len(page) == size else ""
        )

    @in_thread
    def DeleteWatch(self, request: pb.DeleteWatchRequest) -> pb.DeleteWatchResponse:
        self.watches.delete(_owner(request), request.watch_id)
        return pb.DeleteWatchResponse()

    @in_thread
    def ListEvents(self, request: pb.ListEventsRequest) -> pb.ListEventsResponse:
        """Raises InvalidPayload for a foreign cursor. The cursor of an empty page is the one that was sent."""
        if not (request.after or "0").isdecimal():
            raise invalid("/after", "malformed_cursor", REFUSALS["cursor_of_no_service"])
        size = min(request.page_size or DEFAULT_PAGE, MAX_PAGE)
        page = self.watches.events(_owner(request), int(request.after or 0), size)
        return pb.ListEventsResponse(
            events=map(event_message, page), next_after=str(page[-1].id) if page else request.after
        )


def event_message(event: Event) -> pb.Event:
    return filled(
        pb.Event,
        event,
        id=str(event.id),
        change=_change(event),
        commune_codes=event.commune_codes.split(),
        parcel_ids=event.parcel_ids.split(),
        watch_ids=event.watch_ids.split(),
        before=_struct(event.before),
        after=_struct(event.after),
    )


def _change(event: Event) -> pb.FactChange.ValueType:
    if event.before is None:
        return pb.FACT_CHANGE_NEW
    return pb.FACT_CHANGE_REMOVED if event.after is None else pb.FACT_CHANGE_CHANGED


def _struct(document: bytes | None) -> Struct | None:
    return None if document is None else ParseDict(orjson.loads(document), Struct())


def _owner(request: _Request) -> str:
    return f"{scope_of(request.scope)} {request.partner_id}"


def owner_of_webhooks(owner: Owner) -> str:
    """The owner of the events that endpoints get."""
    return f"{'demo' if owner.is_test else 'all'} {owner.partner_id}"


def _watch(watch: Watch) -> pb.Watch:
    return filled(
        pb.Watch,
        watch,
        id=watch.watch_id,
        commune_code=watch.commune_code or None,
        area=geometry.to_geojson(shapely.from_wkb(watch.area)) if watch.area else b"",
    )
