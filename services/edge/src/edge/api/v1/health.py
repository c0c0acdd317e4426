"""Health for clients, and probes for the platform."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from contract.messages.schemas import Composed, enum
from edge.access import API, PUBLIC
from edge.dependencies import Services
from edge.descriptions.operations import route_options
from edge.responses import json_response
from edge.routing import new_router, with_access

router = new_router()
probes = new_router()

REQUIRED_SERVICES = ("keys", "land")
"""No consumer endpoint works if one of these services is down. Two of three work without the assistant."""
_NO_SELLER = "KEYS_SELLER is not set: no bill is issued when a month closes"
_UNDESCRIBED: Mapping[str, Any] = {
    "include_in_schema": False,
    "openapi_extra": with_access(PUBLIC, takes_any_query=True),
}
"""The options of a probe. Each of them is at the root and under /api/v1, and so is health."""


_HEALTH = Composed(
    "HealthResponse",
    {
        "status": enum("ServiceHealth", ("ok", "degraded")),
        "version": {"type": "string"},
        "dependencies": {"type": "object", "additionalProperties": enum("DependencyHealth", ("ok", "down"))},
    },
)


@router.get(f"{API}/health", **route_options("public", _HEALTH, takes_any_query=True))
@probes.get("/health", **_UNDESCRIBED)
async def health(services: Services) -> Response:
    serving = await services.health.serving()
    return json_response(
        {
            "status": "ok" if all(serving.values()) else "degraded",
            "version": version("edge"),
            "dependencies": {name: "ok" if is_serving else "down" for name, is_serving in serving.items()},
        }
    )


@probes.get("/livez", **_UNDESCRIBED)
@probes.get(f"{API}/livez", **_UNDESCRIBED)
async def livez() -> Response:
    return json_response({"status": "ok"})


@probes.get("/readyz", **_UNDESCRIBED)
@probes.get(f"{API}/readyz", **_UNDESCRIBED)
async def readyz(request: Request, services: Services) -> Response:
    if request.app.state.is_leaving:
        return json_response({"status": "leaving", "down": []}, 503)
    if request.app.state.capacity.is_refusing():
        return json_response({"status": "refusing", "down": []}, 503)
    serving = await services.health.serving()
    down = [name for name in REQUIRED_SERVICES if not serving[name]]
    warnings = [] if services.health.has_seller else [_NO_SELLER]
    state = {"status": "unavailable" if down else "ok", "down": down, "warnings": warnings}
    return json_response(state, 503 if down else 200)
