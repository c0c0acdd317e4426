"""What visitors of the home page get without a key: a test key, and a division.

POST /visitor-keys gives the key; by default there is no such route. GET /home-sample gives the division of the parcel
that the operator chose, or the recorded one of the demo commune.
"""

import time
from contextlib import suppress

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from contract.messages.schemas import Json
from edge.access import API, OPEN, PUBLIC
from edge.api.v1.requests import DivideLandBody
from edge.dependencies import SAME_ORIGIN, CurrentSettings, Services
from edge.descriptions.examples import examples_of
from edge.leases.decisions import Grant
from edge.middleware.client_address import client_address
from edge.problems import Problem
from edge.responses import json_response
from edge.routing import new_router, with_access
from edge.settings import EdgeSettings
from edge.upstreams import Upstreams
from landpartner.keys.v1 import keys_pb2
from servicekit.context import deadline
from servicekit.languages import Language, language

router = new_router()

AGE_S = 3_600.0
"""How long a division is shown before it is computed again."""
RETRY_S = 60.0
"""The pause after a division that could not be computed, and while it is."""
DEMO = "parcel"
"""The name of the recorded example."""
_GRANT = Grant("(home page)", "", keys_pb2.KEY_MODE_LIVE, assistant_mode=keys_pb2.ASSISTANT_MODE_RULES)


@router.post(
    f"{API}/visitor-keys", include_in_schema=False, openapi_extra=with_access(OPEN), dependencies=[SAME_ORIGIN]
)
async def create_visitor_key(request: Request, settings: CurrentSettings, services: Services) -> Response:
    address = client_address(request.scope, settings.trusted_proxies)
    asked = keys_pb2.CreateVisitorKeyRequest(client_address=address, most_per_day=settings.visitor_keys_per_day)
    created = await services.keys(services.keys.stub.CreateVisitorKey, asked)
    return json_response({"api_key": created.api_key, "expires_at": created.expires_at}, 201)


class HomeSample:
    """Visitors cause one division of `EDGE_HOME_PARCEL`, from rules, an hour and language."""

    def __init__(self, settings: EdgeSettings) -> None:
        self._settings = settings
        self._divisions: dict[Language, Json] = {}
        self._due_at: dict[Language, float] = {}

    async def read(self, services: Upstreams) -> Json:
        """`parcel_id` is null for the recorded one: without a chosen parcel, or as long as it cannot be computed."""
        name, now = language.get(), time.monotonic()
        if self._settings.home_parcel and now >= self._due_at.get(name, now):
            self._due_at[name] = now + RETRY_S
            with suppress(Problem):
                self._divisions[name] = await self._computed(services)
                self._due_at[name] = now + AGE_S
        if (division := self._divisions.get(name)) is not None:
            return {"parcel_id": self._settings.home_parcel, "division": division}
        recorded = examples_of("POST", f"{API}/assistant/divide-land")
        return {"parcel_id": None, "division": next(example.body for example in recorded if example.name == DEMO)}

    async def _computed(self, services: Upstreams) -> Json:
        """Raises Problem."""
        body, limit_s = DivideLandBody(parcel_ids=[self._settings.home_parcel]), self._settings.divide_land_deadline_s
        with deadline(limit_s):
            unit = await services.land.land_unit(body.message(), _GRANT, deadline_s=limit_s)
            division = await services.assistant.divide(unit, body.request(), _GRANT, deadline_s=limit_s)
        return {"quick_assessment": division.quick_assessment, "context": unit.feature_collection}


def home_sample_routes(settings: EdgeSettings) -> APIRouter:
    router, sample = new_router(), HomeSample(settings)

    @router.get(f"{API}/home-sample", include_in_schema=False, openapi_extra=with_access(PUBLIC))
    async def home_sample(services: Services) -> Response:
        return json_response(await sample.read(services))

    return router
