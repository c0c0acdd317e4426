"""The client for programs that wait for each answer.

`make clients` writes this file from aio.py: do not edit it.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, Self, Unpack
from urllib.parse import quote

import httpx

from landpartner_client import core
from landpartner_client.core import Attempts, Failure, Feed, FileForm, Language, Limits, Request, Result
from landpartner_client.events import EVENT_STREAM, DivisionEvent, DivisionStream
from landpartner_client.lines import Lines
from landpartner_client.schemas import (
    AddressLine,
    CoverageItem,
    CoverageParameters,
    CoverageResult,
    CoveredCommunesItem,
    CoveredCommunesParameters,
    CoveredCommunesResult,
    CreateWatchBody,
    CreateWatchResult,
    CreateWebhookBody,
    CreateWebhookResult,
    DivideLandBody,
    DivideLandResult,
    KeyEventsParameters,
    KeyEventsResult,
    LandLine,
    LandUnitGeojsonBody,
    LandUnitGeojsonResult,
    LandUnitLine,
    ListEventsParameters,
    ListEventsResult,
    ListWatchesItem,
    ListWatchesParameters,
    ListWebhooksResult,
    ParcelsItem,
    ParcelsParameters,
    ParcelsResult,
    PartnerKeysResult,
    ResolveAddressBody,
    ResolveAddressResult,
    ResolvedLine,
    ReverseAddressParameters,
    ReverseAddressResult,
    RotatePartnerKeyBody,
    RotatePartnerKeyResult,
    SaleStatisticsParameters,
    SaleStatisticsResult,
    SearchParcelsBody,
    SearchParcelsItem,
    SearchParcelsResult,
    SuggestAddressesParameters,
    SuggestAddressesResult,
    UsageResult,
)

_part = partial(quote, safe="")


class Client:
    """Calls the API with one key. Threads can share it. Close it, or use it as a context manager.

    A call raises ServiceError, ConnectionFailed or UnexpectedAnswer; each is a LandPartnerError. Before that, it
    repeats what may succeed later, within `attempts` and `deadline_s`.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str,
        language: Language = "fr",
        timeout_s: float = 35.0,
        deadline_s: float = 120.0,
        attempts: int = 5,
        max_answer_bytes: int = 64 * 1024 * 1024,
    ) -> None:
        """Opens no connection. Raises ValueError for a key or a URL that cannot be right."""
        self._limits = Limits(timeout_s, deadline_s, attempts, max_answer_bytes)
        self._http = httpx.Client(
            base_url=core.checked_base_url(base_url),
            auth=core.KeyHeader(api_key),
            headers=core.common_headers(language),
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={str(self._http.base_url)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def resolve(self, **query: Unpack[ResolveAddressBody]) -> ResolveAddressResult:
        """Returns the normalized address with its parcels."""
        return self._result(core.post("/addresses/resolve", query))

    def suggest(self, **parameters: Unpack[SuggestAddressesParameters]) -> SuggestAddressesResult:
        """Addresses for a text that is being typed."""
        return self._result(core.get("/addresses/suggest", parameters, is_free=False))

    def reverse(self, **parameters: Unpack[ReverseAddressParameters]) -> ReverseAddressResult:
        """The house number nearest to a point, and the parcels that contain the point."""
        return self._result(core.get("/addresses/reverse", parameters, is_free=False))

    def land_unit(
        self, land: ResolveAddressResult | None = None, /, **body: Unpack[LandUnitGeojsonBody]
    ) -> LandUnitGeojsonResult:
        """Returns the land as GeoJSON. Select it by a result of `resolve`, by `parcel_ids` or by `address`."""
        return self._result(core.post("/land-units/geojson", {**(land or {}), **body}))

    def resolve_lines(
        self, lines: Iterable[AddressLine], *, idempotency_key: str | None = None
    ) -> Generator[ResolvedLine, None, None]:
        """Yields the answer of each line of a file, in order: `body`, or `problem` if the line alone failed.

        After a lost connection, the next attempt continues where the last one ended, and no line is billed twice.
        """
        return self._lines(core.lines("/addresses/resolve/batch", lines, idempotency_key))

    def land_unit_lines(
        self, lines: Iterable[LandLine], *, idempotency_key: str | None = None
    ) -> Generator[LandUnitLine, None, None]:
        """Yields the land unit of each line of a file, in order. As `resolve_lines` otherwise."""
        return self._lines(core.lines("/land-units/batch", lines, idempotency_key))

    def divide_land(
        self,
        land: ResolveAddressResult | None = None,
        /,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[DivideLandBody],
    ) -> DivideLandResult:
        """Returns the assessment of a division, with the answer to the question. Select the land as for `land_unit`.

        Calls with the same idempotency key are billed once. The default is a random key, for the attempts of this call.
        """
        return self._result(core.divide_land(land, body, idempotency_key))

    def division_file(
        self,
        land: ResolveAddressResult | None = None,
        /,
        *,
        form: FileForm,
        proposal: int = 1,
        idempotency_key: str | None = None,
        **body: Unpack[DivideLandBody],
    ) -> bytes:
        """Returns a division as a file: the plan of one proposal as DXF, or a GeoPackage of all.

        With the idempotency key of a `divide_land`, the same request is computed again, and free for 24 hours.
        """
        return self._result(core.division_file(land, body, form, proposal, idempotency_key))

    def stream_divide_land(
        self,
        land: ResolveAddressResult | None = None,
        /,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[DivideLandBody],
    ) -> Generator[DivisionEvent, None, None]:
        """Yields the parts of the result of `divide_land` as they arrive. Ends only after all of them.

        Raises IncompleteStream if the stream is interrupted. Attempts are repeated only before the first event.
        To leave early, close the generator (contextlib.closing).
        """
        request = core.divide_land(land, body, idempotency_key, EVENT_STREAM)
        return self._parts(request, DivisionStream(self._limits.max_answer_bytes), self._limits)

    def parcels(self, **parameters: Unpack[ParcelsParameters]) -> Iterator[ParcelsItem]:
        """Yields the parcels of all pages. Each page costs units."""
        return self._items("features", self.parcels_pages(**parameters))

    def parcels_pages(self, **parameters: Unpack[ParcelsParameters]) -> Iterator[ParcelsResult]:
        """Yields the pages, each with its warnings and sources."""
        return self._pages(partial(core.get, "/parcels", is_free=False), parameters)

    def search_parcels(self, **body: Unpack[SearchParcelsBody]) -> Iterator[SearchParcelsItem]:
        """Yields the parcels of all pages. Each page costs units."""
        return self._items("features", self.search_parcels_pages(**body))

    def search_parcels_pages(self, **body: Unpack[SearchParcelsBody]) -> Iterator[SearchParcelsResult]:
        """Yields the pages, each with its warnings and sources. A page may have no parcel, and another one follow."""
        return self._pages(partial(core.post, "/parcels/search"), body)

    def sale_statistics(self, **parameters: Unpack[SaleStatisticsParameters]) -> SaleStatisticsResult:
        """Returns the prices of the loaded sales of an area, by year and kind."""
        return self._result(core.get("/statistics/sales", parameters, is_free=False))

    def keys(self) -> PartnerKeysResult:
        """Returns the keys of the partner. The key needs the scope `keys`."""
        return self._result(core.get("/keys"))

    def rotate_key(self, key_id: str, **body: Unpack[RotatePartnerKeyBody]) -> RotatePartnerKeyResult:
        """Gives a key of the partner a new secret, which only this answer has. The key that asks needs the scope
        `keys`. A lost answer is not repeated: rotate again.
        """
        return self._result(core.post(f"/keys/{_part(key_id)}/rotate", body))

    def create_watch(self, **body: Unpack[CreateWatchBody]) -> CreateWatchResult:
        """Watches parcels, a commune or an area. The same watch again is the first one, with the new name."""
        return self._result(core.post("/watches", body, is_free=True))

    def watches(self, **parameters: Unpack[ListWatchesParameters]) -> Iterator[ListWatchesItem]:
        """Yields the watches of all pages."""
        return self._items("watches", self._pages(partial(core.get, "/watches"), parameters))

    def delete_watch(self, watch_id: str) -> None:
        """Ends a watch. Its events stay in the feed."""
        self._result(core.delete(f"/watches/{_part(watch_id)}"))

    def events(self, **parameters: Unpack[ListEventsParameters]) -> ListEventsResult:
        """Returns the oldest events of the watches after an id. Send `next_after` with the next call."""
        return self._result(core.get("/events", parameters))

    def key_events(self, **parameters: Unpack[KeyEventsParameters]) -> KeyEventsResult:
        """Returns the oldest events of the partner's keys after an id. The key needs the scope `keys`."""
        return self._result(core.get("/keys/events", parameters))

    def create_webhook(self, *, of: Feed = "watches", **body: Unpack[CreateWebhookBody]) -> CreateWebhookResult:
        """Pushes the events of watches, or of keys, to an endpoint. Only this answer has the secret that signs them."""
        return self._result(core.post(core.WEBHOOKS[of], body))

    def webhooks(self, *, of: Feed = "watches") -> ListWebhooksResult:
        """Returns the endpoints of a feed with their state."""
        return self._result(core.get(core.WEBHOOKS[of]))

    def test_webhook(self, webhook_id: str, *, of: Feed = "watches") -> None:
        """Sends an example of an event to an active endpoint."""
        request: Request[None] = core.post(f"{core.WEBHOOKS[of]}/{_part(webhook_id)}/test", {}, is_free=True)
        self._result(request)

    def delete_webhook(self, webhook_id: str, *, of: Feed = "watches") -> None:
        """Ends the messages to an endpoint."""
        self._result(core.delete(f"{core.WEBHOOKS[of]}/{_part(webhook_id)}"))

    def usage(self) -> UsageResult:
        """Returns what the key allows, and what it has used this month."""
        return self._result(core.get("/usage"))

    def coverage(self, **parameters: Unpack[CoverageParameters]) -> Iterator[CoverageItem]:
        """Yields the loaded datasets of all pages."""
        return self._items("datasets", self.coverage_pages(**parameters))

    def coverage_pages(self, **parameters: Unpack[CoverageParameters]) -> Iterator[CoverageResult]:
        """Yields the pages, each with the sources to name."""
        return self._pages(partial(core.get, "/coverage"), parameters)

    def covered_communes(self, **parameters: Unpack[CoveredCommunesParameters]) -> Iterator[CoveredCommunesItem]:
        """Yields the communes with loaded data, of all pages."""
        return self._items("communes", self.covered_communes_pages(**parameters))

    def covered_communes_pages(
        self, **parameters: Unpack[CoveredCommunesParameters]
    ) -> Iterator[CoveredCommunesResult]:
        return self._pages(partial(core.get, "/coverage/communes"), parameters)

    def _pages(self, request: Callable[[Any], Request[Any]], parameters: Any) -> Iterator[Any]:
        """Yields the page that the parameters select, and those after it."""
        following = parameters
        while following is not None:
            page = self._result(request(following))
            yield page
            following = core.next_page(following, page)

    def _items(self, name: str, pages: Iterator[Any]) -> Iterator[Any]:
        """Yields the items of all pages."""
        for page in pages:
            yield from page[name]

    def _lines(self, request: Request[Any]) -> Generator[Any, None, None]:
        limits = replace(self._limits, deadline_s=max(self._limits.deadline_s, core.LINES_DEADLINE_S))
        return self._parts(request, Lines(limits.max_answer_bytes), limits)

    def _parts(
        self, request: Request[Any], parts: DivisionStream | Lines, limits: Limits
    ) -> Generator[Any, None, None]:
        """Yields the parts of a streamed answer as they arrive."""
        attempts = Attempts(limits)
        while True:
            try:
                with self._open(request, attempts) as response:
                    if core.begins(response, parts):
                        for chunk in response.iter_bytes():
                            attempts.check_deadline()
                            yield from parts.feed(chunk)
                        parts.finish(response)
                        return
                    failure = core.refused(request, response, self._read(response, attempts))
            except httpx.RequestError as error:
                failure = core.interrupted(request, error, parts)
            time.sleep(attempts.pause_s(failure))

    def _result(self, request: Request[Result]) -> Result:
        attempts = Attempts(self._limits)
        while True:
            outcome = self._attempt(request, attempts)
            if not isinstance(outcome, Failure):
                return outcome
            time.sleep(attempts.pause_s(outcome))

    def _attempt(self, request: Request[Result], attempts: Attempts) -> Result | Failure:
        try:
            with self._open(request, attempts) as response:
                content = self._read(response, attempts)
        except httpx.RequestError as error:
            return core.lost(request, error)
        return core.result_of(request, response, content)

    def _open(self, request: Request[Any], attempts: Attempts) -> AbstractContextManager[httpx.Response]:
        return self._http.stream(**core.arguments(request, attempts))

    def _read(self, response: httpx.Response, attempts: Attempts) -> bytes:
        content = bytearray()
        for chunk in response.iter_bytes():
            core.add(chunk, content, self._limits, attempts)
        return bytes(content)
