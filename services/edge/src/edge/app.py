"""Assembles the edge: its routes, its middleware, and its clients and outcome log."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from fastapi import APIRouter, FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.types import ASGIApp, Receive, Scope, Send

from contract.dictionary import dictionary
from edge import ended_partners
from edge.admin import admins, api_keys, audit, bills, installation, partners, sessions, usage
from edge.api.v1 import (
    account,
    addresses,
    agents,
    assistant,
    batches,
    health,
    land_units,
    ogc,
    parcels,
    status,
    tiles,
    visitors,
    watches,
    webhooks,
)
from edge.availability import Availability
from edge.batches.running import BatchSlots
from edge.descriptions.routes import description_routes
from edge.leases.leases import LATER_S, Leases
from edge.metering.outcomes import OutcomeLog
from edge.middleware.attempts import AddressLimit, CredentialLimit, FreeAnswers
from edge.middleware.authorization import Authorization
from edge.middleware.capacity import Capacity
from edge.middleware.compression import Compression
from edge.middleware.cross_origin import CrossOrigin
from edge.middleware.headers import HeadAsGet, SecurityHeaders
from edge.middleware.request_logging import RequestLogging
from edge.pages.documents import documents_of
from edge.pages.routes import are_built, page_routes, read_files
from edge.pages.unknown_paths import UnknownPaths
from edge.routing import PlainRoute, RouteTable
from edge.settings import EdgeSettings
from edge.static_answers import MadeOnce
from edge.upstreams import Upstreams
from servicekit.sampling import Sampler, disk
from servicekit.tls import sample_certificate

log = logging.getLogger(__name__)

_CONSUMER_ROUTERS = (
    addresses.router,
    land_units.router,
    batches.router,
    parcels.router,
    tiles.router,
    watches.router,
    webhooks.router,
    ogc.router,
    assistant.router,
    account.router,
    agents.router,
    health.router,
    status.router,
)
_OPTIONAL_ROUTERS = {"mcp": agents.router, "ogc": ogc.router}
_NO_TELEMETRY = TelemetryConfig(tracing=False, metrics=False, logs=False)
_ADMIN_ROUTERS = (
    sessions.routes.router,
    api_keys.routes.router,
    usage.router,
    bills.router,
    installation.routes.router,
    partners.routes.router,
    admins.routes.router,
    audit.router,
)


def create_app(settings: EdgeSettings) -> FastAPI:
    """The edge as an ASGI application. It opens nothing before its lifespan begins."""
    app = _Application(
        title="edge", docs_url=None, redoc_url=None, openapi_url=None, lifespan=_lifespan, telemetry=_NO_TELEMETRY
    )
    app.state.settings = settings
    app.state.is_leaving = False
    routes = _routes(settings)
    app.router.routes.extend(routes)
    table = RouteTable(routes)
    app.state.routes = table
    app.state.tool_list = MadeOnce(partial(agents.tool_list, table))
    app.add_middleware(UnknownPaths, routes=table, web_dir=settings.web_dir)  # the last one added is the outermost
    app.add_middleware(
        FreeAnswers, per_second=settings.free_answers_per_second, trusted_proxies=settings.trusted_proxies
    )
    app.add_middleware(Compression)
    app.add_middleware(HeadAsGet)
    app.add_middleware(CrossOrigin, origins=settings.cors_origins)
    app.add_middleware(SecurityHeaders, trusted_proxies=settings.trusted_proxies)
    app.add_middleware(RequestLogging)
    return app


def _routes(settings: EdgeSettings) -> list[PlainRoute]:
    files = read_files(settings.web_dir)
    disabled = [_OPTIONAL_ROUTERS[name] for name in settings.disabled]
    consumer = [router for router in _CONSUMER_ROUTERS if router not in disabled]
    documents = documents_of(files, _flat(consumer), settings.security_contact)
    described = _flat((*consumer, *_ADMIN_ROUTERS, page_routes(files, documents.text_of)))
    visitor_routes = [visitors.router] if settings.visitor_keys_per_day else []
    own = [visitors.home_sample_routes(settings), *visitor_routes]
    return described + _flat(
        [description_routes(described, settings.public_url), documents.router, health.probes, *own]
    )


def _flat(routers: Sequence[APIRouter]) -> list[PlainRoute]:
    return [route for router in routers for route in router.routes if isinstance(route, PlainRoute)]


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: EdgeSettings = app.state.settings
    if not are_built(settings.web_dir):
        log.warning("the pages are not built: only the API is available")
    dictionary()  # reads its files now, since that takes longer than an answer may
    upstreams = Upstreams.open(settings)
    keys, interval_s = upstreams.keys, settings.outcome_interval_s
    outcomes = OutcomeLog(
        settings.spool_dir, settings.spool_max_bytes, keys.send_outcomes, keys.release_holder, interval_s
    )
    leases = Leases(keys, outcomes.holder, interval_s=interval_s, deadline_s=settings.keys_deadline_s + LATER_S)
    app.state.upstreams = upstreams
    app.state.outcomes = outcomes
    app.state.capacity = Capacity(settings)
    app.state.authorization = Authorization(
        app.state.routes,
        leases=leases,
        outcomes=outcomes,
        admin=upstreams.admin,
        capacity=app.state.capacity,
        open_routes=AddressLimit(settings.open_attempts_per_minute),
        credentials=CredentialLimit(AddressLimit(settings.unknown_credentials_per_minute)),
        trusted_proxies=settings.trusted_proxies,
    )
    app.state.batch_slots = BatchSlots(settings)
    outcomes.start()
    leases.start()
    app.state.availability = Availability(settings.spool_dir, upstreams.health)
    following = [
        asyncio.create_task(work) for work in (app.state.availability.follow(), ended_partners.follow(upstreams))
    ]
    readings = [outcomes.sample, disk("spool", settings.spool_dir)]
    if settings.tls_cert_file is not None:
        readings.append(partial(sample_certificate, settings.tls_cert_file))
    sampler = Sampler(readings)
    sampler.start()
    try:
        yield
    finally:
        sampler.end()
        for task in following:
            task.cancel()
        await leases.stop()
        await outcomes.stop()
        await upstreams.close()


class _Application(FastAPI):
    """FastAPI without its own middleware. RequestLogging answers unexpected errors, and routes answer Problems."""

    def build_middleware_stack(self) -> ASGIApp:
        app: ASGIApp = self._authorize
        for middleware in reversed(self.user_middleware):
            app = middleware.cls(app, *middleware.args, **middleware.kwargs)

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            """Passes requests through the middleware, and the lifespan around it."""
            await (app if scope["type"] == "http" else self.router)(scope, receive, send)

        return serve

    async def _authorize(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The clients of the authorization exist only within the lifespan."""
        await self.state.authorization(scope, receive, send)
