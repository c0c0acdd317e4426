"""GET /status: the state of each service, and what is loaded of each dataset. It needs no key."""

from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response

from contract.messages.land import DATASET_STATE
from contract.messages.schemas import Composed, ListOf, enum, nullable
from edge.access import API
from edge.dependencies import CurrentSettings, Services
from edge.descriptions.operations import route_options
from edge.responses import json_response
from edge.routing import new_router

router = new_router()

_INSTANT = nullable({"type": "string"})
_STATUS = Composed(
    "StatusResponse",
    {
        "status": enum("ServiceHealth", ("ok", "degraded")),
        "checked_at": {"type": "string"},
        "services": ListOf(
            Composed(
                "ServiceState",
                {"name": {"type": "string"}, "status": enum("DependencyHealth", ("ok", "down")), "since": _INSTANT},
            )
        ),
        "availability": ListOf(
            Composed(
                "ServiceDay",
                {
                    "date": {"type": "string", "format": "date"},
                    "name": {"type": "string"},
                    "checks": {"type": "integer"},
                    "answered": {"type": "integer"},
                },
            )
        ),
        "gives_visitor_keys": {"type": "boolean"},
        "datasets_at": _INSTANT,
        "datasets": ListOf(DATASET_STATE),
    },
)
_CACHE = {"cache-control": "public, max-age=5"}


@router.get(f"{API}/status", **route_options("public", _STATUS))
async def status(request: Request, settings: CurrentSettings, services: Services) -> Response:
    """While land does not answer, the datasets are those of its last answer. No place and no partner is named."""
    serving = await services.health.serving()
    datasets = services.dataset_states
    await datasets.refresh()
    changed_at = services.health.changed_at
    return json_response(
        {
            "status": "ok" if all(serving.values()) else "degraded",
            "checked_at": _text(datetime.now(UTC)),
            "services": [
                {"name": name, "status": "ok" if is_serving else "down", "since": _text(changed_at.get(name))}
                for name, is_serving in serving.items()
            ],
            "availability": [day._asdict() for day in request.app.state.availability.days],
            "gives_visitor_keys": settings.visitor_keys_per_day > 0,
            "datasets_at": _text(datasets.read_at),
            "datasets": [DATASET_STATE.write(state) for state in datasets.states],
        },
        headers=_CACHE,
    )


def _text(at: datetime | None) -> str | None:
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")
