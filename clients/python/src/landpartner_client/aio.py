"""The client for asyncio."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Self, Unpack

import httpx

from landpartner_client import core
from landpartner_client.core import Attempts, Body, Failure, Language, Limits, Request, Result
from landpartner_client.events import DivisionEvent, DivisionStream
from landpartner_client.schemas import (
    CoverageItem,
    CoverageParameters,
    CoverageResult,
    DivideLandBody,
    DivideLandResult,
    LandUnitGeojsonBody,
    LandUnitGeojsonResult,
    ResolveAddressBody,
    ResolveAddressResult,
    ReverseAddressParameters,
    ReverseAddressResult,
    SuggestAddressesParameters,
    SuggestAddressesResult,
    UsageResult,
)


class AsyncClient:
    """Calls the API with one key. Tasks of one event loop can share it. Close it, or use it as a context manager.

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
        self._http = httpx.AsyncClient(
            base_url=core.checked_base_url(base_url),
            auth=core.KeyHeader(api_key),
            headers=core.common_headers(language),
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={str(self._http.base_url)!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def resolve(self, **query: Unpack[ResolveAddressBody]) -> ResolveAddressResult:
        """Returns the normalized address with its parcels."""
        return await self._result(core.resolve(query))

    async def suggest(self, **parameters: Unpack[SuggestAddressesParameters]) -> SuggestAddressesResult:
        """Addresses for a text that is being typed."""
        return await self._result(core.suggest(parameters))

    async def reverse(self, **parameters: Unpack[ReverseAddressParameters]) -> ReverseAddressResult:
        """The house number nearest to a point, and the parcels that contain the point."""
        return await self._result(core.reverse(parameters))

    async def land_unit(
        self, land: ResolveAddressResult | None = None, /, **body: Unpack[LandUnitGeojsonBody]
    ) -> LandUnitGeojsonResult:
        """Returns the land as GeoJSON. Select it by a result of `resolve`, by `parcel_ids` or by `address`."""
        return await self._result(core.land_unit(land, body))

    async def divide_land(
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
        return await self._result(core.divide_land(land, body, idempotency_key))

    async def stream_divide_land(
        self,
        land: ResolveAddressResult | None = None,
        /,
        *,
        idempotency_key: str | None = None,
        **body: Unpack[DivideLandBody],
    ) -> AsyncGenerator[DivisionEvent, None]:
        """Yields the parts of the result of `divide_land` as they arrive. Ends only after all of them.

        Raises IncompleteStream if the stream is interrupted. Attempts are repeated only before the first event.
        To leave early, close the generator (contextlib.aclosing).
        """
        request = core.divide_land(land, body, idempotency_key, core.EVENT_STREAM)
        attempts = Attempts(self._limits)
        while True:
            stream = DivisionStream(self._limits.max_answer_bytes)
            try:
                async with self._open(request, attempts) as response:
                    if core.is_stream(response):
                        async for chunk in response.aiter_bytes():
                            attempts.check_deadline()
                            for event in stream.feed(chunk):
                                yield event
                        stream.finish()
                        return
                    failure = core.refused(request, response, await self._read(response, attempts))
            except httpx.RequestError as error:
                failure = core.interrupted(request, error, stream)
            await asyncio.sleep(attempts.pause_s(failure))

    async def usage(self) -> UsageResult:
        """Returns what the key allows, and what it has used this month."""
        return await self._result(core.usage())

    async def coverage(self, **parameters: Unpack[CoverageParameters]) -> AsyncIterator[CoverageItem]:
        """Yields the loaded datasets of all pages."""
        async for page in self.coverage_pages(**parameters):
            for dataset in page["datasets"]:
                yield dataset

    async def coverage_pages(self, **parameters: Unpack[CoverageParameters]) -> AsyncIterator[CoverageResult]:
        """Yields the pages, each with the sources to name."""
        following: CoverageParameters | None = parameters
        while following is not None:
            page = await self._result(core.coverage(following))
            yield page
            following = core.next_page(following, page)

    async def _result(self, request: Request[Result]) -> Result:
        attempts = Attempts(self._limits)
        while True:
            outcome = await self._attempt(request, attempts)
            if not isinstance(outcome, Failure):
                return outcome
            await asyncio.sleep(attempts.pause_s(outcome))

    async def _attempt(self, request: Request[Result], attempts: Attempts) -> Result | Failure:
        try:
            async with self._open(request, attempts) as response:
                content = await self._read(response, attempts)
        except httpx.RequestError as error:
            return core.lost(request, error)
        return core.result_of(request, response, content)

    def _open(self, request: Request[Any], attempts: Attempts) -> AbstractAsyncContextManager[httpx.Response]:
        return self._http.stream(**core.arguments(request, attempts))

    async def _read(self, response: httpx.Response, attempts: Attempts) -> bytes:
        body = Body(self._limits, attempts)
        async for chunk in response.aiter_bytes():
            body.add(chunk)
        return body.content()
