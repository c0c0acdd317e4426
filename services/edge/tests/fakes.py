"""Fakes of keys and land. They record each request and return the answer that a test sets."""

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

import grpc
import orjson

from contract.endpoints import DIVIDE_LAND, SUGGEST, WEIGHTS
from contract.messages.land import feature_collection
from landpartner.keys.v1 import admin_pb2, keys_pb2, keys_pb2_grpc
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from landpartner.webhooks.v1 import webhooks_pb2, webhooks_pb2_grpc
from servicekit.context import requester
from servicekit.errors import ServiceError
from servicekit.languages import language
from servicekit.rpc_errors import StatusTable


class Refusal(ServiceError):
    """An error of another service, by code."""

    def __init__(self, code: str, detail: str = "detail from the service", **more: Any) -> None:
        super().__init__(detail, **more)
        self.code = code


class Unreachable(Exception):
    """Makes a fake abort with UNAVAILABLE."""


async def wait_until(condition: Callable[[], object]) -> None:
    """Waits until the condition, or what it awaits, is true. Raises TimeoutError after 60 s."""
    async with asyncio.timeout(60):
        while not (await value if isawaitable(value := condition()) else value):  # noqa: ASYNC110 (the condition has no event)
            await asyncio.sleep(0.005)


STATUSES: StatusTable = {Refusal: grpc.StatusCode.FAILED_PRECONDITION}


class FakeKeys(keys_pb2_grpc.KeysServiceServicer):
    """Leases what the request that asks needs, and nothing more, unless a test sets `decide`."""

    def __init__(self) -> None:
        self.lease_requests: list[keys_pb2.LeaseRequest] = []
        """The requests for a lease. `line_requests` reserve lines."""
        self.line_requests: list[keys_pb2.LeaseRequest] = []
        self.outcomes: list[keys_pb2.Outcome] = []
        self.ended: list[keys_pb2.LeaseEnd] = []
        """The leases that were ended, by any call."""
        self.refused: list[keys_pb2.RefusedRequests] = []
        self.dead_holders: list[bytes] = []
        self.terms = keys_pb2.KeyTerms(
            key_id="key-1",
            partner_id="partner-1",
            mode=keys_pb2.KEY_MODE_LIVE,
            assistant_mode=keys_pb2.ASSISTANT_MODE_RULES,
            weights=WEIGHTS,
        )
        self.valid_ms = 1_000
        self.denial: keys_pb2.Denial | None = None
        self.decide: Callable[[keys_pb2.LeaseRequest], keys_pb2.LeaseResponse] = self._decide
        self.lines_denial: keys_pb2.Denial | None = None
        self.lines_abort_with: grpc.StatusCode | None = None
        self.held_keys: set[str] = set()
        """Keys without a decision."""
        self.rate_limits: list[keys_pb2.RateLimitState] = []
        self.is_down = False
        self.abort_with: grpc.StatusCode | None = None
        self.visitor_requests: list[keys_pb2.CreateVisitorKeyRequest] = []
        self.lease_calls = 0
        self.accepts_outcomes = True
        self.failing_ids: frozenset[bytes] = frozenset()
        """Event ids of outcomes that make it fail."""
        self.postponed_ids: frozenset[bytes] = frozenset()
        """Event ids of outcomes and ids of leases whose key is locked."""
        self.failure = grpc.StatusCode.INTERNAL
        self.record_calls = 0
        """The calls with outcomes."""
        self.may_decide = asyncio.Event()
        self.may_decide.set()
        self.may_acknowledge = asyncio.Event()
        self.may_acknowledge.set()

    async def CreateVisitorKey(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.visitor_requests.append(request)
        await self.may_decide.wait()
        return keys_pb2.CreateVisitorKeyResponse(api_key="lp_test_key", expires_at="2026-03-15T12:00:00Z")

    async def Lease(self, request: Any, context: Any) -> Any:  # noqa: N802
        if request.HasField("lines"):
            return await self._reserve_lines(request, context)
        self.lease_calls += 1
        if self.abort_with is not None:
            await context.abort(self.abort_with, "no")
        if self.is_down:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        if request.api_key in self.held_keys:
            raise Refusal("unavailable", retry_after_s=1)
        self.lease_requests.append(request)
        self.ended += request.ended
        await self.may_decide.wait()
        return self.decide(request)

    def _decide(self, request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        if self.denial is not None:
            denial = keys_pb2.Denial()
            denial.CopyFrom(self.denial)
            if denial.code != "invalid_key":
                denial.key_id = self.terms.key_id
            return keys_pb2.LeaseResponse(denial=denial, rate_limits=self.rate_limits)
        is_call = request.endpoint == DIVIDE_LAND
        counters = keys_pb2.Counters(
            units=0 if request.reserves_line else WEIGHTS.get(request.endpoint, 0),
            requests=1,
            suggestions=int(request.endpoint == SUGGEST),
            calls=int(is_call),
            tokens=self.terms.tokens_per_call * is_call,
        )
        return self.grant(keys_pb2.Counters() if request.goes_on else counters)

    def grant(self, counters: keys_pb2.Counters) -> keys_pb2.LeaseResponse:
        grant = keys_pb2.LeaseGrant(
            terms=self.terms,
            counters=counters,
            valid_ms=self.valid_ms,
            leased_at="2026-11-20T10:00:00.000Z",
            is_only_holder=True,
        )
        return keys_pb2.LeaseResponse(grant=grant, rate_limits=self.rate_limits)

    async def _reserve_lines(self, request: Any, context: Any) -> Any:
        self.line_requests.append(request)
        if self.lines_abort_with is not None:
            await context.abort(self.lines_abort_with, "no")
        if self.lines_denial is not None:
            return keys_pb2.LeaseResponse(denial=self.lines_denial)
        grant = keys_pb2.LeaseGrant(terms=self.terms, leased_at="2026-11-20T10:00:00.000Z", line_units=1)
        return keys_pb2.LeaseResponse(grant=grant, rate_limits=self.rate_limits)

    def charged(self) -> set[int]:
        """The places of the lines in all outcomes."""
        answered_lines = [outcome.lines for outcome in self.outcomes if outcome.HasField("lines")]
        return {
            lines.first_line + bit
            for lines in answered_lines
            for bit in range(len(lines.succeeded) * 8)
            if lines.succeeded[bit // 8] >> bit % 8 & 1
        }

    async def Settle(self, request: Any, context: Any) -> Any:  # noqa: N802
        if self.is_down or not self.accepts_outcomes:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        self.record_calls += bool(request.outcomes)
        if any(outcome.event_id in self.failing_ids for outcome in request.outcomes):
            await context.abort(self.failure, "broken")
        by_id: dict[bytes, Any] = {
            **{outcome.event_id: outcome for outcome in request.outcomes},
            **{end.lease_id: end for end in request.ended},
        }
        acknowledged = [identifier for identifier in by_id if identifier not in self.postponed_ids]
        self.outcomes += [outcome for outcome in request.outcomes if outcome.event_id in acknowledged]
        self.ended += [end for end in request.ended if end.lease_id in acknowledged]
        self.refused += request.refused
        self.dead_holders += request.dead_holders
        await self.may_acknowledge.wait()
        postponed = [identifier for identifier in (*by_id, *request.dead_holders) if identifier in self.postponed_ids]
        return keys_pb2.SettleResponse(acknowledged=acknowledged, postponed=postponed)

    async def GetKeyUsage(self, request: Any, context: Any) -> Any:  # noqa: N802
        return keys_pb2.GetKeyUsageResponse(month="2026-11", requests=3, units=5, quota=keys_pb2.Quota(per_minute=60))

    async def ListEndedOwners(self, request: Any, context: Any) -> Any:  # noqa: N802
        ended = [owner for owner in request.owners if owner.partner_id.startswith("ended")]
        return keys_pb2.ListEndedOwnersResponse(owners=ended)

    async def ListKeyEvents(self, request: Any, context: Any) -> Any:  # noqa: N802
        return keys_pb2.ListKeyEventsResponse(next_after=request.after)

    async def ListPartnerKeys(self, request: Any, context: Any) -> Any:  # noqa: N802
        return keys_pb2.ListPartnerKeysResponse(keys=[keys_pb2.PartnerKey(key_id=request.key_id, status="active")])

    async def RotatePartnerKey(self, request: Any, context: Any) -> Any:  # noqa: N802
        key = keys_pb2.PartnerKey(key_id=request.rotated_key_id, status="active")
        return keys_pb2.RotatePartnerKeyResponse(key=key, api_key=f"secret for {request.grace_days} days")

    async def outcome(self) -> keys_pb2.Outcome:
        """Waits for the first outcome."""
        await wait_until(lambda: bool(self.outcomes))
        return self.outcomes[0]


class FakeLand(land_pb2_grpc.LandServiceServicer):
    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.requesters: list[str] = []
        self.languages: list[str] = []
        self.has_events = True
        """Whether there are watches and events."""
        self.failure: Exception | None = None
        self.delay_s = 0.0
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.resolution = land_pb2.ResolveAddressResponse(
            address=full_address(),
            parcels=[
                land_pb2.ParcelMatch(
                    parcel_id="00001000AB0012", kind=land_pb2.PARCEL_MATCH_KIND_NEAREST, distance_m=3.5
                )
            ],
        )
        self.results: dict[str, land_pb2.ResolvedAddress] = {}
        """The results by the label of the address. Like land, it answers a lone request whose result is empty."""
        self.batches: list[list[str]] = []
        """The labels of each call to resolve addresses; `requests` has each address."""
        self.fails_on_batches = False
        """Whether calls for several addresses fail."""
        self.unit = land_pb2.LandUnit(
            geometry=b'{"type":"Point","coordinates":[2.1,47.1]}',
            bbox=[2.1, 47.1, 2.1, 47.1],
            parcel_ids=["00001000AB0012"],
            parcels=[land_pb2.Parcel(parcel_id="00001000AB0012", section="AB", number="0012", prefix="000")],
        )

        self.next_watches: dict[tuple[int, str], str] = {}
        """The page of watches that follows another one, by scope and page."""
        self.parcel_page = land_pb2.SearchParcelsResponse(
            parcels=[
                land_pb2.FoundParcel(
                    geometry=b'{"type":"Polygon","coordinates":[]}',
                    parcel=land_pb2.Parcel(parcel_id="00001000AB0012", section="AB", number="0012", prefix="000"),
                    edition="2026-01-01",
                )
            ],
            next_page_token="next",
            coverage=[land_pb2.DatasetCoverage(dataset="dvf", status=land_pb2.COVERAGE_STATUS_COVERED)],
        )

    async def _answer(self, context: Any, answer: Any) -> Any:
        self.requesters.append(requester.get())
        self.languages.append(language.get())
        await asyncio.sleep(self.delay_s)
        await self.may_answer.wait()
        if isinstance(self.failure, Unreachable):
            await context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        if self.failure is not None:
            raise self.failure
        return answer

    async def ResolveAddresses(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.batches.append([single.query.label for single in request.requests])
        self.requests += request.requests
        is_lone = len(request.requests) == 1
        if self.fails_on_batches and not is_lone:
            raise RuntimeError
        default = land_pb2.ResolvedAddress(found=self.resolution)
        results = [self.results.get(single.query.label, default) for single in request.requests]
        if is_lone and results[0].WhichOneof("result") is None:
            results = [default]
        return await self._answer(context, land_pb2.ResolveAddressesResponse(results=results))

    async def GetLandUnit(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        if request.as_geojson:
            geojson = orjson.dumps(feature_collection(self.unit, request))
            return await self._answer(context, land_pb2.GetLandUnitResponse(feature_collection=geojson))
        return await self._answer(context, land_pb2.GetLandUnitResponse(land_unit=self.unit))

    async def SuggestAddresses(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        return await self._answer(context, land_pb2.SuggestAddressesResponse(suggestions=[full_address()]))

    async def ReverseAddress(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        answer = land_pb2.ReverseAddressResponse(address=full_address(), distance_m=1.5)
        return await self._answer(context, answer)

    async def SearchParcels(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        return await self._answer(context, self.parcel_page)

    async def GetSaleStatistics(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        return await self._answer(context, land_pb2.GetSaleStatisticsResponse())

    async def GetTile(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        is_known = request.known_version == "v1"
        tile = land_pb2.GetTileResponse(version="v1", is_known=is_known, content=b"" if is_known else b"tile")
        return await self._answer(context, tile)

    async def ListFeatures(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        feature = land_pb2.MapFeature(id="1", zones=land_pb2.MappedZone(label="UB"))
        features = [] if request.feature_id == "2" else [feature]
        page = land_pb2.ListFeaturesResponse(features=features, number_returned=1, next_page_token="1")
        return await self._answer(context, page)

    async def GetCoverage(self, request: Any, context: Any) -> Any:  # noqa: N802
        dataset = land_pb2.LoadedDataset(dataset="ban", unit="00001", row_count=12)
        self.requests.append(request)
        return await self._answer(context, land_pb2.GetCoverageResponse(datasets=[dataset]))

    async def ListCommunes(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        commune = land_pb2.LoadedCommune(code="00001", datasets=["ban"])
        return await self._answer(context, land_pb2.ListCommunesResponse(communes=[commune], next_page_token="00001"))

    async def CreateWatch(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        watch = land_pb2.Watch(id="w1", commune_code=request.commune_code)
        return await self._answer(context, land_pb2.CreateWatchResponse(watch=watch))

    async def ListWatches(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        watch = land_pb2.Watch(id=request.page_token or "w1", commune_code="18999")
        next_page = self.next_watches.get((request.scope, request.page_token), "")
        page = land_pb2.ListWatchesResponse(watches=[watch] * self.has_events, next_page_token=next_page)
        return await self._answer(context, page)

    async def DeleteWatch(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        return await self._answer(context, land_pb2.DeleteWatchResponse())

    async def ListEvents(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        event = land_pb2.Event(id="7", kind=land_pb2.FACT_KIND_SALE, change=land_pb2.FACT_CHANGE_NEW)
        event.after.update({"valeur_fonciere": 250_000})
        page = land_pb2.ListEventsResponse(events=[event] * self.has_events, next_after="7")
        return await self._answer(context, page)

    async def GetDatasetStates(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        state = land_pb2.DatasetState(dataset="ban", way="on_demand", partition="commune", partition_count=3)
        return await self._answer(context, land_pb2.GetDatasetStatesResponse(datasets=[state]))


class FakeWebhooks(webhooks_pb2_grpc.WebhookServiceServicer):
    def __init__(self, requests: list[Any]) -> None:
        self.requests = requests
        self.owners: list[webhooks_pb2.Owner] = []
        self.listed = ""

    async def CreateWebhook(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        return webhooks_pb2.CreateWebhookResponse(secret="whsec_")

    async def ListWebhooks(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        urls = [self.listed] if self.listed else []
        return webhooks_pb2.ListWebhooksResponse(webhooks=[webhooks_pb2.Webhook(id="w1", url=url) for url in urls])

    async def TestWebhook(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        return webhooks_pb2.TestWebhookResponse()

    async def DeleteWebhook(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        return webhooks_pb2.DeleteWebhookResponse()

    async def ListOwners(self, request: Any, context: Any) -> Any:  # noqa: N802
        at = int(request.page_token or 0)
        following = str(at + 1) if at + 1 < len(self.owners) else ""
        return webhooks_pb2.ListOwnersResponse(owners=self.owners[at : at + 1], next_page_token=following)

    async def DeleteOwner(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.requests.append(request)
        return webhooks_pb2.DeleteOwnerResponse()


def _empty_answer(response: type) -> Callable[..., Any]:
    async def method(self: FakeLand, request: Any, context: Any) -> Any:
        self.requests.append(request)
        return await self._answer(context, response())

    return method


for _method in land_pb2.DESCRIPTOR.services_by_name["LandService"].methods:
    if _method.name not in vars(FakeLand):
        setattr(FakeLand, _method.name, _empty_answer(getattr(land_pb2, _method.output_type.name)))


class FakeAdmin:
    """Records each call. Returns the answer for the method from `answers`, or an empty message."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.answers: dict[str, Any] = {}
        self.failures: dict[str, Exception] = {}

    def request(self, method: str) -> Any:
        return next(request for name, request in self.calls if name == method)


def _fake_method(name: str, response: type) -> Callable[..., Any]:
    async def method(self, request, context):  # type: ignore[no-untyped-def]
        self.calls.append((name, request))
        if name in self.failures:
            raise self.failures[name]
        return self.answers.get(name, response())

    return method


for _method in admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods:
    setattr(FakeAdmin, _method.name, _fake_method(_method.name, getattr(admin_pb2, _method.output_type.name)))


def full_address() -> land_pb2.Address:
    return land_pb2.Address(
        id="00001_0042_00010_bis", label="10 bis Rue des Lilas 00100 Valdemo", number="10 bis", street="Rue des Lilas",
        postcode="00100", city="Valdemo", city_code="00001", latitude=47.1, longitude=2.1,
        type=land_pb2.ADDRESS_TYPE_HOUSENUMBER, score=0.97,
    )  # fmt: skip
